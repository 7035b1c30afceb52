package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/mcp/config"
	"windlass/functions/internal/tool/outside"
)

// Options are what the harness gives.
type Options struct {
	Secrets outside.Secrets
	Network outside.Network
	// Now is the clock by which lists grow old; nil for the system's.
	Now func() time.Time
}

// Tools are the tools of one configuration's servers. They keep lists and sessions:
// whoever keeps them across turns saves both.
type Tools struct{ servers []*server }

// New reads a configuration, and asks no server yet. Its error says what is wrong
// with it.
func New(with json.RawMessage, o Options) (*Tools, error) {
	c, err := config.Read(with)
	if err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	t := &Tools{}
	for _, s := range c.Servers {
		t.servers = append(t.servers, newServer(s, o))
	}
	return t, nil
}

// List returns the tools of all servers and mcp_status, ordered by name. Servers are
// asked at the same time, and only where what is known of them is too old. It fails
// for nothing that a server does; its error is the context's.
func (t *Tools) List(ctx context.Context) ([]*tool.Tool, error) {
	lists := make([]list, len(t.servers))
	var wait sync.WaitGroup
	for i, s := range t.servers {
		wait.Go(func() { lists[i] = s.list(ctx) })
	}
	wait.Wait()
	all := []*tool.Tool{t.status()}
	for _, l := range lists {
		all = append(all, l.tools...)
	}
	slices.SortFunc(all, func(a, b *tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return all, ctx.Err()
}

// Close ends the sessions.
func (t *Tools) Close() {
	for _, s := range t.servers {
		s.close()
	}
}

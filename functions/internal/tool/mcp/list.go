package mcp

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
)

// Limits of a list.
const (
	maxPages    = 20
	maxTools    = 128
	maxProblems = 20
	// askAgain is how long a server that could not be reached is left in peace, so
	// that it does not make every driver wait.
	askAgain = 30 * time.Second
)

// list is what is known of a server's tools.
type list struct {
	tools []*tool.Tool
	// leftOut are tools that cannot be called, and why.
	leftOut []leftOut
	until   time.Time
	// failed is why the last attempt brought nothing; the tools are older then.
	failed *tool.Failure
}

type leftOut struct {
	Tool string `json:"tool"`
	Why  string `json:"why"`
}

// list returns the server's tools, and asks for them if they are too old. If that
// fails it returns those that were known before.
func (s *server) list(ctx context.Context) list {
	s.listing.Lock()
	defer s.listing.Unlock()
	if s.now().Before(s.known.until) {
		return s.known
	}
	heardCtx, h := listen(ctx)
	found, err := s.fetch(heardCtx)
	switch {
	case err == nil:
		s.known = s.offer(found)
		s.known.until = s.now().Add(time.Duration(s.KeepList))
	case ctx.Err() != nil: // says nothing of the server
	default:
		f := problem(h, err)
		slog.WarnContext(ctx, "an MCP server gave no list of its tools", "server", s.Name, "code", f.Code, "message", f.Message)
		s.known.failed, s.known.until = &f, s.now().Add(askAgain)
	}
	return s.known
}

// fetch asks for all pages. A session that is not new may have been lost, and is then
// opened again: to ask twice changes nothing.
func (s *server) fetch(ctx context.Context) ([]*sdk.Tool, error) {
	for {
		session, fresh, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		found, err := s.pages(ctx, session)
		if err == nil {
			return found, nil
		}
		s.drop(session)
		if fresh || ctx.Err() != nil {
			return nil, err
		}
	}
}

func (s *server) pages(ctx context.Context, session *sdk.ClientSession) (all []*sdk.Tool, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	p := &sdk.ListToolsParams{}
	for range maxPages {
		r, err := session.ListTools(ctx, p)
		if err != nil {
			return nil, err
		}
		all = append(all, r.Tools...)
		if r.NextCursor == "" {
			break
		}
		p = &sdk.ListToolsParams{Cursor: r.NextCursor}
	}
	return all, nil
}

// offer makes tools of what a server has, ordered by name. Two that would have one
// name are both left out: which of them is meant nobody could say.
func (s *server) offer(found []*sdk.Tool) (l list) {
	slices.SortStableFunc(found, func(a, b *sdk.Tool) int { return strings.Compare(a.Name, b.Name) })
	count := map[string]int{}
	for _, t := range found {
		count[s.toolName(t.Name)]++
	}
	for _, t := range found {
		if !s.Allowed(t.Name) {
			continue
		}
		made, why := s.tool(t)
		switch {
		case count[s.toolName(t.Name)] > 1:
			why = "another tool of the server has the same name"
		case len(l.tools) == maxTools:
			why = "the server has too many tools"
		}
		if why == "" {
			l.tools = append(l.tools, made)
		} else if len(l.leftOut) < maxProblems {
			l.leftOut = append(l.leftOut, leftOut{text(t.Name, maxName), why})
		}
	}
	return l
}

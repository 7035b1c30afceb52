package mcp

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"windlass/functions/internal/tool"
)

//go:embed mcp_status.md
var statusText string

type statusArgs struct{}

type serverStatus struct {
	Server  string    `json:"server"`
	Tools   int       `json:"tools"`
	Problem string    `json:"problem,omitempty"`
	LeftOut []leftOut `json:"left_out,omitempty"`
}

// status is always there, so that a server that goes and comes does not change the
// list for its sake.
func (t *Tools) status() *tool.Tool {
	return tool.Define(tool.Tool{
		Name: "mcp_status", Description: statusText, Effect: tool.Read, Timeout: time.Minute,
	}, func(statusArgs) string { return "" }, func(context.Context, tool.Env, statusArgs) (tool.Result, error) {
		var all []serverStatus
		for _, s := range t.servers {
			all = append(all, s.status())
		}
		b, err := json.Marshal(map[string]any{"servers": all})
		return tool.Result{Output: string(b)}, err
	})
}

// status says what is known, and asks nobody.
func (s *server) status() serverStatus {
	s.listing.Lock()
	defer s.listing.Unlock()
	st := serverStatus{Server: s.Name, Tools: len(s.known.tools), LeftOut: s.known.leftOut}
	if f := s.known.failed; f != nil {
		st.Problem = f.Code + ": " + f.Message
	}
	return st
}

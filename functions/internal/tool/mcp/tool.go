package mcp

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

const (
	// maxName is what providers take of a tool's name, in bytes.
	maxName        = 64
	maxDescription = 2 << 10
)

var notInNames = regexp.MustCompile(`[^A-Za-z0-9_-]`)

// toolName is a name that every provider takes.
func (s *server) toolName(name string) string {
	return s.Name + "_" + notInNames.ReplaceAllString(name, "_")
}

// tool makes a tool of what a server says, or says why it cannot.
func (s *server) tool(t *sdk.Tool) (made *tool.Tool, why string) {
	name := s.toolName(t.Name)
	if t.Name == "" || len(name) > maxName {
		return nil, "its name is empty or too long"
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return nil, "its schema cannot be read"
	}
	effect := s.effect(t)
	target := ""
	if effect != tool.Read {
		target = "mcp:" + s.Name
	}
	made, err = outside.Define(tool.Tool{
		Name: name, Description: "From the MCP server " + s.Name + ", in its own words: " + text(t.Description, maxDescription),
		Effect: effect, Timeout: s.timeout,
	}, schema, target, func(ctx context.Context, _ tool.Env, arguments json.RawMessage) (tool.Result, error) {
		return s.call(ctx, t.Name, effect, arguments)
	})
	if err != nil {
		return nil, text(err.Error(), 200)
	}
	return made, ""
}

// effect is what is configured, or said by a server that is trusted, or once.
func (s *server) effect(t *sdk.Tool) tool.Effect {
	if e, ok := s.Effects[t.Name]; ok {
		return e
	}
	switch a := t.Annotations; {
	case a == nil || !s.TrustAnnotations:
		return tool.Once
	case a.ReadOnlyHint:
		return tool.Read
	case a.IdempotentHint:
		return tool.Idempotent
	}
	return tool.Once
}

// text is what a server wrote, bounded and without what could move a cursor.
func text(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "�"))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

// Limits of what the model is shown, in bytes.
const (
	maxShown   = 1 << 20
	maxMessage = 4 << 10
)

// result is what the model reads of an answer.
func result(h *heard, r *sdk.CallToolResult) (tool.Result, error) {
	if r.NeedsInput() {
		return tool.Result{}, outside.Failf("input_required", "the server wants to ask a person something before it goes on; that cannot be done here")
	}
	shown := h.hide(content(r))
	if r.IsError {
		return tool.Result{}, outside.Failf("tool_failed", "%s", cut(shown, maxMessage))
	}
	return tool.Result{Output: cut(shown, maxShown)}, nil
}

// content joins the texts. What is structured is shown as JSON, unless a text says
// the same.
func content(r *sdk.CallToolResult) string {
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, part(c))
	}
	if r.StructuredContent != nil {
		b, err := json.Marshal(r.StructuredContent)
		if err == nil && !says(parts, b) {
			parts = append(parts, string(b))
		}
	}
	return strings.Join(parts, "\n")
}

// says: one of the parts is the same JSON.
func says(parts []string, structured []byte) bool {
	for _, p := range parts {
		var v any
		if json.Unmarshal([]byte(p), &v) != nil {
			continue
		}
		if same, err := json.Marshal(v); err == nil && string(same) == string(structured) {
			return true
		}
	}
	return false
}

func part(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return strings.ToValidUTF8(c.Text, "�")
	case *sdk.ImageContent:
		return fmt.Sprintf("[an image, %s, %d bytes, not shown]", text(c.MIMEType, 100), len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[a sound, %s, %d bytes, not shown]", text(c.MIMEType, 100), len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[a resource: %s, %s]", text(c.URI, 1000), text(c.Name, 200))
	case *sdk.EmbeddedResource:
		return resource(c.Resource)
	}
	return "[something that cannot be shown]"
}

func resource(r *sdk.ResourceContents) string {
	switch {
	case r == nil:
		return "[an empty resource]"
	case r.Blob != nil:
		return fmt.Sprintf("[a resource: %s, %s, %d bytes, not shown]", text(r.URI, 1000), text(r.MIMEType, 100), len(r.Blob))
	}
	return fmt.Sprintf("[a resource: %s]\n%s", text(r.URI, 1000), strings.ToValidUTF8(r.Text, "�"))
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("\n[cut: %d bytes more are not shown]", len(s)-most)
}

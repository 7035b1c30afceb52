package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestWhatIsShownOfAResult(t *testing.T) {
	for _, c := range []struct {
		name string
		r    *sdk.CallToolResult
		want string
	}{
		{"nothing", &sdk.CallToolResult{}, ""},
		{"texts", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a"}, &sdk.TextContent{Text: "b\xff"}}}, "a\nb�"},
		{"structure that a text has", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: `{ "b":2, "a":1 }`}}, StructuredContent: map[string]any{"a": 1, "b": 2}}, `{ "b":2, "a":1 }`},
		{"structure that no text has", &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}, StructuredContent: map[string]any{"a": 1}}, "done\n{\"a\":1}"},
		{"what is no text", &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.ImageContent{MIMEType: "image/png", Data: []byte("1234")}, &sdk.AudioContent{MIMEType: "audio/wav", Data: []byte("1")},
			&sdk.ResourceLink{URI: "file:///a", Name: "a"}, &sdk.EmbeddedResource{},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "u", Text: "words"}}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "u", MIMEType: "m", Blob: []byte("12")}},
		}}, "[an image, image/png, 4 bytes, not shown]\n[a sound, audio/wav, 1 bytes, not shown]\n[a resource: file:///a, a]\n[an empty resource]\n[a resource: u]\nwords\n[a resource: u, m, 2 bytes, not shown]"},
	} {
		if got := content(c.r); got != c.want {
			t.Errorf("%s is shown as %q", c.name, got)
		}
	}
}

func TestALongResultIsCut(t *testing.T) {
	if got := cut(strings.Repeat("é", 10), 5); got != "éé\n[cut: 15 bytes more are not shown]" {
		t.Errorf("%q", got)
	}
	if got := cut("short", 5); got != "short" {
		t.Errorf("%q", got)
	}
}

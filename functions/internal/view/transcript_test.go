package view_test

import (
	"encoding/json"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/view"
)

// Clients read these names. What is a provider's alone never shows, and keeps its place.
func TestItemJSON(t *testing.T) {
	secret := event.Text("only its own model can read this")
	png := event.File{Path: "/a.png", Name: "a.png", Type: "image/png", Content: event.ByRef(event.Ref{SHA256: "00", Bytes: 20_000, Type: "image/png"})}
	call := &event.ToolCall{CallID: "c", Name: "n", Arguments: event.Text("{}")}
	const shownCall = `"call":{"index":0,"callId":"c","name":"n","arguments":"{}"}`
	for _, c := range []struct {
		item transcript.Item
		want string
	}{
		{transcript.Item{Kind: transcript.User, Text: event.Text("p")}, `{"n":7,"kind":"user","text":"p"}`},
		{transcript.Item{Kind: transcript.User, Text: event.Text("p"), Files: []event.File{png, {Name: "b", Type: "text/plain", Content: event.Text("what is in it")}}},
			`{"n":7,"kind":"user","text":"p","files":[{"name":"a.png","path":"/a.png","type":"image/png","bytes":20000,"ref":{"sha256":"00","bytes":20000,"type":"image/png"}},{"name":"b","type":"text/plain","bytes":13}]}`},
		{transcript.Item{Kind: transcript.Text, Text: event.Text("t"), Native: &secret, Origin: "x/y"}, `{"n":7,"kind":"text","text":"t"}`},
		{transcript.Item{Kind: transcript.Reasoning, Text: event.Text(""), Native: &secret}, `{"n":7,"kind":"reasoning","text":""}`},
		{transcript.Item{Kind: transcript.ToolCall, Call: call, Native: &secret}, `{"n":7,"kind":"tool_call",` + shownCall + `}`},
		{transcript.Item{Kind: transcript.ToolResult, Call: call, Output: event.Text("o")}, `{"n":7,"kind":"tool_result",` + shownCall + `,"output":"o"}`},
		{transcript.Item{Kind: transcript.ToolResult, Call: call, Error: &event.Error{Code: "c", Message: "m"}}, `{"n":7,"kind":"tool_result",` + shownCall + `,"error":{"code":"c","message":"m"}}`},
		{transcript.Item{Kind: transcript.File, Files: []event.File{png}}, `{"n":7,"kind":"file","files":[{"name":"a.png","path":"/a.png","type":"image/png","bytes":20000,"ref":{"sha256":"00","bytes":20000,"type":"image/png"}}]}`},
		{transcript.Item{Kind: transcript.Opaque, Native: &secret}, `{"n":7,"kind":"opaque"}`},
	} {
		v := view.ItemOf(7, c.item)
		b, err := json.Marshal(v)
		if err != nil || string(b) != c.want {
			t.Errorf("%s, %v\nwant %s", b, err, c.want)
		}
		if strings.Contains(string(b), secret.Inline()) || strings.Contains(string(b), "x/y") {
			t.Errorf("%s shows what is not for clients", b)
		}
		if v.Size() != len(b)+1 {
			t.Errorf("%s is said to take %d bytes", b, v.Size())
		}
	}
}

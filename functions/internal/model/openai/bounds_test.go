package openai

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/transcript"
)

func TestEverythingThatAnAnswerHoldsCounts(t *testing.T) {
	whole := strings.Repeat("a", maxAnswer)
	half := whole[:maxAnswer/2]
	message := func(s string) outputItem { return outputItem{Type: "message", Content: []contentPart{{Text: text(s)}}} }
	for name, c := range map[string]struct {
		fill func(*answer)
		more func(*answer)
	}{
		"text":            {func(a *answer) { a.say(0, whole) }, func(a *answer) { a.say(0, "b") }},
		"text that waits": {func(a *answer) { a.say(9, whole) }, func(a *answer) { a.say(8, "b") }},
		"reasoning":       {func(a *answer) { a.think(0, summary, 0, whole) }, func(a *answer) { a.think(0, summary, 0, "b") }},
		"a refusal":       {func(a *answer) { a.refuse(0, whole) }, func(a *answer) { a.refuse(0, "b") }},
		"arguments":       {func(a *answer) { a.argue(0, whole) }, func(a *answer) { a.argue(1, "b") }},
		"whole arguments": {func(a *answer) { a.argue(0, half); a.argued(0, whole) }, func(a *answer) { a.argued(0, whole+"b") }},
		"whole items":     {func(a *answer) { a.settle(0, message(half)); a.settle(1, message(half)) }, func(a *answer) { a.settle(2, message("b")) }},
		"all of it":       {func(a *answer) { a.say(0, half); a.argue(1, half) }, func(a *answer) { a.think(2, thought, 0, "b") }},
		"calls": {func(a *answer) {
			for i := range maxCalls {
				a.settle(i, outputItem{Type: "function_call"})
			}
		}, func(a *answer) {
			a.finish([]outputItem{{Type: "function_call"}}, false)
			a.settle(-1, outputItem{Type: "function_call"})
		}},
		"items": {func(a *answer) {
			for i := range maxItems {
				a.begin(i, outputItem{Type: "message"})
			}
		}, func(a *answer) { a.begin(maxItems, outputItem{}) }},
	} {
		var a answer
		if c.fill(&a); a.tooLarge() {
			t.Errorf("%s: is too large at its limit", name)
		}
		if c.more(&a); !a.tooLarge() {
			t.Errorf("%s: %d bytes, %d calls, %d items are not too large", name, a.bytes, a.calls, a.count)
		}
	}
}

// Whatever a model wrote and a tool gave, the request is JSON, and the arguments in
// it are the JSON of an object.
func FuzzRequest(f *testing.F) {
	f.Add("call_a", "f", `{"a":"\ud83d"}`, "out\x00", "")
	f.Add("", "a b", `{"{"a":`, "", "timeout")
	f.Fuzz(func(t *testing.T, id, name, arguments, output, failed string) {
		c := &event.ToolCall{CallID: id, Name: name, Arguments: event.Text(arguments)}
		result := transcript.Item{Kind: transcript.ToolResult, Call: c, Output: event.Text(output)}
		if failed != "" {
			result.Error = &event.Error{Code: failed, Message: output}
		}
		body, err := encode(t.Context(), model.Request{Items: []transcript.Item{{Kind: transcript.ToolCall, Call: c}, result}})
		if err != nil {
			t.Fatal(err)
		}
		var sent struct {
			Input []struct {
				Name, Arguments, Output string
				CallID                  string `json:"call_id"`
			}
		}
		if err := json.Unmarshal(body, &sent); err != nil || len(sent.Input) != 2 || sent.Input[0].CallID != sent.Input[1].CallID {
			t.Fatalf("%v: %s", err, body)
		}
		var object map[string]any
		if in := sent.Input[0]; json.Unmarshal([]byte(in.Arguments), &object) != nil || object == nil || in.Name == "" || in.CallID == "" || bytes.ContainsRune(body, 0) {
			t.Fatalf("%s", body)
		}
	})
}

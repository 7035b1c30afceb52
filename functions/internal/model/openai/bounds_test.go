package openai

import (
	"strings"
	"testing"

	"windlass/functions/internal/model/wire"
)

func TestEverythingThatAnAnswerHoldsCounts(t *testing.T) {
	whole := strings.Repeat("a", wire.MaxAnswer)
	half := whole[:wire.MaxAnswer/2]
	message := func(s string) outputItem {
		return outputItem{Type: "message", Content: []contentPart{{Text: wire.Text(s)}}}
	}
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
		"what is encrypted": {func(a *answer) {
			a.say(1, half)
			a.settle(0, outputItem{Type: "reasoning", Encrypted: wire.Text(half)})
		}, func(a *answer) { a.settle(2, outputItem{Type: "reasoning", Encrypted: "b"}) }},
		"a phase's text": {func(a *answer) {
			a.settle(0, outputItem{Type: "message", Phase: "commentary", Content: []contentPart{{Text: wire.Text(half)}}})
		}, func(a *answer) { a.say(1, "b") }},
		"pictures": {func(a *answer) { a.say(0, whole); a.settle(1, outputItem{Type: "image_generation_call"}) }, func(a *answer) { a.settle(2, outputItem{Type: "image_generation_call", Result: "YmM="}) }},
		"calls": {func(a *answer) {
			for i := range wire.MaxCalls {
				a.settle(i, outputItem{Type: "function_call"})
			}
		}, func(a *answer) {
			a.finish([]outputItem{{Type: "function_call"}}, false)
			a.settle(-1, outputItem{Type: "function_call"})
		}},
		"items": {func(a *answer) {
			for i := range wire.MaxItems {
				a.begin(i, outputItem{Type: "message"})
			}
		}, func(a *answer) { a.begin(wire.MaxItems, outputItem{}) }},
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

package chat

import (
	"encoding/json"
	"strings"
	"testing"

	"windlass/functions/internal/model/wire"
)

func TestEverythingThatAnAnswerHoldsCounts(t *testing.T) {
	whole := strings.Repeat("a", wire.MaxAnswer)
	half := whole[:wire.MaxAnswer/2]
	details := func(s string) said {
		return said{ReasoningDetails: list[json.RawMessage]{json.RawMessage(`{"data":"` + s[:len(s)-len(`{"data":""}`)] + `"}`)}}
	}
	call := func(f fragmentOf) said { return said{ToolCalls: list[fragment]{{Function: f}}} }
	for name, c := range map[string]struct{ fill, more func(*answer) }{
		"text":             {func(a *answer) { a.say(whole) }, func(a *answer) { a.say("b") }},
		"a refusal":        {func(a *answer) { a.refuse(whole) }, func(a *answer) { a.refuse("b") }},
		"reasoning":        {func(a *answer) { a.think(inField, whole) }, func(a *answer) { a.think(inField, "b") }},
		"reasoning, twice": {func(a *answer) { a.think(inField, half[:len(half)-len(`{"reasoning_content":""}`)]); a.say("b") }, func(a *answer) { a.say(strings.Repeat("b", 24)) }},
		"details":          {func(a *answer) { a.add(details(whole), false) }, func(a *answer) { a.say("b") }},
		"an image":         {func(a *answer) { a.say(whole[:len(whole)-3]); a.draw("data:image/png;base64,UE5H") }, func(a *answer) { a.draw("data:image/png;base64,UE5H") }},
		"arguments":        {func(a *answer) { a.add(call(fragmentOf{Arguments: wire.Text(whole)}), false) }, func(a *answer) { a.add(call(fragmentOf{Name: "f"}), false) }},
		"what a call is with": {func(a *answer) {
			a.add(said{ToolCalls: list[fragment]{{ID: "x", callNative: callNative{ExtraContent: json.RawMessage(whole[1:])}}}}, false)
		}, func(a *answer) { a.say("b") }},
		"calls": {func(a *answer) {
			for i := range wire.MaxCalls {
				index := wire.Count(i)
				a.add(said{ToolCalls: list[fragment]{{Index: &index}}}, false)
			}
		}, func(a *answer) { a.add(call(fragmentOf{Name: "f"}), false) }},
		"items": {func(a *answer) {
			for range wire.MaxItems {
				a.begin("")
			}
		}, func(a *answer) { a.begin(speech) }},
		"empty details": {func(a *answer) {
			for range wire.MaxItems {
				a.add(said{ReasoningDetails: list[json.RawMessage]{json.RawMessage(`{}`)}}, false)
			}
		}, func(a *answer) { a.begin(speech) }},
	} {
		var a answer
		if c.fill(&a); a.tooLarge() {
			t.Errorf("%s: is too large at its limit: %d bytes, %d calls, %d items", name, a.bytes+a.calls.bytes, len(a.calls.all), a.items)
		}
		if c.more(&a); !a.tooLarge() {
			t.Errorf("%s: %d bytes, %d calls, %d items are not too large", name, a.bytes+a.calls.bytes, len(a.calls.all), a.items)
		}
	}
}

func TestBracesKnowAnObjectsEnd(t *testing.T) {
	for s, want := range map[string]struct{ open, closed bool }{
		"":               {},
		"{":              {open: true},
		"{}":             {closed: true},
		` {"a":[1,{}]} `: {closed: true},
		`{"a":"}`:        {open: true},
		`{"a":"\"}`:      {open: true},
		`{"a":"\\"}`:     {closed: true},
		`}`:              {},
		`null`:           {},
		`"{}`:            {open: true},
	} {
		var whole, pieces braces
		whole.read(s)
		for _, b := range []byte(s) {
			pieces.read(string(b))
		}
		if whole.open() != want.open || whole.closed() != want.closed || whole != pieces {
			t.Errorf("%q: open %t, closed %t; %+v in pieces", s, whole.open(), whole.closed(), pieces)
		}
	}
}

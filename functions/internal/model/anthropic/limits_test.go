package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

func TestEverythingThatAnAnswerHoldsCounts(t *testing.T) {
	piece := strings.Repeat("a", 1<<20)
	half := wire.MaxAnswer / len(piece) / 2
	deltas := func(n int, d string) []string {
		var all []string
		for range n {
			all = append(all, fmt.Sprintf(d, piece))
		}
		return all
	}
	some := func(n int, one func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(one(i))
		}
		return b.String()
	}
	thoughts := deltas(half, `{"type":"thinking_delta","thinking":"%s"}`)
	for name, c := range map[string]struct {
		body string
		fits bool
	}{
		"16 MiB of text":            {block(0, `{"type":"text"}`, deltas(2*half, `{"type":"text_delta","text":"%s"}`)...), true},
		"17 MiB of text":            {block(0, `{"type":"text"}`, deltas(2*half+1, `{"type":"text_delta","text":"%s"}`)...), false},
		"8 MiB of thinking, signed": {block(0, `{"type":"thinking"}`, append(thoughts, `{"type":"signature_delta","signature":"s"}`)...), false},
		"8 MiB of thinking":         {block(0, `{"type":"thinking"}`, thoughts...), true},
		"17 MiB of signature":       {block(0, `{"type":"thinking"}`, deltas(2*half+1, `{"type":"signature_delta","signature":"%s"}`)...), false},
		"17 MiB of arguments":       {block(0, `{"type":"tool_use"}`, deltas(2*half+1, `{"type":"input_json_delta","partial_json":"%s"}`)...), false},
		"17 MiB of what is opaque":  {block(0, `{"type":"new"}`, deltas(2*half+1, `{"type":"new_delta","x":"%s"}`)...), false},
		"17 MiB of sources":         {block(0, `{"type":"text"}`, deltas(2*half+1, `{"type":"citations_delta","citation":"%s"}`)...), false},
		"16 MiB of redacted, twice": {some(2, func(i int) string {
			return block(i, `{"type":"redacted_thinking","data":"`+strings.Repeat(piece, half)+`"}`)
		}), false},
		"all calls":           {some(wire.MaxCalls, func(i int) string { return calls(i, "x", "f") }), true},
		"one more call":       {some(wire.MaxCalls+1, func(i int) string { return calls(i, "x", "f") }), false},
		"20,001 empty blocks": {some(wire.MaxItems+1, func(i int) string { return text(i) }), false},
		"33 MiB of event":     {stream(`{"type":"other","x":"` + strings.Repeat(piece, 33) + `"}`), false},
	} {
		_, err := ask(t, streams(stream(started)+c.body+ended("end_turn")))
		if c.fits {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if f := fault(t, err); f.Code != model.TooLarge || !f.Permanent {
			t.Errorf("%s: %+v", name, f)
		}
	}
	_, err := ask(t, &canned{kind: "application/json", body: strings.Repeat(" ", 2*wire.MaxAnswer) + `{}`})
	if f := fault(t, err); f.Code != model.TooLarge {
		t.Errorf("an answer in one piece: %+v", f)
	}
}

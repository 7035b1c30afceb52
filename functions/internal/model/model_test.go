package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// stream yields parts, then err if there is one.
type stream struct {
	parts []model.Part
	err   error
}

func (stream) Rules() projection.Rules { return projection.Rules{} }

func (s stream) Stream(context.Context, model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		for _, p := range s.parts {
			if !yield(p, nil) {
				return
			}
		}
		if s.err != nil {
			yield(model.Part{}, s.err)
		}
	}
}

// show writes items in one line each.
func show(items []event.ModelItem) (lines []string) {
	for _, it := range items {
		line := it.Kind
		switch {
		case it.Call != nil:
			line += fmt.Sprintf(" %d %s %s(%s)", it.Call.Index, it.Call.CallID, it.Call.Name, it.Call.Arguments.Inline())
		case it.File != nil:
			line += " " + it.File.Type + " " + it.File.Content.Inline()
		case it.Text != nil:
			line += " " + it.Text.Inline()
		}
		if it.Native != nil {
			line += " [" + it.Native.Inline() + "]"
		}
		lines = append(lines, line)
	}
	return lines
}

func call(id, name, arguments string) model.Part {
	return model.Part{Call: &model.Call{ID: id, Name: name, Arguments: arguments}}
}

var stop = model.Part{Stop: model.StopEnd, Usage: event.Tokens{InputTokens: 3, OutputTokens: 2}}

func TestAskJoinsDeltasAndNumbersCalls(t *testing.T) {
	for name, c := range map[string]struct {
		parts []model.Part
		want  []string
	}{
		"nothing":               {[]model.Part{stop}, nil},
		"text":                  {[]model.Part{{Text: "a"}, {Text: "b"}, {Text: "c"}, stop}, []string{"text abc"}},
		"half a rune":           {[]model.Part{{Text: "\xf0\x9f"}, {Text: "\xa6\x80"}, stop}, []string{"text 🦀"}},
		"empty deltas":          {[]model.Part{{Text: "a"}, {}, {Text: "b"}, stop}, []string{"text ab"}},
		"kinds in turns":        {[]model.Part{{Reasoning: "r"}, {Reasoning: "s"}, {Text: "a"}, {Reasoning: "t"}, {Text: "b"}, stop}, []string{"reasoning rs", "text a", "reasoning t", "text b"}},
		"a call between":        {[]model.Part{{Text: "a"}, call("x", "f", "{}"), {Text: "b"}, stop}, []string{"text a", "tool_call 0 x f({})", "text b"}},
		"repeated ids":          {[]model.Part{call("x", "f", "1"), call("x", "f", "2"), call("x", "g", "{\"{"), stop}, []string{"tool_call 0 x f(1)", "tool_call 1 x f(2)", `tool_call 2 x g({"{)`}},
		"opaque material":       {[]model.Part{{Reasoning: "r"}, {Native: "sig"}, {Reasoning: "s"}, {Native: "gis"}, {Native: "red"}, {Text: "a"}, stop}, []string{"reasoning r [sig]", "reasoning s [gis]", "opaque [red]", "text a"}},
		"a call's own":          {[]model.Part{{Call: &model.Call{ID: "x", Name: "f", Arguments: "{}", Native: "thought"}}, {Native: "n"}, stop}, []string{"tool_call 0 x f({}) [thought]", "opaque [n]"}},
		"a file":                {[]model.Part{{Text: "look: "}, {File: &model.File{Type: "image/png", Data: "png"}}, {Text: "so"}, stop}, []string{"text look: ", "file image/png png", "text so"}},
		"text in the last part": {[]model.Part{{Text: "a"}, {Text: "b", Stop: model.StopEnd}}, []string{"text ab"}},
		"parts behind the last": {[]model.Part{{Text: "a"}, stop, {Text: "b"}}, []string{"text a"}},
	} {
		var seen []model.Part
		a, partial, err := model.Ask(t.Context(), stream{c.parts, errors.New("asked for more than the last part")}, model.Request{}, func(p model.Part) { seen = append(seen, p) })
		items := a.Items
		if d := cmp.Diff(c.want, show(items)); d != "" || err != nil {
			t.Errorf("%s: %v, items (-want +got):\n%s", name, err, d)
		}
		if items == nil {
			t.Errorf("%s: items is nil; the log's JSON has an array", name)
		}
		if a.Stop != model.StopEnd || name == "text" && a.Usage != stop.Usage || partial != "" {
			t.Errorf("%s: ended with %+v, %q", name, a, partial)
		}
		if name != "parts behind the last" && len(seen) != len(c.parts) {
			t.Errorf("%s: %d of %d pieces were shown", name, len(seen), len(c.parts))
		}
	}
}

func TestAskGivesAFaultWhateverHappened(t *testing.T) {
	overloaded := &model.Fault{Code: "overloaded", Message: "come back", RetryAfter: 90 * time.Second}
	for name, c := range map[string]struct {
		stream stream
		want   model.Fault
	}{
		"the provider's own":       {stream{nil, overloaded}, *overloaded},
		"one that is wrapped":      {stream{nil, fmt.Errorf("http: %w", overloaded)}, *overloaded},
		"after text":               {stream{[]model.Part{{Text: "half an ans"}}, overloaded}, *overloaded},
		"a permanent one":          {stream{nil, &model.Fault{Code: "model_error", Permanent: true}}, model.Fault{Code: "model_error", Permanent: true}},
		"any error":                {stream{[]model.Part{{Text: "a"}}, errors.New("secret cause")}, model.Fault{Code: "unavailable", Message: "the model could not be reached"}},
		"a stream that breaks off": {stream{[]model.Part{{Text: "a"}, call("x", "f", "{}")}, nil}, model.Fault{Code: "unavailable", Message: "the model's answer broke off"}},
		"an empty stream":          {stream{}, model.Fault{Code: "unavailable", Message: "the model's answer broke off"}},
	} {
		a, partial, err := model.Ask(t.Context(), c.stream, model.Request{}, nil)
		var f *model.Fault
		if !errors.As(err, &f) || *f != c.want || a.Items != nil || a.Stop != "" {
			t.Errorf("%s: %+v, %#v; want %+v alone", name, a, err, c.want)
		}
		said := ""
		for _, p := range c.stream.parts {
			said += p.Text
		}
		if partial != said {
			t.Errorf("%s: %q was said, and %q is known of it", name, said, partial)
		}
		if err != nil && strings.Contains(err.Error(), "secret cause") {
			t.Errorf("%s: a cause shows in %q", name, err)
		}
	}
}

// slow answers when its context ends: with an error, or by just stopping.
type slow struct{ silent bool }

func (slow) Rules() projection.Rules { return projection.Rules{} }

func (s slow) Stream(ctx context.Context, _ model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if !yield(model.Part{Text: "a"}, nil) {
			return
		}
		if <-ctx.Done(); !s.silent {
			yield(model.Part{}, fmt.Errorf("read: %w", ctx.Err()))
		}
	}
}

func TestAnAnswerThatTakesTooLongIsATimeout(t *testing.T) {
	for _, silent := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, _, err := model.Ask(ctx, slow{silent}, model.Request{}, nil)
			var f *model.Fault
			if !errors.As(err, &f) || f.Code != "timeout" || f.Permanent {
				t.Errorf("silent %t: %v, want a timeout that may be tried again", silent, err)
			}
		})
	}
}

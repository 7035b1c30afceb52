package wsapi_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/preview"
	"windlass/functions/internal/turn"
)

// previews are the rows of one session.
type previews struct {
	row   preview.Row
	found bool
	err   error
	reads int
}

func (p *previews) Row(_ context.Context, s eventstore.Stream) (preview.Row, bool, error) {
	p.reads++
	return p.row, p.found && s == (eventstore.Stream{Tenant: "acme", Session: "s"}), p.err
}

// previewing is a world whose session s has a head in a phase of round 3 of a, and
// connection c.
func previewing(t *testing.T, phase string) (*world, *previews) {
	t.Helper()
	w := newWorld(t)
	w.submit("acme", "s", "a")
	stream := eventstore.Stream{Tenant: "acme", Session: "s"}
	head, at, err := w.journal.Head(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err != nil {
		t.Fatal(err)
	}
	sum.Head.Round, sum.Head.Phase = 3, phase
	_, _, err = w.journal.Append(t.Context(), at, eventstore.Draft{Summary: sum.Encode(), Events: []event.Event{{At: event.At(now), Operation: "a", Round: 3, Data: event.ModelStarted{Attempt: 1}}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &previews{found: true, row: preview.Row{
		Step: preview.Step{Operation: "a", Round: 3, Attempt: 1, Run: 2},
		Text: preview.Piece{From: 5, Text: "so far"}, Reasoning: preview.Piece{Text: strings.Repeat("r", 50<<10)},
	}}
	w.api.Previews, w.api.Log = p, w.journal
	w.open("c", acme)
	return w, p
}

const subscribing = `{"v":1,"type":"subscribe","session":"s","after":0}`

func types(t *testing.T, frames []string) (all []string) {
	t.Helper()
	for _, f := range read(t, frames) {
		all = append(all, f.Type)
	}
	return all
}

// Who comes in the middle of an answer is told what was said: after the backlog, in
// which the call stands that it is of.
func TestWhoSubscribesIsToldWhatWasSaidSoFar(t *testing.T) {
	w, _ := previewing(t, "model")
	got := w.say("c", subscribing)
	all := types(t, got)
	if !slices.Equal(all, []string{"events", "caught_up", "preview", "preview", "preview", "preview"}) {
		t.Fatalf("%v", all)
	}
	const want = `{"v":1,"type":"preview","session":"s","operationId":"a","round":3,"attempt":1,"run":2,"kind":"text","offset":5,"text":"so far"}`
	if last := got[len(got)-1]; last != want {
		t.Errorf("%s\nwant %s", last, want)
	}
	if mine := types(t, w.say("c", strings.Replace(subscribing, "}", `,"operationId":"a"}`, 1))); !slices.Equal(mine[len(mine)-5:], all[1:]) {
		t.Errorf("who follows this operation alone is sent %v", mine)
	}
}

func TestOnlyTheAnswerThatRunsIsShown(t *testing.T) {
	for name, change := range map[string]func(*world, *previews){
		"another round's":      func(_ *world, p *previews) { p.row.Round = 2 },
		"another operation's":  func(_ *world, p *previews) { p.row.Operation = "b" },
		"none":                 func(_ *world, p *previews) { p.found = false },
		"out of reach":         func(_ *world, p *previews) { p.err = errors.New("no answer") },
		"where none are shown": func(w *world, _ *previews) { w.api.Previews = nil },
	} {
		w, p := previewing(t, "model")
		change(w, p)
		if all := types(t, w.say("c", subscribing)); !slices.Equal(all, []string{"events", "caught_up"}) {
			t.Errorf("%s: %v", name, all)
		}
	}
	for _, phase := range []string{"queued", "tools", "retry", "waiting"} {
		w, p := previewing(t, phase)
		if all := types(t, w.say("c", subscribing)); !slices.Equal(all, []string{"events", "caught_up"}) || p.reads > 0 {
			t.Errorf("in phase %s: %v, %d reads", phase, all, p.reads)
		}
	}
	w, _ := previewing(t, "model")
	w.submit("acme", "s", "b")
	if all := types(t, w.say("c", strings.Replace(subscribing, "}", `,"operationId":"b"}`, 1))); slices.Contains(all, "preview") {
		t.Errorf("who follows another operation is sent %v", all)
	}
}

// A commit that does not move the head leaves the answer where it is.
func TestAQueuedPromptHidesNoAnswer(t *testing.T) {
	w, _ := previewing(t, "model")
	w.submit("acme", "s", "b")
	if all := types(t, w.say("c", subscribing)); !slices.Contains(all, "preview") {
		t.Errorf("%v", all)
	}
}

func TestAConnectionThatGoesDuringAPreviewIsForgotten(t *testing.T) {
	w, _ := previewing(t, "model")
	w.refuse = func(_, frame string) error {
		if strings.Contains(frame, `"preview"`) {
			return connection.ErrGone
		}
		return nil
	}
	w.say("c", subscribing)
	if len(w.rows) != 0 {
		t.Errorf("%v", w.rows)
	}
}

package session_test

import (
	"fmt"
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

func (w *world) cancel(id string) string {
	w.t.Helper()
	o, err := w.Cancel(w.t.Context(), stream, id)
	if err != nil {
		w.t.Fatal(err)
	}
	if o.CancelRequested {
		return o.Status + ", requested"
	}
	return o.Status
}

// types are the events' types, from a seq on.
func (w *world) types(from int) (all []string) {
	for _, e := range w.events()[from-1:] {
		all = append(all, e.Data.EventType())
	}
	return all
}

func TestCancelAtEveryState(t *testing.T) {
	for name, c := range map[string]struct {
		before func(*world)
		status string
		added  string
	}{
		"queued":      {func(w *world) { w.submit("first", "p") }, "cancelled", "[operation.cancel_requested operation.cancelled]"},
		"not started": {func(*world) {}, "cancelled", "[operation.cancel_requested operation.cancelled]"},
		"model asked": {func(w *world) { w.start() }, "running, requested", "[operation.cancel_requested]"},
		"between":     {func(w *world) { w.start(); w.append(event.ModelFailed{Attempt: 1, RetryAt: &event.Time{}}) }, "cancelled", "[operation.cancel_requested operation.cancelled]"},
		"call open": {func(w *world) {
			w.start()
			w.append(asks("x")...)
			w.append(event.ToolStarted{Index: 0, Effect: "read"})
		}, "running, requested", "[operation.cancel_requested]"},
		"call answered": {func(w *world) { w.start(); w.append(asks("x")...) }, "cancelled", "[operation.cancel_requested tool.failed operation.cancelled]"},
		"settled":       {func(w *world) { w.start(); w.complete("done") }, "completed", "[]"},
	} {
		w := newWorld(t)
		if name == "queued" {
			c.before(w)
			w.submit("a", "p")
		} else {
			w.submit("a", "p")
			c.before(w)
		}
		last := len(w.events())
		for range 2 { // again is as once
			if got := w.cancel("a"); got != c.status {
				t.Errorf("%s: %s, want %s", name, got, c.status)
			}
			if got := fmt.Sprint(w.types(last + 1)); got != c.added {
				t.Errorf("%s: appended %s, want %s", name, got, c.added)
			}
		}
		if w.turns.woken == 0 {
			t.Errorf("%s: nobody was woken", name)
		}
	}
}

// asks is an answer that asks for calls.
func asks(names ...string) []event.Payload {
	c := event.ModelCompleted{Attempt: 1, Stop: "tools"}
	for i, n := range names {
		c.Items = append(c.Items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, Name: n, Arguments: event.Text("{}")}})
	}
	return []event.Payload{c}
}

// A cancel may overtake the submission that it is meant for.
func TestAnIDThatIsNotThereYetIsClaimedAsCancelled(t *testing.T) {
	for _, opened := range []bool{false, true} {
		w := newWorld(t)
		if opened {
			w.submit("other", "p")
		}
		for range 2 {
			if got := w.cancel("late"); got != "cancelled" {
				t.Errorf("%s", got)
			}
		}
		r := w.submit("late", "p")
		if r.Accepted || r.Status != "cancelled" || r.OperationID != "late" {
			t.Errorf("%+v", r)
		}
		if got := w.accepted(); len(got) > 1 || len(got) == 1 && got[0] != "other" {
			t.Errorf("accepted %v", got)
		}
		state := turn.Fold(w.events())
		if state.Find("late") != nil || (state.Head() != nil) != opened {
			t.Errorf("%+v", state)
		}
	}
}

func TestTheNextOperationIsAtTheHeadAfterACancel(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.submit("b", "p")
	w.cancel("a")
	if op := turn.Fold(w.events()).Head(); op == nil || op.ID != "b" {
		t.Errorf("%+v", op)
	}
	o, err := w.Operation(t.Context(), stream, "a")
	if err != nil || o.Status != "cancelled" || o.SettledAt == nil || !o.Settled() {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestBadIDsCannotBeCancelled(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ session, id string }{{"s", "#"}, {"a/b", "x"}, {"s", ""}} {
		if _, err := w.Cancel(t.Context(), eventstore.Stream{Tenant: "acme", Session: c.session}, c.id); fault.Of(err).Code != fault.InvalidRequest {
			t.Errorf("%+v: %v", c, err)
		}
	}
	w.submit("a", "p")
	w.start()
	if _, err := w.Steer(t.Context(), stream, "a", session.Message{Text: "more", ID: "m"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Cancel(t.Context(), stream, "m"); fault.Of(err).Code != fault.NotFound {
		t.Errorf("a message: %v", err)
	}
}

package session_test

import (
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

func (w *world) steer(operation, id, text string) session.Receipt {
	w.t.Helper()
	r, err := w.Steer(w.t.Context(), stream, operation, session.Message{Text: text, ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func TestAMessageJoinsTheTurnThatRuns(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.start()
	first := w.steer("a", "m", "more")
	if !first.Accepted || !first.Steered || first.OperationID != "a" || first.Status != "running" || first.After != 4 {
		t.Errorf("%+v", first)
	}
	again := w.steer("a", "m", "more")
	if again.Accepted || !again.Steered || again.OperationID != "a" || again.After != first.After {
		t.Errorf("sent again: %+v", again)
	}
	if _, err := w.Steer(t.Context(), stream, "a", session.Message{Text: "something else", ID: "m"}); fault.Of(err).Code != fault.OperationMismatch {
		t.Errorf("another text under the same id: %v", err)
	}
	if op := turn.Fold(w.events()).Head(); op.Steered != 1 {
		t.Errorf("%d messages wait", op.Steered)
	}
}

// Too late is not lost: it becomes an operation of its own, once.
func TestAMessageThatComesTooLateIsTheNextOperation(t *testing.T) {
	for name, settle := range map[string]func(*world){
		"settled":           func(w *world) { w.start(); w.complete("done") },
		"in its last round": func(w *world) { w.start(); w.round = 128; w.append(event.ModelStarted{Attempt: 1}) },
		"being cancelled":   func(w *world) { w.start(); w.cancel("a") },
	} {
		w := newWorld(t)
		w.submit("a", "p")
		settle(w)
		for i := range 2 {
			r := w.steer("a", "m", "more")
			if r.Steered || r.OperationID != "m" || r.Accepted != (i == 0) {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if got := w.accepted(); len(got) != 2 || got[1] != "m" {
			t.Errorf("%s: accepted %v", name, got)
		}
	}
}

func TestAMessageToNothingIsNotFound(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	for id, text := range map[string]string{"none": "more", "a": " "} {
		_, err := w.Steer(t.Context(), stream, id, session.Message{Text: text})
		want := fault.NotFound
		if id == "a" {
			want = fault.EmptyPrompt
		}
		if fault.Of(err).Code != want {
			t.Errorf("%s %q: %v", id, text, err)
		}
	}
}

func TestWhatBecomesOfAPromptWhileOthersRun(t *testing.T) {
	submit := func(w *world, id, policy string) (session.Receipt, error) {
		return w.Submit(t.Context(), stream, session.Submission{OperationID: id, Prompt: "more", IfBusy: policy})
	}
	t.Run("idle", func(t *testing.T) {
		for _, policy := range []string{"", "enqueue", "reject", "interrupt", "steer"} {
			w := newWorld(t)
			if r, err := submit(w, "a", policy); err != nil || !r.Accepted || r.Steered || r.OperationID != "a" {
				t.Errorf("%q: %+v, %v", policy, r, err)
			}
		}
	})
	t.Run("reject", func(t *testing.T) {
		w := newWorld(t)
		w.submit("a", "p")
		if _, err := submit(w, "b", "reject"); fault.Of(err).Code != fault.SessionBusy {
			t.Errorf("%v", err)
		}
		if r, err := submit(w, "b", "enqueue"); err != nil || !r.Accepted {
			t.Errorf("the id is free: %+v, %v", r, err)
		}
		if r, err := submit(w, "b", "reject"); err != nil || r.Accepted {
			t.Errorf("what was accepted stays so: %+v, %v", r, err)
		}
	})
	t.Run("interrupt", func(t *testing.T) {
		w := newWorld(t)
		w.submit("a", "p")
		w.start()
		w.submit("b", "p")
		for i := range 2 {
			if r, err := submit(w, "c", "interrupt"); err != nil || r.Accepted != (i == 0) || r.OperationID != "c" {
				t.Errorf("%+v, %v", r, err)
			}
		}
		state := turn.Fold(w.events())
		if len(state.Queue) != 2 || !state.Head().CancelRequested || state.Queue[1].ID != "c" {
			t.Errorf("%+v", state.Queue)
		}
	})
	t.Run("interrupt many", func(t *testing.T) {
		w := newWorld(t)
		for i := range 130 {
			w.submit(string(rune('a'+i%26))+string(rune('a'+i/26)), "p")
		}
		if r, err := submit(w, "last", "interrupt"); err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
		if q := turn.Fold(w.events()).Queue; len(q) != 1 || q[0].ID != "last" {
			t.Errorf("%d are left", len(q))
		}
	})
	t.Run("steer", func(t *testing.T) {
		w := newWorld(t)
		w.submit("a", "p")
		w.start()
		for i := range 2 {
			if r, err := submit(w, "b", "steer"); err != nil || !r.Steered || r.OperationID != "a" || r.Accepted != (i == 0) {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
	t.Run("nonsense", func(t *testing.T) {
		if _, err := submit(newWorld(t), "a", "later"); fault.Of(err).Code != fault.InvalidRequest {
			t.Errorf("%v", err)
		}
	})
}

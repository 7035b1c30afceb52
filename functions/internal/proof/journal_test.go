package proof

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/turn"
)

// The log that a search builds is the one that a Journal keeps: the same appends at
// real positions give the same seqs, events and fold, and one that comes second at its
// place is refused.
func TestTheLogIsAsAJournalKeepsIt(t *testing.T) {
	for _, name := range []string{"steps", "steer", "queue", "roll", "nodisp"} {
		s := named(t, name)
		x, r := s.search()
		if r.broken != "" {
			t.Fatalf("%s: %s", name, r.broken)
		}
		last := x.walk(x.script(int32(len(x.nodes)-1)), func(string, *world, *world) {}) // the deepest
		sameInJournal(t, last)
	}
}

func sameInJournal(t *testing.T, w *world) {
	t.Helper()
	j := eventstore.New(memory.New())
	_, at, err := j.Head(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range w.log.since(nil) {
		d := eventstore.Draft{By: c.by, Wake: c.wake, Events: c.events, Summary: c.summary}
		got, next, err := j.Append(t.Context(), at, d)
		if err != nil || got.First != c.first || next.Seq() != c.last {
			t.Fatalf("seqs %d to %d, %v, want %d to %d", got.First, next.Seq(), err, c.first, c.last)
		}
		var lost *eventstore.Conflict
		if _, _, err := j.Append(t.Context(), at, d); !errors.As(err, &lost) {
			t.Errorf("a second append at seq %d: %v, want a conflict", c.first, err)
		}
		at = next
	}
	var events []event.Event
	for c, err := range j.Read(t.Context(), stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, c.Events...)
	}
	if d := cmp.Diff(texts(w.log.all()), texts(events)); d != "" {
		t.Errorf("events (-search +journal):\n%s", d)
	}
	if d := cmp.Diff(string(shown(w.state)), string(shown(turn.Fold(events)))); d != "" {
		t.Errorf("fold (-search +journal):\n%s", d)
	}
}

func texts(events []event.Event) (all []string) {
	for _, e := range events {
		all = append(all, e.By+" "+describe(e))
	}
	return all
}

package delegation_test

import (
	"testing"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
)

func (w *world) delete(s eventstore.Stream) {
	w.t.Helper()
	if err := w.service.Delete(w.t.Context(), s); err != nil {
		w.t.Fatal(err)
	}
}

// erase is what is left for whoever comes late.
func (w *world) erase(s eventstore.Stream) {
	w.t.Helper()
	if _, err := w.Journal.Erase(w.t.Context(), s, time.Now().Add(time.Hour), 1000); err != nil {
		w.t.Fatal(err)
	}
}

// heed hears of all commits of a session, as dispatch does; each twice.
func (w *world) heed(records []eventstore.Record) {
	w.t.Helper()
	for range 2 {
		for _, r := range records {
			if err := w.Heed(w.t.Context(), r); err != nil {
				w.t.Fatal(err)
			}
		}
	}
}

func TestTheChildrenOfADeletedParentAreCancelled(t *testing.T) {
	for _, swept := range []bool{false, true} {
		w := newWorld(t)
		w.hand("worker")
		w.delete(parent)
		records, types := w.log(parent)
		if types["child.abandoned"] != 1 || types["operation.cancelled"] != 1 || types["session.deleted"] != 1 {
			t.Fatalf("%v", types)
		}
		if swept { // dispatch is late; what it hears of came with the stream
			w.erase(parent)
		}
		w.heed(records[len(records)-1:])
		records, types = w.log(child)
		if types["operation.cancelled"] != 1 {
			t.Errorf("the child's log: %v", types)
		}
		w.heed(records) // the parent cannot be told any more
		if _, types := w.log(parent); types["child.settled"] != 0 {
			t.Errorf("the parent's log: %v", types)
		}
	}
}

func TestTheParentOfADeletedChildIsTold(t *testing.T) {
	for _, swept := range []bool{false, true} {
		w := newWorld(t)
		w.hand("worker")
		w.delete(child)
		records, _ := w.log(child)
		if swept {
			w.erase(child)
		}
		w.heed(records)
		w.hand("worker") // a driver that goes on does it again
		report := w.end()
		if _, types := w.log(parent); types["child.settled"] != 1 || report == nil || report.Status != "cancelled" || report.Error.Code != "session_deleted" || w.woken == 0 {
			t.Errorf("swept %t: %v, %+v", swept, types, report)
		}
	}
}

func TestParentAndChildMayBothBeDeleted(t *testing.T) {
	for _, first := range []eventstore.Stream{parent, child} {
		w := newWorld(t)
		w.hand("worker")
		second := parent
		if first == parent {
			second = child
		}
		before, _ := w.log(first)
		w.delete(first)
		w.delete(second)
		all, _ := w.log(first)
		w.erase(second)
		w.heed(all[len(before):])
		for _, s := range []eventstore.Stream{parent, child} {
			if _, at, err := w.Journal.Head(t.Context(), s); err != nil || !at.Closed() {
				t.Errorf("%s goes on: %v", s, err)
			}
		}
	}
}

// What a child left that had ended cannot be kept by a parent that is gone.
func TestALargeAnswerForADeletedParentIsDropped(t *testing.T) {
	w := newWorld(t)
	w.hand("worker")
	s, err := fold.Open(t.Context(), w.Journal, child)
	if err != nil {
		t.Fatal(err)
	}
	output, err := w.Journal.Keep(t.Context(), child, string(make([]byte, 2*event.MaxInline)), "text/plain")
	if err != nil {
		t.Fatal(err)
	}
	d := index.Draft(child, &s.State, "", []event.Event{{At: event.At(time.Now()), Operation: named.Operation, Data: event.OperationCompleted{Output: output}}})
	if _, _, err := w.Journal.Append(t.Context(), s.At, d); err != nil {
		t.Fatal(err)
	}
	records, _ := w.log(child)
	w.delete(parent)
	w.heed(records)
}

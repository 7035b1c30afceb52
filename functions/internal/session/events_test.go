package session_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// pages reads page after page, as a client does, and checks each.
func (w *world) pages(q session.EventQuery) (all []event.Stored, pages int) {
	w.t.Helper()
	for {
		p, err := w.Events(w.t.Context(), stream, q)
		if err != nil {
			w.t.Fatal(err)
		}
		if pages++; len(p.Events) > q.Limit || p.Next != 0 && p.Next <= q.After || pages > 10_000 {
			w.t.Fatalf("page %d behind %d: %d events, next %d", pages, q.After, len(p.Events), p.Next)
		}
		all = append(all, p.Events...)
		if p.Next == 0 {
			return all, pages
		}
		q.After = p.Next
	}
}

// talk fills a session with three operations in commits of several sizes.
func talk(w *world) {
	for _, id := range []string{"a", "b", "c"} {
		w.submit(id, "p")
	}
	for range 3 {
		w.start()
		for i := range 7 {
			var some []event.Payload
			for range i + 1 {
				some = append(some, event.ModelFailed{Attempt: 1})
			}
			w.append(some...)
		}
		w.complete("done")
	}
}

func TestPagesOfAnyLimitAreTheWholeLogInOrder(t *testing.T) {
	w := newWorld(t)
	talk(w)
	last := uint64(len(w.events()))
	for _, limit := range []int{1, 3, 50, 1000} {
		for after := uint64(0); after < last+3; after += 4 { // inside commits, at their ends, beyond the last
			all, pages := w.pages(session.EventQuery{After: after, Limit: limit})
			if want := max(last, after) - after; uint64(len(all)) != want {
				t.Fatalf("limit %d behind %d: %d events, want %d", limit, after, len(all), want)
			}
			for i, e := range all {
				if e.Seq != after+uint64(i)+1 {
					t.Fatalf("limit %d behind %d: event %d has seq %d", limit, after, i, e.Seq)
				}
			}
			if want := max(1, (len(all)+limit-1)/limit); pages != want {
				t.Errorf("limit %d behind %d: %d pages, want %d: the last one has no next", limit, after, pages, want)
			}
		}
	}
}

func TestPagesOfOneOperationLeaveOutAllOthers(t *testing.T) {
	w := newWorld(t)
	talk(w)
	for _, id := range []string{"a", "b", "c"} {
		var want []uint64
		for _, e := range w.events() {
			if e.Operation == id {
				want = append(want, e.Seq)
			}
		}
		for _, limit := range []int{1, 4, 1000} {
			all, _ := w.pages(session.EventQuery{Limit: limit, Operation: id})
			var got []uint64
			for _, e := range all {
				got = append(got, e.Seq)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("operation %s, limit %d: seqs %v, want %v", id, limit, got, want)
			}
		}
		if all, _ := w.pages(session.EventQuery{Limit: 10, Operation: id, After: want[4]}); all[0].Seq != want[5] {
			t.Errorf("operation %s behind %d: begins at %d, want %d", id, want[4], all[0].Seq, want[5])
		}
	}
}

func TestAPageEndsAtAMebibyte(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.start()
	big := event.ModelFailed{Error: event.Error{Message: strings.Repeat("m", 100<<10)}}
	for range 10 {
		w.append(big, big, big)
	}
	all, pages := w.pages(session.EventQuery{Limit: 1000})
	if len(all) != 34 || pages < 3 || pages > 5 {
		t.Errorf("%d events in %d pages, want 34 of 3 MB in about three", len(all), pages)
	}
	for after := uint64(0); ; {
		p, err := w.Events(t.Context(), stream, session.EventQuery{After: after, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, e := range p.Events {
			b, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			size += len(b)
		}
		if size > 1<<20+32<<10 {
			t.Errorf("the page behind %d holds %d bytes", after, size)
		}
		if after = p.Next; after == 0 {
			return
		}
	}
}

// A client that reads page after page must come to an end while a turn runs.
func TestAPageEndsWhereTheSessionDidWhenItWasAskedFor(t *testing.T) {
	d := memory.New()
	rival := over(t, d)
	rival.submit("a", "p")
	w := over(t, flaky.New(d, flaky.Script{{When: func(c flaky.Call) bool {
		if c.Op == flaky.Records && c.Nth == 2 { // the head has been read, the log not yet
			rival.start()
			rival.submit("b", "p")
		}
		return false
	}, Do: flaky.Pass}}))
	p, err := w.Events(t.Context(), stream, session.EventQuery{Limit: 1000})
	if err != nil || len(p.Events) != 2 || p.LastSeq != 2 || p.Next != 0 {
		t.Errorf("%d events, last %d, next %d, %v; want the two that stood there", len(p.Events), p.LastSeq, p.Next, err)
	}
}

func TestWhatNobodyHasIsNotFound(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	for name, c := range map[string]struct {
		stream    eventstore.Stream
		operation string
	}{
		"an unknown session":           {eventstore.Stream{Tenant: "acme", Session: "t"}, ""},
		"an unknown operation":         {stream, "b"},
		"an id that cannot be":         {eventstore.Stream{Tenant: "acme", Session: "s#commit"}, ""},
		"an operation that cannot be":  {stream, "a/../b"},
		"the other tenant's session":   {eventstore.Stream{Tenant: "beta", Session: "s"}, ""},
		"the other tenant's operation": {eventstore.Stream{Tenant: "beta", Session: "s"}, "a"},
	} {
		_, events := w.Events(t.Context(), c.stream, session.EventQuery{Limit: 1, Operation: c.operation})
		_, operation := w.Operation(t.Context(), c.stream, c.operation)
		_, settled := w.Settled(t.Context(), c.stream, c.operation, 0)
		for what, err := range map[string]error{"events": events, "operation": operation, "settled": settled} {
			if err == nil || fault.Of(err).Code != fault.NotFound {
				t.Errorf("%s, %s: %v, want %s", name, what, err, fault.NotFound)
			}
		}
	}
}

// What stands in another tenant's log changes nothing: not even the message.
func TestAnotherTenantsSessionLooksLikeNone(t *testing.T) {
	mine, nobody := newWorld(t), newWorld(t)
	mine.submit("a", "p")
	other := eventstore.Stream{Tenant: "beta", Session: "s"}
	for _, q := range []session.EventQuery{{Limit: 1}, {Limit: 1, Operation: "a"}} {
		_, a := mine.Events(t.Context(), other, q)
		_, b := nobody.Events(t.Context(), other, q)
		if a == nil || b == nil || fault.Of(a).Message != fault.Of(b).Message {
			t.Errorf("%v is not %v", a, b)
		}
	}
}

func TestFoldOfRandomPagesEqualsTheLog(t *testing.T) {
	w := newWorld(t)
	talk(w)
	r := rand.New(rand.NewPCG(1, 2))
	want := w.events()
	for range 50 {
		var got []event.Stored
		for after, more := uint64(0), true; more; {
			p, err := w.Events(t.Context(), stream, session.EventQuery{After: after, Limit: 1 + r.IntN(9)})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p.Events...)
			after, more = p.Next, p.Next > 0
		}
		if len(got) != len(want) {
			t.Fatalf("%d events, want %d", len(got), len(want))
		}
		for i, e := range want {
			if b, err := e.MarshalJSON(); err != nil || string(got[i].JSON) != string(b) {
				t.Fatalf("%s, want %s (%v)", got[i].JSON, b, err)
			}
		}
	}
}

func TestFollowedAnswersWithTheFirstEventThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.submit("a", "p")
		w.submit("b", "p")
		end := uint64(len(w.events()))
		go func() {
			time.Sleep(3 * time.Second)
			w.start() // of a
			time.Sleep(3 * time.Second)
			w.complete("done")
			w.start() // of b
		}()
		began := time.Now()
		p, err := w.Followed(t.Context(), stream, session.EventQuery{After: end, Limit: 10}, 20*time.Second)
		if took := time.Since(began); err != nil || len(p.Events) != 2 || took < 3*time.Second || took > 4*time.Second {
			t.Errorf("%d events after %v, %v", len(p.Events), took, err)
		}
		p, err = w.Followed(t.Context(), stream, session.EventQuery{After: end, Limit: 10, Operation: "b"}, 20*time.Second)
		if took := time.Since(began); err != nil || len(p.Events) != 2 || p.Events[0].Operation != "b" || took < 6*time.Second || took > 7*time.Second {
			t.Errorf("of b: %d events after %v, %v", len(p.Events), took, err)
		}
		began = time.Now()
		p, err = w.Followed(t.Context(), stream, session.EventQuery{After: p.LastSeq, Limit: 10}, 20*time.Second)
		if took := time.Since(began); err != nil || len(p.Events) != 0 || took != 20*time.Second {
			t.Errorf("nothing happens: %d events after %v, %v", len(p.Events), took, err)
		}
	})
}

func TestAnOperationsSpanIsItsFirstAndLastSeq(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.submit("b", "p")
	w.start()
	if first, last, err := w.Span(t.Context(), stream, "a"); first != 2 || last != 0 || err != nil {
		t.Errorf("running: %d to %d, %v", first, last, err)
	}
	w.complete("done")
	if first, last, err := w.Span(t.Context(), stream, "a"); first != 2 || last != uint64(len(w.events())) || err != nil {
		t.Errorf("settled: %d to %d, %v", first, last, err)
	}
	if _, _, err := w.Span(t.Context(), stream, "none"); fault.Of(err).Code != fault.NotFound {
		t.Error(err)
	}
}

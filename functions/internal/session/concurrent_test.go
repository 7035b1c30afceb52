package session_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

func TestTwoPromptsRacingForOneIDAreOneOperationAndOneMismatch(t *testing.T) {
	for run := range 50 {
		w := newWorld(t)
		if run%2 == 1 {
			w.submit("before", "the session is open already")
		}
		var receipts [2]session.Receipt
		var errs [2]error
		race(2, func(i int) {
			receipts[i], errs[i] = w.Submit(t.Context(), stream, session.Submission{OperationID: "a", Prompt: fmt.Sprint("prompt ", i)})
		})
		winner := 0
		if errs[0] != nil {
			winner = 1
		}
		if errs[winner] != nil || !receipts[winner].Accepted || fault.Of(errs[1-winner]).Code != fault.OperationMismatch {
			t.Fatalf("run %d: %+v, %v; want one accepted and the other a mismatch", run, receipts, errs)
		}
		if got := w.accepted(); len(got) != 1+run%2 {
			t.Fatalf("run %d: accepted %v", run, got)
		}
	}
}

func TestFiftySubmissionsAtOnceAreAllAcceptedInTheOrderOfTheirSeqs(t *testing.T) {
	w := newWorld(t)
	after := make([]uint64, 50)
	race(len(after), func(i int) {
		r, err := w.Submit(t.Context(), stream, session.Submission{OperationID: fmt.Sprint("op-", i), Prompt: "p"})
		if err != nil || !r.Accepted {
			t.Errorf("op-%d: %+v, %v", i, r, err)
		}
		after[i] = r.After
	})
	events := w.events()
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has seq %d", i, e.Seq)
		}
	}
	if len(events) != 51 {
		t.Errorf("%d events, want session.opened and 50 more", len(events))
	}
	for i, a := range after {
		if id := fmt.Sprint("op-", i); events[a].Operation != id {
			t.Errorf("%s: behind %d stands %s", id, a, events[a].Operation)
		}
	}
	var queue []string
	for _, op := range turn.Fold(events).Queue {
		queue = append(queue, op.ID)
	}
	if !slices.Equal(queue, w.accepted()) {
		t.Errorf("the queue is %v, accepted was %v", queue, w.accepted())
	}
	if len(w.turns.started) != 1 || w.turns.started[0].Operation != queue[0] {
		t.Errorf("started %+v, want the head alone", w.turns.started)
	}
}

// Each append loses to another's commit until the caller gives up.
func TestSubmittingAgainAfterEveryLostRace(t *testing.T) {
	d := memory.New()
	rival := over(t, d)
	n := 0
	w := over(t, flaky.New(d, flaky.Script{{When: func(c flaky.Call) bool {
		if c.Op == flaky.Append && n < 5 {
			n++
			rival.submit(fmt.Sprint("rival-", n), "p")
		}
		return false
	}, Do: flaky.Pass}}))
	if r := w.submit("a", "p"); !r.Accepted || r.After != 6 {
		t.Errorf("%+v, want it accepted behind session.opened and five rivals", r)
	}
	if got := w.accepted(); len(got) != 6 || got[5] != "a" {
		t.Errorf("accepted %v", got)
	}
}

func TestAFullQueueRefusesNewOperationsAndKnowsOldOnes(t *testing.T) {
	w := newWorld(t)
	for i := range session.MaxQueue {
		w.submit(fmt.Sprint("op-", i), "p")
	}
	if code := w.code(session.Submission{OperationID: "one-more", Prompt: "p"}); code != fault.QueueFull {
		t.Errorf("one more: %s, want %s", code, fault.QueueFull)
	}
	if r := w.submit("op-999", "p"); r.Accepted || r.After != 1000 {
		t.Errorf("again: %+v, want the receipt", r)
	}
	if code := w.code(session.Submission{OperationID: "op-0", Prompt: "q"}); code != fault.OperationMismatch {
		t.Errorf("another prompt: %s, want %s", code, fault.OperationMismatch)
	}
	w.start()
	w.complete("done")
	if r := w.submit("one-more", "p"); !r.Accepted {
		t.Errorf("after one has settled: %+v", r)
	}
	if _, err := w.Submit(t.Context(), eventstore.Stream{Tenant: "acme", Session: "another"}, session.Submission{Prompt: "p"}); err != nil {
		t.Errorf("another session: %v", err)
	}
}

func race(n int, do func(int)) {
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		all.Go(func() { <-gate; do(i) })
	}
	close(gate)
	all.Wait()
}

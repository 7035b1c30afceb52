package session_test

import (
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
)

func TestSettledAnswersAsSoonAsTheOperationHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.submit("a", "p")
		go func() {
			time.Sleep(3 * time.Second)
			w.start()
			w.complete("done")
		}()
		began := time.Now()
		o, err := w.Settled(t.Context(), stream, "a", 20*time.Second)
		if took := time.Since(began); err != nil || o.Status != "completed" || took > 4*time.Second {
			t.Errorf("%s after %s, %v; want it completed half a second later at most", o.Status, took, err)
		}
	})
}

func TestSettledGivesUpWaitingAndSaysHowFarItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.submit("a", "p")
		w.start()
		began := time.Now()
		o, err := w.Settled(t.Context(), stream, "a", 5*time.Second)
		if took := time.Since(began); err != nil || o.Status != "running" || o.Round != 1 || took != 5*time.Second {
			t.Errorf("%s in round %d after %s, %v; want it running after 5s", o.Status, o.Round, took, err)
		}
	})
}

// One look during a wait must not take longer than a request without one.
func TestSettledDoesNotHangOnAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := false
		w := over(t, flaky.New(memory.New(), flaky.Script{{When: func(c flaky.Call) bool { return down }, Do: flaky.Fail}}))
		w.submit("a", "p")
		down = true
		began := time.Now()
		_, err := w.Settled(t.Context(), stream, "a", 20*time.Second)
		if took := time.Since(began); err == nil || fault.Of(err).Code != fault.Unavailable || took > 3*time.Second {
			t.Errorf("%v after %s, want %s within 2.5s", err, took, fault.Unavailable)
		}
	})
}

package session_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// within submits as the HTTP API does, with 2.5 s for it. Synctest's clock.
func (w *world) within(sub session.Submission) (session.Receipt, error) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 2500*time.Millisecond)
	defer cancel()
	return w.Submit(ctx, stream, sub)
}

func TestSubmittingAgainAfterTheLogFailedIsSafe(t *testing.T) {
	sub := session.Submission{OperationID: "a", Prompt: "one"}
	for name, fails := range map[string]flaky.Rule{
		"reads fail":                           {When: flaky.Every(flaky.Records), Do: flaky.Fail},
		"reads are throttled":                  {When: flaky.Every(flaky.Records), Do: flaky.Throttle},
		"appends fail":                         {When: flaky.Every(flaky.Append), Do: flaky.Fail},
		"appends are throttled":                {When: flaky.Every(flaky.Append), Do: flaky.Throttle},
		"appends are stored, the answers lost": {When: flaky.Every(flaky.Append), Do: flaky.Lose},
		"appends land after all":               {When: flaky.Every(flaky.Append), Do: flaky.Hold},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				down := true
				d := flaky.New(memory.New(), flaky.Script{{When: func(c flaky.Call) bool { return down && fails.When(c) }, Do: fails.Do}})
				w := over(t, d)
				for range 2 {
					r, err := w.within(sub)
					if f := fault.Of(err); err == nil || f.Code != fault.Unavailable || !fault.Table[f.Code].Retryable {
						t.Fatalf("while the log is down: %+v, %v; want a retryable error", r, err)
					}
				}
				down = false
				for len(d.Held()) > 0 {
					_ = d.Land(t.Context()) // nobody hears the answer
				}
				for i := range 3 {
					if _, err := w.within(sub); err != nil {
						t.Fatalf("try %d after the outage: %v", i, err)
					}
				}
				if got := w.accepted(); !slices.Equal(got, []string{"a"}) {
					t.Errorf("accepted %v, want exactly one", got)
				}
			})
		})
	}
}

func TestAShortOutageIsNotNoticed(t *testing.T) {
	for _, f := range []flaky.Fault{flaky.Fail, flaky.Lose, flaky.Throttle, flaky.Twice} {
		synctest.Test(t, func(t *testing.T) {
			w := over(t, flaky.New(memory.New(), flaky.Sequence(f, f)))
			if r, err := w.within(session.Submission{OperationID: "a", Prompt: "one"}); err != nil || !r.Accepted {
				t.Errorf("%s: %+v, %v; want it accepted", f, r, err)
			}
			if got := w.accepted(); len(got) != 1 {
				t.Errorf("%s: accepted %v", f, got)
			}
		})
	}
}

// A full queue's claim that cannot be read is no verdict on the operation.
func TestAFullQueueDuringAnOutageIsAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := false
		w := over(t, flaky.New(memory.New(), flaky.Script{{When: func(c flaky.Call) bool { return down && c.Op == flaky.Row }, Do: flaky.Fail}}))
		for range session.MaxQueue {
			w.submit("", "p")
		}
		down = true
		if _, err := w.within(session.Submission{OperationID: "id-2", Prompt: "p"}); fault.Of(err).Code != fault.Unavailable {
			t.Errorf("%v, want %s", err, fault.Unavailable)
		}
	})
}

package crash

import (
	"testing"
	"time"

	"windlass/tests/embedded"
)

// failures 37: a step that kills its process each time is begun again later and
// later. (Its end, after five, is awaited in fake time, in the product of disasters.)
func TestAStepWhoseProcessDiesEachTimeIsBegunLaterAndLater(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	submit(ctx, t, s, "s", "op", load(1, 1, 50_000))
	begun := until(ctx, t, s, "s", "model.started", 1).At
	for i, least := range []time.Duration{time.Second, 10 * time.Second} {
		s.Kill()
		s.Restart()
		up := time.Now()
		again := until(ctx, t, s, "s", "operation.resumed", i+1).At
		if after := again.Sub(begun); after < least {
			t.Errorf("begun again %s after the start before, want %s at least", after, least)
		}
		due := begun.Add(least)
		if due.Before(up) {
			due = up
		}
		if late := again.Sub(due); late > soon {
			t.Errorf("begun again %s after it was due, want it within %s", late, soon)
		}
		begun = again
	}
	cancel(ctx, t, s, "s", "op")
	if o := ends(ctx, t, s, "s", "op"); o.Status != "cancelled" {
		t.Errorf("%+v", o)
	}
	log(ctx, t, s, "s")
}

package disaster

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/loop"
)

// scenario is one run: what goes wrong, and what people do meanwhile.
type scenario struct {
	row     row
	seed    uint64
	limits  string
	strikes []strike
	// steer and cancel say when somebody does it to the first operation, one after the
	// other; 0 for never.
	steer, cancel time.Duration
}

// disturbed: what the first operation does depends on when it is hit.
func (s scenario) disturbed() bool { return s.cancel > 0 || s.steer > 0 }

func (s scenario) String() string {
	text := fmt.Sprintf("seed %d, limits %q: %v", s.seed, s.limits, s.strikes)
	if s.disturbed() {
		text += fmt.Sprintf(", steered after %s, cancelled %s later", s.steer, s.cancel)
	}
	return text
}

// limits are those of the deployed system, and smaller ones: each round in another
// invocation, and each few invocations in another execution.
var limits = map[string]loop.Limits{
	"deployed": loop.DefaultLimits,
	"a round":  within(1, loop.DefaultLimits.AttemptsPerExecution),
	"a few":    within(2, 2),
}

func within(rounds, attempts int) loop.Limits {
	l := loop.DefaultLimits
	l.RoundsPerTask, l.AttemptsPerExecution = rounds, attempts
	return l
}

// patience is how long a run may take. Generations without progress, and starts of a
// step without an outcome, are spaced over less than an hour.
const patience = 2 * time.Hour

// run plays a scenario to its end: two operations are submitted, and everything comes
// to rest. want is what an undisturbed run left, nil for that run itself.
func (s scenario) run(t *testing.T, want []string) (v verdict) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, s.seed, limits[s.limits], s.strikes...)
		began := time.Now()
		done := make(chan struct{})
		w.tasks.Go(func() { defer close(done); w.clients(s) })
		<-done
		for !w.atRest() && time.Since(began) < patience {
			w.sleep(2 * time.Second)
		}
		v.took = time.Since(began)
		w.sleep(longest) // what is still under way lands
		w.follower.ping()
		w.judge(&v, s, want)
		w.close()
	})
	return v
}

// clients are those who ask for something.
func (w *world) clients(s scenario) {
	w.submit("first")
	w.submit("second")
	if s.steer > 0 && w.sleep(s.steer) {
		w.steer()
	}
	if s.cancel > 0 && w.sleep(s.cancel) {
		w.cancel("first")
	}
}

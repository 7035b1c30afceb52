package disaster

import (
	"cmp"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"windlass/functions/internal/loop"
)

// story is what a run without any disaster is: an operation, and another one behind it.
type story struct {
	first string
	// others are what children of the first one do.
	others []string
	// cancel is when somebody cancels the first one; 0 for never.
	cancel time.Duration
	// some: every so many reads are disturbed, and posts.
	some step
}

// step is how many reads and posts are gone by for each that is disturbed, itself
// included.
type step struct{ reads, posts int }

const (
	alone     = "a turn"
	parent    = "a parent and two children"
	abandoned = "a parent that is cancelled, and two children"
)

// names are all that the model does in a scenario's runs.
func (s scenario) names() []string {
	return append([]string{stories[s.story].first, "second"}, stories[s.story].others...)
}

var stories = map[string]story{
	alone:     {first: "first", some: step{2, 1}},
	parent:    {first: "parent", others: []string{"left", "right"}, some: step{4, 4}},
	abandoned: {first: "parent", others: []string{"left", "right"}, cancel: 1200 * time.Millisecond, some: step{4, 4}},
}

// scenario is one run: what goes wrong, and what people do meanwhile.
type scenario struct {
	story   string
	row     row
	seed    uint64
	limits  string
	strikes []strike
	// steer and cancel say when somebody does it to the first operation, one after the
	// other; 0 for never, or for what the story says.
	steer, cancel time.Duration
}

func (s scenario) cancels() time.Duration { return cmp.Or(s.cancel, stories[s.story].cancel) }

// disturbed: what the first operation does depends on when it is hit.
func (s scenario) disturbed() bool { return s.cancels() > 0 || s.steer > 0 }

func (s scenario) String() string {
	text := fmt.Sprintf("%s, seed %d, limits %q: %v", s.story, s.seed, s.limits, s.strikes)
	if s.disturbed() {
		text += fmt.Sprintf(", steered after %s, cancelled %s later", s.steer, s.cancels())
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
		for time.Since(began) < patience {
			if !w.atRest() {
				w.sleep(2 * time.Second)
				continue
			}
			v.took = time.Since(began)
			w.sleep(stillest) // what is under way lands, and what stands still goes on
			if w.atRest() {
				break
			}
		}
		w.follower.ping()
		w.judge(&v, s, want)
		w.close()
	})
	return v
}

// clients are those who ask for something.
func (w *world) clients(s scenario) {
	first := stories[s.story].first
	w.submit(first)
	w.submit("second")
	if s.steer > 0 && w.sleep(s.steer) {
		w.steer(first)
	}
	if at := s.cancels(); at > 0 && w.sleep(at) {
		w.cancel(first)
	}
}

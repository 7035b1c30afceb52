package disaster

import (
	"strings"
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/loop"
)

// failures 37: a step that kills its process each time is begun five times, later and
// later, and then the turn has failed.
func TestAStepThatKillsItsProcessEndsAsPoison(t *testing.T) {
	for _, step := range []what{theModel, reads, idempotent} {
		in(t, loop.DefaultLimits, func(w *world) {
			killed := 0
			w.plan.also = func(what what, n int) disaster {
				if what != step {
					return ""
				}
				killed++
				return killedAfter
			}
			w.submit(map[what]string{theModel: "second", reads: "long", idempotent: "again"}[step])
			all, _ := w.rest(patience)
			failed := those[event.OperationFailed](all)
			if len(failed) != 1 || failed[0].Data.(event.OperationFailed).Error.Code != "step_poisoned" {
				t.Fatalf("%s: %+v, want it poisoned", step, failed)
			}
			if killed != 5 {
				t.Errorf("%s: %d runs, want 5", step, killed)
			}
			takeovers := those[event.OperationResumed](all)
			if len(takeovers) != 4 {
				t.Fatalf("%s: %d takeovers, want 4", step, len(takeovers))
			}
			for i, least := range []time.Duration{10 * time.Second, time.Minute, 5 * time.Minute} {
				if d := takeovers[i+1].At.Sub(takeovers[i].At.Time); d < least || d > least+5*time.Second {
					t.Errorf("%s: takeover %d came %s after the one before, want %s", step, i+2, d, least)
				}
			}
		})
	}
}

// failures 37: what must not be repeated is not, however often its process dies.
func TestAOnceStepThatKillsItsProcessIsNotRunAgain(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.plan.also = func(what what, n int) disaster {
			if what == once {
				return killedAfter
			}
			return ""
		}
		w.submit("batch")
		_, ops := w.rest(patience)
		if w.shop.took["5"] != 1 || ops["batch"].Status != "completed" || ops["batch"].Unknowns != 1 {
			t.Errorf("charged %d times; %+v", w.shop.took["5"], ops["batch"])
		}
	})
}

// failures 42: a turn whose every driver dies before it says anything ends all the
// same, and says why.
func TestATurnWhoseDriversAllDieHasATerminalEvent(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.plan.also = func(what what, n int) disaster {
			if what == invocation {
				return killedBefore
			}
			return ""
		}
		w.submit("second")
		_, ops := w.rest(12 * time.Hour)
		if op := ops["second"]; op.Terminal != 1 || op.Status != "failed" || op.Code != "stalled" {
			t.Errorf("%+v", op)
		}
	})
}

// failures 41: a turn whose process was killed goes on within seconds, with nobody
// watching, and without the schedule.
func TestRecoveryWithNobodyWatchingTakesSeconds(t *testing.T) {
	for _, stop := range []bool{false, true} {
		in(t, loop.DefaultLimits, func(w *world) {
			w.submit("batch")
			w.sleep(1500 * time.Millisecond)
			killed, before := time.Now(), len(w.all()) // what follows takes no time, and may have its answer at once
			if stop {
				w.machine.stopAll(true)
			}
			w.killAll()
			all, _ := w.rest(5 * time.Minute)
			if took := all[before].At.Sub(killed); took > 3*time.Second {
				t.Errorf("stopped %t: the next event came %s after the kill", stop, took)
			}
		})
	}
}

// failures 36: the log is out of reach for ten seconds, and for a minute. No retry
// is used up that the turn needs later.
func TestAnOutageOfTheLogLosesNothing(t *testing.T) {
	for _, outage := range []time.Duration{10 * time.Second, time.Minute} {
		in(t, loop.DefaultLimits, func(w *world) {
			began := time.Now()
			w.plan.also = func(what what, n int) disaster {
				since := time.Since(began)
				if (what == anAppend || what == aRead || what == aValue) && since > time.Second && since < time.Second+outage {
					return fails
				}
				return ""
			}
			w.submit("first")
			w.submit("second")
			_, ops := w.rest(patience)
			v := verdict{}
			w.effects(&v, scenario{story: alone})
			if len(v.wrong) > 0 || ops["first"].Status != "completed" || ops["second"].Status != "completed" {
				t.Errorf("%s: %s; %+v", outage, strings.Join(v.wrong, "\n"), ops["first"])
			}
			if ops["first"].Generations > 0 {
				t.Errorf("%s: it took %d executions", outage, 1+ops["first"].Generations)
			}
		})
	}
}

// failures 14: 128 rounds, each in an invocation of its own that was throttled time
// and again before it came through, and no execution's history is ever full.
func TestTheWorstCaseFitsIntoTheHistory(t *testing.T) {
	in(t, limits["a round"], func(w *world) {
		w.plan.also = func(what what, n int) disaster {
			if what == invocation && n%61 != 0 { // 500 in a row are allowed
				return fails
			}
			return ""
		}
		w.hurry = 0.01
		w.submit("long")
		_, ops := w.rest(10 * time.Hour)
		op := ops["long"]
		if op.Status != "completed" || op.Rounds != 128 || op.Generations == 0 {
			t.Errorf("%+v, want 128 rounds in several executions", op)
		}
		for _, e := range w.machine.executions {
			if e.history > historyEnd {
				t.Errorf("a history of %d events", e.history)
			}
		}
	})
}

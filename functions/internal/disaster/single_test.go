package disaster

import (
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/loop"
	"windlass/tests/checker"
)

// in plays a single failure in a world of its own.
func in(t *testing.T, limits loop.Limits, do func(*world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, limits)
		defer w.close()
		do(w)
	})
}

// rest waits until nothing is to be done any more, and returns the log, which keeps
// the laws, and what it says of each operation.
func (w *world) rest(within time.Duration) ([]event.Event, map[string]*checker.Operation) {
	w.t.Helper()
	for began := time.Now(); !w.atRest(); w.sleep(time.Second) {
		if time.Since(began) > within {
			w.t.Fatalf("no rest after %s", within)
		}
	}
	for _, s := range w.sessions() {
		for _, v := range checker.Check(seen(w.t, w.log(s))).Violations {
			w.t.Error(v)
		}
	}
	all := w.all()
	return all, checker.Check(seen(w.t, all)).Operations
}

func (w *world) all() []event.Event { return w.log(talk) }

func (w *world) log(of eventstore.Stream) []event.Event {
	w.t.Helper()
	all, err := w.events(of, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

// those are the events of one type.
func those[P event.Payload](all []event.Event) (some []event.Event) {
	for _, e := range all {
		if _, ok := e.Data.(P); ok {
			some = append(some, e)
		}
	}
	return some
}

// failures 6: a crash inside a parallel batch. What was done is not done again, the
// rest is settled once.
func TestACrashInsideABatchSettlesTheRestOnce(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.submit("batch")
		w.sleep(1500 * time.Millisecond)
		if n := len(those[event.ToolCompleted](w.all())); n != 2 {
			t.Fatalf("%d results before the crash, want 2 of 5", n)
		}
		w.killAll()
		_, ops := w.rest(5 * time.Minute)
		if ops["batch"].Status != "completed" || ops["batch"].Results != 5 {
			t.Errorf("%+v", ops["batch"])
		}
		for item, want := range map[string]int{"1": 1, "2": 1, "3": 2, "4": 2} { // by one key
			if n := w.shop.begun[item]; n != want || len(w.shop.keys[item]) != 1 {
				t.Errorf("put %s was begun %d times under %d keys, want %d under one", item, n, len(w.shop.keys[item]), want)
			}
		}
		if w.shop.took["5"] != 1 {
			t.Errorf("charged %d times", w.shop.took["5"])
		}
	})
}

// failures 4: a step that takes longer than its time is tried once, and the model
// reads of the timeout.
func TestAStepLongerThanItsTimeIsTriedOnce(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.submit("slow")
		all, ops := w.rest(5 * time.Minute)
		failed := those[event.ToolFailed](all)
		if len(failed) != 1 || failed[0].Data.(event.ToolFailed).Error.Code != "timeout" {
			t.Errorf("%+v, want a timeout that the model reads", failed)
		}
		if w.shop.begun["s1"] != 1 || ops["slow"].Rounds != 2 || ops["slow"].Status != "completed" {
			t.Errorf("begun %d times; %+v", w.shop.begun["s1"], ops["slow"])
		}
	})
}

// failures 40: a provider uses a call's id again in a later round, and the process
// dies between them.
func TestACallIDUsedAgainAfterARestartIsAnotherStep(t *testing.T) {
	in(t, limits["a round"], func(w *world) {
		w.plan.also = func(what what, n int) disaster {
			if what == invocation && n > 1 && n%2 == 0 { // each round in its own process, after one that died
				return killedBefore
			}
			return ""
		}
		w.submit("again")
		all, ops := w.rest(5 * time.Minute)
		var got []string
		for _, e := range those[event.ToolCompleted](all) {
			d := e.Data.(event.ToolCompleted)
			got = append(got, d.CallID+" "+d.Output.Inline())
		}
		if len(got) != 2 || got[0] != "call-0 receipt for a1" || got[1] != "call-0 receipt for a2" || ops["again"].Status != "completed" {
			t.Errorf("%q; %+v", got, ops["again"])
		}
		if len(w.shop.keys["a1"]) != 1 || len(w.shop.keys["a2"]) != 1 {
			t.Errorf("%v", w.shop.keys)
		}
	})
}

// failures 26: a model that says nothing has not succeeded.
func TestAnEmptyAnswerIsNoSuccess(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.submit("nothing")
		_, ops := w.rest(5 * time.Minute)
		if op := ops["nothing"]; op.Status != "failed" || op.Code != "empty_response" || op.EmptyAnswers != 2 || op.ModelAttempts != 2 {
			t.Errorf("%+v", op)
		}
	})
}

// failures 27: the same call 220 times. The model is told at the third, and the turn
// ends at the fifth, before it is carried out.
func TestTheSameCallAgainAndAgainEndsTheTurn(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.submit("loop")
		_, ops := w.rest(5 * time.Minute)
		if op := ops["loop"]; op.Status != "failed" || op.Code != "loop_detected" || op.Warned != 1 || op.Rounds != 5 || w.shop.begun["same"] != 4 {
			t.Errorf("called %d times; %+v", w.shop.begun["same"], op)
		}
	})
}

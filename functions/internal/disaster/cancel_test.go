package disaster

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/loop"
)

// failures 5: interrupted in the middle of a call, the session takes the next prompt
// as if nothing had been: each call has its result.
func TestAPromptAfterACancelThatHitACallIsServed(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.submit("busy")
		w.sleep(2 * time.Second) // the charge is under way
		w.cancel("busy")
		w.submit("second")
		all, ops := w.rest(5 * time.Minute)
		if ops["busy"].Status != "cancelled" || ops["second"].Status != "completed" {
			t.Fatalf("%+v, %+v", ops["busy"], ops["second"])
		}
		asked, done := those[event.OperationCancelRequested](all), those[event.OperationCancelled](all)
		if took := done[0].At.Sub(asked[0].At.Time); took > 2*time.Second {
			t.Errorf("cancelled %s after it was asked", took)
		}
		var codes []string
		for _, e := range those[event.ToolFailed](all) {
			codes = append(codes, e.Data.(event.ToolFailed).Error.Code)
		}
		if d := cmp.Diff([]string{"outcome_unknown", "cancelled"}, codes); d != "" {
			t.Errorf("what the model reads of the calls (-want +got):\n%s", d)
		}
	})
}

// failures 30: an order that was under way when the turn was cancelled arrives in
// the middle of the next one, which is as it would have been.
func TestAnEffectAfterTheCancelDoesNotReachTheNextTurn(t *testing.T) {
	var undisturbed []string
	in(t, loop.DefaultLimits, func(w *world) {
		w.submit("second")
		all, _ := w.rest(5 * time.Minute)
		undisturbed = only("second", essence(all))
	})
	in(t, loop.DefaultLimits, func(w *world) {
		w.plan.strikes = []strike{{once, 1, late, 100}} // its driver hears nothing; it arrives 10 s later
		w.submit("busy")
		w.sleep(5 * time.Second)
		w.cancel("busy")
		w.submit("second")
		if w.shop.took["b1"] != 0 {
			t.Fatal("the order was there before the cancel")
		}
		w.rest(5 * time.Minute)
		w.sleep(longest)
		all, ops := w.rest(time.Second)
		if ops["busy"].Status != "cancelled" || w.shop.took["b1"] != 1 || w.shop.took["w3"] != 1 {
			t.Errorf("%+v; %v", ops["busy"], w.shop.took)
		}
		if d := cmp.Diff(undisturbed, only("second", essence(all))); d != "" {
			t.Errorf("the next turn (-undisturbed +got):\n%s", d)
		}
	})
}

// failures 29: the driver is dead, and its execution too; then somebody cancels. The
// operation does not stay in between, and the queue behind it goes on.
func TestADeadDriverLeavesNothingCancelling(t *testing.T) {
	for _, heard := range []bool{true, false} {
		in(t, loop.DefaultLimits, func(w *world) {
			w.submit("busy")
			w.submit("second")
			w.sleep(2 * time.Second)
			w.machine.stopAll(heard)
			w.killAll()
			w.cancel("busy")
			all, ops := w.rest(5 * time.Minute)
			if ops["busy"].Status != "cancelled" || ops["second"].Status != "completed" {
				t.Fatalf("%+v, %+v", ops["busy"], ops["second"])
			}
			asked, done := those[event.OperationCancelRequested](all), those[event.OperationCancelled](all)
			if took := done[0].At.Sub(asked[0].At.Time); took > 3*time.Second {
				t.Errorf("heard %t: cancelled %s after it was asked", heard, took)
			}
		})
	}
}

// failures 30: a driver that comes to life after the turn was cancelled writes
// nothing more.
func TestALateDriverOfACancelledTurnIsFenced(t *testing.T) {
	in(t, loop.DefaultLimits, func(w *world) {
		w.plan.strikes = []strike{{invocation, 1, late, 5}} // beside its successor
		w.submit("busy")
		w.sleep(4 * time.Second)
		w.cancel("busy")
		w.submit("second")
		all, ops := w.rest(5 * time.Minute)
		w.sleep(time.Minute)
		if ops["busy"].Status != "cancelled" || ops["second"].Status != "completed" || len(w.all()) != len(all) {
			t.Errorf("%+v, %+v, %d events and then %d", ops["busy"], ops["second"], len(all), len(w.all()))
		}
		if i := slices.IndexFunc(all, func(e event.Event) bool { return e.Operation == "second" && e.Data.EventType() == "operation.started" }); i < 0 {
			t.Error("the next turn did not begin")
		}
	})
}

package loop_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// urls are a deployment's callback URLs, by their step.
type urls struct{}

func (urls) URL(_ context.Context, at callback.Step) (string, error) {
	return fmt.Sprintf("https://api.example/%s/%s/%d/%d", at.Stream, at.Operation, at.Round, at.Index), nil
}

// shipped is the step whose end is reported.
var shipped = callback.Step{Stream: stream, Operation: "op", Round: 1}

// shipping is a world whose model orders once and then says what came of it. Orders are
// begun elsewhere, which is told where to report.
func shipping(t *testing.T, effect tool.Effect, store eventstore.Driver) (w *world, begun map[string]int) {
	w, begun = newWorld(t), map[string]int{}
	w.journal = eventstore.New(store, eventstore.WithBlobs(w.blobs))
	w.service.Journal, w.loop.Journal, w.service.Opened = w.journal, w.journal, &fold.Sessions{}
	w.service.Agents, w.loop.Callbacks = catalog(t, "[order]"), urls{}
	w.loop.Tools = tool.Set{"order": tool.Define(tool.Tool{Name: "order", Description: "orders", Effect: effect, Timeout: 30 * time.Second},
		func(struct{}) string { return "" }, func(ctx context.Context, env tool.Env, _ struct{}) (tool.Result, error) {
			at, err := env.Callback(ctx)
			begun[at]++
			return tool.Result{Later: &tool.Later{For: time.Hour}}, err
		})}
	w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
		if all := results(r); len(all) > 0 {
			return []model.Part{{Text: all[0].Output}}, nil
		}
		return []model.Part{call("c", "order", "{}")}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	return w, begun
}

// A call that ends later, killed before or after any append: each repetition names the
// same URL, what must not be repeated is begun once, the report counts once, and the
// turn goes on with it.
func TestACallThatEndsLaterThroughAKillAnywhere(t *testing.T) {
	for _, effect := range []tool.Effect{tool.Idempotent, tool.Once} {
		for n := 0; n <= 9; n++ {
			for _, what := range []flaky.Fault{flaky.Fail, flaky.Lose} {
				synctest.Test(t, func(t *testing.T) {
					store, d := memory.New(), &dead{}
					w, begun := shipping(t, effect, store)
					first := flaky.New(store, flaky.Script{{When: d.hit(flaky.Nth(flaky.Append, n)), Do: what}, {When: d.later, Do: flaky.Fail}})
					w.loop.Journal = eventstore.New(first, eventstore.WithBlobs(w.blobs))
					end := w.run()
					if end == "park" && len(begun) == 0 && effect == tool.Once { // killed between its start and the call
						if _, err := w.service.Decide(t.Context(), stream, "op", "1.0", session.Answer{Decision: event.DidNotHappen}); err != nil {
							t.Fatal(err)
						}
						end = w.run()
					}
					for _, accepted := range []bool{true, false} {
						if end != "park" {
							break
						}
						got, err := w.service.CalledBack(t.Context(), shipped, session.CallResult{Output: "on its way"})
						if err != nil || got != accepted {
							t.Errorf("append %d, %v: %t, %v", n, what, got, err)
						}
					}
					if end == "park" {
						end = w.run()
					}
					url := "https://api.example/t/s/op/1/0"
					if end != "done" || len(begun) != 1 || begun[url] == 0 || effect == tool.Once && begun[url] != 1 {
						t.Errorf("%s, append %d, %v: %s, begun %v", effect, n, what, end, begun)
					}
					o, err := w.service.Operation(t.Context(), stream, "op")
					if err != nil || o.Status != "completed" || o.Output == nil || o.Output.Inline() != "on its way" || w.count("tool.answered") != 1 || w.count("tool.completed") != 1 {
						t.Errorf("%s, append %d, %v: %+v, %v\n%s", effect, n, what, o, err, w.types())
					}
				})
			}
		}
	}
}

func TestAReportThatNobodyWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := shipping(t, tool.Idempotent, memory.New())
		told := func(at callback.Step, output string, want fault.Code) {
			t.Helper()
			if got, err := w.service.CalledBack(t.Context(), at, session.CallResult{Output: output}); err == nil || got || fault.Of(err).Code != want {
				t.Errorf("%t, %v; want %s", got, err, want)
			}
		}
		told(shipped, "too early", fault.CallbackResolved)
		if end := w.run(); end != "park" || w.parked != 3600 {
			t.Fatalf("%s for %d s", end, w.parked)
		}
		other := shipped
		other.Operation = "other"
		told(other, "x", fault.NotFound)
		other = shipped
		other.Index = 7
		told(other, "x", fault.CallbackResolved)
		if got, err := w.service.CalledBack(t.Context(), shipped, session.CallResult{Output: "one"}); err != nil || !got {
			t.Errorf("%t, %v", got, err)
		}
		told(shipped, "another", fault.CallbackResolved)
		if end := w.run(); end != "done" {
			t.Errorf("%s", end)
		}
		told(shipped, "another", fault.CallbackResolved)
		if got, err := w.service.CalledBack(t.Context(), shipped, session.CallResult{Output: "one"}); err != nil || got {
			t.Errorf("the same again, behind the end: %t, %v", got, err)
		}
	})
}

// wait costs one invocation at its beginning and one at its end, however long it is.
func TestWaitingWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.service.Agents, w.loop.Tools = catalog(t, "[wait]"), tool.All
		w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
			if all := results(r); len(all) > 0 {
				return []model.Part{{Text: all[0].Output}}, nil
			}
			return []model.Part{call("c", "wait", `{"seconds":5400}`)}, nil
		})
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		began := time.Now()
		if end := w.run(); end != "park" || w.parked != 5400 {
			t.Fatalf("%s for %d s", end, w.parked)
		}
		time.Sleep(time.Duration(w.parked) * time.Second)
		if end := w.run(); end != "done" || w.count("tool.started") != 2 {
			t.Errorf("%s\n%s", end, w.types())
		}
		o, err := w.service.Operation(t.Context(), stream, "op")
		if want := fmt.Sprintf(`{"now":%q}`, began.Add(90*time.Minute).UTC().Format(time.RFC3339)); err != nil || o.Output == nil || o.Output.Inline() != want {
			t.Errorf("%+v, %v; want %s", o, err, want)
		}
	})
}

package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// gated is a world whose model asks for four payments at once, of which policy wants a
// person to allow the second and the third; then it tells what it read.
func gated(t *testing.T, s *shop, store eventstore.Driver) *world {
	w := newWorld(t)
	w.journal = eventstore.New(store, eventstore.WithBlobs(w.blobs))
	w.service.Journal, w.loop.Journal, w.service.Opened = w.journal, w.journal, &fold.Sessions{}
	w.service.Agents = catalog(t, "[{name: pay}, {name: refund, permission: ask, askFor: 1h}]")
	pay, refund := s.charge(true), s.charge(true)
	pay.Name, refund.Name = "pay", "refund"
	w.loop.Tools = tool.Set{"pay": pay, "refund": refund}
	s.charged = map[string]int{}
	w.model(func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
		if all := results(r); len(all) > 0 {
			var read []string
			for _, res := range all {
				read = append(read, res.Output)
			}
			return []model.Part{{Text: strings.Join(read, "; ")}}, nil
		}
		amount := func(n int) string { return fmt.Sprintf(`{"amount":%d}`, n) }
		return []model.Part{call("a", "pay", amount(1)), call("b", "refund", amount(2)), call("c", "refund", amount(3)), call("d", "pay", amount(4))}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	return w
}

// failures 31: four parallel calls with mixed approvals, killed before or after any
// append: what is allowed runs once at most, what is denied never, each call has its
// own result, and the model reads them in its order.
func TestMixedApprovalsThroughAKillAnywhere(t *testing.T) {
	const want = `charged; charged; {"error":{"code":"denied","message":"a person did not allow this call: not that one"}}; charged`
	for n := 0; n <= 14; n++ {
		for _, what := range []flaky.Fault{flaky.Fail, flaky.Lose} {
			synctest.Test(t, func(t *testing.T) {
				s, store, d := &shop{}, memory.New(), &dead{}
				w := gated(t, s, store)
				first := flaky.New(store, flaky.Script{{When: d.hit(flaky.Nth(flaky.Append, n)), Do: what}, {When: d.later, Do: flaky.Fail}})
				broken := eventstore.New(first, eventstore.WithBlobs(w.blobs))
				w.loop.Journal = broken
				answers := map[int]session.Answer{1: {Decision: event.Approve}, 2: {Decision: event.Deny, Note: "not that one"}}
				for i := 1; ; {
					end := w.run()
					if w.loop.Journal == w.journal && d.at == 0 && n > 0 {
						t.Fatal("the first driver was not killed")
					}
					if end == "done" {
						break
					}
					if i > 2 {
						t.Fatalf("append %d, %v: it waits still:\n%s", n, what, w.types())
					}
					// One is answered between two drives; the next driver is killed as the first was.
					if _, err := w.service.Decide(t.Context(), stream, "op", fmt.Sprintf("1.%d", i), answers[i]); err != nil {
						t.Fatalf("append %d, %v, call %d: %v\n%s", n, what, i, err, w.types())
					}
					i++
				}
				if d := cmp.Diff(map[string]int{"t/s/op/1/0": 1, "t/s/op/1/1": 1, "t/s/op/1/3": 1}, s.charged); d != "" {
					t.Errorf("append %d, %v: charged (-want +got):\n%s", n, what, d)
				}
				o, err := w.service.Operation(t.Context(), stream, "op")
				if err != nil || strings.ReplaceAll(o.Output.Inline(), "it was charged", "charged") != want {
					t.Errorf("append %d, %v: %q, %v\n%s", n, what, o.Output.Inline(), err, w.types())
				}
				if w.count("approval.requested") != 2 || w.count("approval.resolved") != 2 || w.count("tool.completed") != 3 || w.count("tool.failed") != 1 {
					t.Errorf("append %d, %v:\n%s", n, what, w.types())
				}
			})
		}
	}
}

// failures 32, 39: what nobody answers lapses, with the wait that the state machine was
// told; the model reads of it, and the turn goes on.
func TestAQuestionThatNobodyAnswersLapses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		w := gated(t, s, memory.New())
		if end := w.run(); end != "park" || w.parked != 3600 {
			t.Fatalf("%s, for %d s", end, w.parked)
		}
		time.Sleep(time.Hour)
		if end := w.run(); end != "done" {
			t.Fatal(end)
		}
		o, err := w.service.Operation(t.Context(), stream, "op")
		if err != nil || strings.Count(o.Output.Inline(), "approval_expired") != 2 || len(s.charged) != 2 {
			t.Errorf("%+v, %v, charged %v", o, err, s.charged)
		}
	})
}

// A person changes what a call is carried out with: it has to fit the tool and its
// policy all the same, and the model reads of it.
func TestAnApprovedCallRunsWithWhatThePersonMadeOfIt(t *testing.T) {
	for arguments, want := range map[string]string{`{"amount":1}`: "charged", `{"amount":"much"}`: "invalid_arguments", `{"amount":1,"to":"me"}`: "invalid_arguments"} {
		synctest.Test(t, func(t *testing.T) {
			s := &shop{}
			w := gated(t, s, memory.New())
			w.run()
			for i, a := range map[int]session.Answer{1: {Decision: event.Approve, Arguments: arguments}, 2: {Decision: event.Deny}} {
				if _, err := w.service.Decide(t.Context(), stream, "op", fmt.Sprintf("1.%d", i), a); err != nil {
					t.Fatal(err)
				}
			}
			var read []string
			w.loop.Models["scripted"].(*scriptedModel).say = func(_ context.Context, _ int, r model.Request) ([]model.Part, error) {
				for _, p := range shown(r) {
					read = append(read, p.Text)
				}
				return []model.Part{{Text: results(r)[1].Output}}, nil
			}
			w.run()
			o, err := w.service.Operation(t.Context(), stream, "op")
			if err != nil || !strings.Contains(o.Output.Inline(), want) {
				t.Errorf("%s: %+v, %v", arguments, o, err)
			}
			if said := "A person allowed call 2 of refund with other arguments: " + arguments; !strings.Contains(strings.Join(read, "\n"), said) {
				t.Errorf("%s: the model is told %q", arguments, read)
			}
		})
	}
}

// What policy forbids is an error that the model reads, whatever the model was told.
func TestPolicyForbidsAPath(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[{name: workspace_write, rules: [{permission: deny, path: /secrets/**}]}, workspace_read]")
	w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
		if n == 1 {
			return []model.Part{
				call("a", "workspace_write", `{"path":"secrets/x","content":"x"}`), call("b", "workspace_write", `{"path":"/ok","content":"x"}`),
				call("c", "workspace_list", `{}`), // no tool of this agent
			}, nil
		}
		var codes []string
		for _, res := range results(r) {
			codes = append(codes, fmt.Sprint(res.Failed))
		}
		return []model.Part{{Text: strings.Join(codes, " ")}}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	o, err := w.service.Operation(t.Context(), stream, "op")
	if err != nil || o.Output.Inline() != "true false true" || w.count("workspace.written") != 1 {
		t.Errorf("%+v, %v", o, err)
	}
}

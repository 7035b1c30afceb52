package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// slowAppend lets the n-th append take a while.
type slowAppend struct {
	*memory.Driver
	n    int
	take time.Duration
}

func (d *slowAppend) Append(ctx context.Context, w eventstore.Write) error {
	if d.n--; d.n == 0 {
		time.Sleep(d.take)
	}
	return d.Driver.Append(ctx, w)
}

func TestACallThatComesTooLateToBeginDoesNotSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		w, store := charging(t, s, true)
		w.loop.Tools["charge"].Timeout = time.Second
		w.loop.Journal = eventstore.New(&slowAppend{store, 3, 1500 * time.Millisecond}, eventstore.WithBlobs(w.blobs))
		looks := 0
		w.loop.Now = func() time.Time {
			if looks++; looks > 5000 { // let it end
				return time.Now().Add(15 * time.Minute)
			}
			return time.Now()
		}
		doc := loop.Document{Turn: execution.Turn{Tenant: "t", Session: "s", Operation: "op", Generation: 1}}
		doc, err := w.loop.Drive(t.Context(), loop.Task{Turn: doc, Execution: "e", EnteredAt: "1"}, "r")
		if looks > 100 {
			t.Errorf("it decides %d times while no time goes by, then %v, %v", looks, doc.Next, err)
		}
	})
}

// A call of the class once took too long, while a sibling went on for longer still: the
// same driver finds out that it did not happen, and runs it.
func TestACallThatDidNotHappenIsRunByTheDriverThatFoundOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{}
		s.slow.Store(int64(time.Hour))
		w := newWorld(t)
		s.charged = map[string]int{}
		w.service.Agents = catalog(t, "[charge, wait]")
		w.loop.Tools = tool.Set{"charge": s.charge(true)}
		w.loop.Tools["wait"] = tool.Define(tool.Tool{Name: "wait", Description: "waits", Effect: tool.Read, Timeout: 2 * time.Minute},
			func(struct{}) string { return "" }, func(context.Context, tool.Env, struct{}) (tool.Result, error) {
				time.Sleep(31 * time.Second)
				s.slow.Store(0)
				time.Sleep(30 * time.Second)
				return tool.Result{Output: "waited"}, nil
			})
		w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			if n == 1 {
				return []model.Part{call("c", "charge", `{"amount":5}`), call("d", "wait", `{}`)}, nil
			}
			return []model.Part{{Text: "done"}}, nil
		})
		w.submit(session.Submission{Prompt: "go", OperationID: "op"})
		_, err := w.loop.Drive(t.Context(), loop.Task{Turn: loop.Document{Turn: execution.Turn{Tenant: "t", Session: "s", Operation: "op", Generation: 1}}, Execution: "e", EnteredAt: "1"}, "r")
		if len(s.keys) != 1 || w.count("tool.started") != 3 {
			t.Errorf("charged %d times by the first driver, %v:\n%s", len(s.keys), err, w.types())
		}
	})
}

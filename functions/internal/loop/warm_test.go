package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// A driver that goes on with a session it has driven reads no event twice, and asks the
// model the same as one that opens it anew.
func TestAWarmDriverReadsTheHeadAlone(t *testing.T) {
	asked := map[bool][]string{}
	for _, kept := range []bool{false, true} {
		w := newWorld(t)
		if kept {
			w.loop.Warm = &fold.Sessions{}
		}
		log := flaky.New(memory.New(), nil)
		w.journal = eventstore.New(log, eventstore.WithBlobs(w.blobs))
		w.service.Journal, w.loop.Journal = w.journal, w.journal
		w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			said, err := json.Marshal(r.Messages)
			if err != nil {
				t.Error(err)
			}
			asked[kept] = append(asked[kept], string(said))
			if n%2 == 1 {
				return []model.Part{{Call: &model.Call{ID: "c", Name: "workspace_write", Arguments: fmt.Sprintf(`{"path":"/%d","content":"x"}`, n)}}}, nil
			}
			return []model.Part{{Text: fmt.Sprint("answer ", n)}}, nil
		})
		for i := range 5 {
			id := fmt.Sprint("op-", i)
			w.submit(session.Submission{Prompt: "hello", OperationID: id})
			before := len(log.Calls())
			w.drive(id, 1)
			reads := 0
			for _, c := range log.Calls()[before:] {
				if c.Op != flaky.Append {
					reads++
				}
			}
			if kept && i > 0 && reads != 1 {
				t.Errorf("operation %d: %d reads, want that of the head", i, reads)
			}
		}
	}
	if d := cmp.Diff(asked[false], asked[true]); d != "" || len(asked[true]) != 10 {
		t.Errorf("%d requests; (-opened anew +warm):\n%s", len(asked[true]), d)
	}
}

// In a session of short turns a checkpoint takes longer than what is left of its turn.
func TestAWarmSessionIsCheckpointed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.loop.Warm = &fold.Sessions{}
		blobs := &blobCount{Blobs: memory.NewBlobs()}
		w.journal = eventstore.New(memory.New(), eventstore.WithBlobs(blobs))
		w.service.Journal, w.loop.Journal = w.journal, w.journal
		w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			return []model.Part{{Text: fmt.Sprint("answer ", n)}}, nil
		})
		began := time.Now()
		for i := range 150 {
			id := fmt.Sprint("op-", i)
			w.submit(session.Submission{Prompt: "hello", OperationID: id})
			w.drive(id, 1)
		}
		s, err := fold.Open(t.Context(), w.journal, stream)
		if err != nil || s.Commits > 80 {
			t.Errorf("%d of 450 commits were folded (%v)", s.Commits, err)
		}
		if took := time.Since(began); took > 2*time.Second { // of 30 ms each
			t.Errorf("checkpoints took %s of the turns", took)
		}
	})
}

// A client sends the next prompt as soon as it has the answer, while a checkpoint is still
// being stored: who drives that goes on with the same session, and learns of the checkpoint.
func TestTheNextDriverDoesNotWaitForACheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.loop.Warm = &fold.Sessions{}
		blobs := &blobCount{Blobs: memory.NewBlobs()}
		log := flaky.New(memory.New(), nil)
		w.journal = eventstore.New(log, eventstore.WithBlobs(blobs))
		w.service.Journal, w.loop.Journal = w.journal, w.journal
		w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			return []model.Part{{Text: fmt.Sprint("answer ", n)}}, nil
		})
		began := time.Now()
		var drivers sync.WaitGroup
		const turns = 150
		for i := range turns {
			id := fmt.Sprint("op-", i)
			w.submit(session.Submission{Prompt: "hello", OperationID: id})
			drivers.Go(func() { w.drive(id, 1) })
			synctest.Wait() // until it has ended, or waits for nothing but its checkpoint
		}
		reads := 0
		for _, c := range log.Calls() {
			if c.Op == flaky.Records {
				reads++
			}
		}
		// The head, by each submit and driver, and before what a checkpoint consists of is put.
		if took := time.Since(began); took != 0 || reads > 2*turns+3 {
			t.Errorf("%d turns waited %s and read the log %d times", turns, took, reads)
		}
		drivers.Wait()
		w.submit(session.Submission{Prompt: "hello", OperationID: "last"})
		w.drive("last", 1)
		if s, err := fold.Open(t.Context(), w.journal, stream); err != nil || s.State.Checkpoint == nil {
			t.Errorf("no commit names a checkpoint (%v)", err)
		}
	})
}

// A call that goes on behind its turn may still look at the session's files.
func TestASessionThatACallStillReadsIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.loop.Warm = &fold.Sessions{}
		type nothing struct{}
		ends := make(chan struct{})
		w.loop.Tools = maps.Clone(tool.All)
		w.loop.Tools["stubborn"] = tool.Define(tool.Tool{Name: "stubborn", Effect: tool.Read, Timeout: time.Second}, func(nothing) string { return "" },
			func(context.Context, tool.Env, nothing) (tool.Result, error) { <-ends; return tool.Result{}, nil })
		w.service.Agents = catalog(t, "[stubborn]")
		w.model(func(context.Context, int, model.Request) ([]model.Part, error) {
			return []model.Part{call("c", "stubborn", "{}")}, nil
		})
		w.submit(session.Submission{Prompt: "hello", OperationID: "op"})
		go func() {
			time.Sleep(2 * time.Second)
			if _, err := w.service.Cancel(t.Context(), stream, "op"); err != nil {
				t.Error(err)
			}
		}()
		w.drive("op", 1)
		o, err := w.service.Operation(t.Context(), stream, "op")
		if err != nil || o.Status != "cancelled" {
			t.Errorf("%s, %v; want it cancelled while its call goes on", o.Status, err)
		}
		taken, err := w.loop.Warm.Take(t.Context(), w.journal, stream)
		if err != nil || taken.Beside != nil {
			t.Errorf("the session was kept (%v)", err)
		}
		close(ends)
	})
}

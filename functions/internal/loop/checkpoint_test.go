package loop_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
)

// blobCount counts what is put.
type blobCount struct {
	*memory.Blobs
	puts atomic.Int64
	gone atomic.Bool
}

func (b *blobCount) PutBlob(ctx context.Context, k eventstore.BlobKey, mediaType string, data []byte) error {
	b.puts.Add(1)
	time.Sleep(30 * time.Millisecond) // under synctest: a transfer takes time
	return b.Blobs.PutBlob(ctx, k, mediaType, data)
}

func (b *blobCount) GetBlob(ctx context.Context, k eventstore.BlobKey, offset, n int64) ([]byte, error) {
	if b.gone.Load() {
		return nil, eventstore.Errorf(eventstore.NotFound, "get blob", "gone")
	}
	return b.Blobs.GetBlob(ctx, k, offset, n)
}

// A chat: turns of one answer each. Its checkpoints are made beside the turns, are
// named by their commits, and opening it never folds much more than 64 commits.
func TestChatSessionsAreCheckpointed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		blobs := &blobCount{Blobs: memory.NewBlobs()}
		w.journal = eventstore.New(memory.New(), eventstore.WithBlobs(blobs))
		w.service.Journal, w.loop.Journal = w.journal, w.journal
		w.model(func(_ context.Context, n int, r model.Request) ([]model.Part, error) {
			time.Sleep(2 * time.Second)
			return []model.Part{{Text: fmt.Sprintf("answer %d to %d items", n, len(shown(r)))}}, nil
		})
		const turns = 150
		for i := range turns {
			id := fmt.Sprint("op-", i)
			w.submit(session.Submission{Prompt: "hello", OperationID: id})
			w.drive(id, 1)
		}
		s, err := fold.Open(t.Context(), w.journal, stream)
		if err != nil {
			t.Fatal(err)
		}
		if s.Commits > 80 {
			t.Errorf("%d of %d commits were folded", s.Commits, 3*turns)
		}
		if n := blobs.puts.Load(); n > 40 {
			t.Errorf("%d puts for %d turns", n, turns)
		}
		o, err := w.service.Operation(t.Context(), stream, fmt.Sprint("op-", turns-1))
		if want := fmt.Sprintf("answer %d to %d items", turns, 2*turns-1); err != nil || o.Output.Inline() != want {
			t.Errorf("%q, %v, want %q", o.Output.Inline(), err, want)
		}
		blobs.gone.Store(true) // a checkpoint is a cache, never the truth
		w.submit(session.Submission{Prompt: "hello", OperationID: "last"})
		w.drive("last", 1)
		o, err = w.service.Operation(t.Context(), stream, "last")
		if want := fmt.Sprintf("answer %d to %d items", turns+1, 2*turns+1); err != nil || o.Output.Inline() != want {
			t.Errorf("without checkpoints: %q, %v, want %q", o.Output.Inline(), err, want)
		}
	})
}

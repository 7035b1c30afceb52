package fold_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
)

// What is kept is never older than the log: every reader sees what was appended
// before it asked, through many sessions and readers at once.
func TestKeptSessionIsBroughtUpToTheHead(t *testing.T) {
	h := &history{t: t, dice: rand.New(rand.NewPCG(1, 2))}
	h.journal = eventstore.New(memory.New(), eventstore.WithBlobs(memory.NewBlobs()))
	h.reopen()
	all := &fold.Sessions{Journal: h.journal}
	for i := range 60 {
		h.step()
		want := h.session.At.Seq()
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				err := all.Read(t.Context(), stream, func(s *fold.Session) error {
					if s.At.Seq() != want || len(s.State.Queue) != len(h.session.State.Queue) {
						return fmt.Errorf("seq %d, want %d", s.At.Seq(), want)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		readers.Wait()
		other := eventstore.Stream{Tenant: "t", Session: fmt.Sprint("other-", i%12)} // pushes the first one out now and then
		if err := all.Read(t.Context(), other, func(s *fold.Session) error { return nil }); err != nil {
			t.Error(err)
		}
	}
}

// A warm reader that writes carries on the newest checkpoint, whoever made it.
func TestOlderCheckpointNeverReplacesANewerOne(t *testing.T) {
	h := &history{t: t, dice: rand.New(rand.NewPCG(3, 4))}
	h.journal = eventstore.New(memory.New(), eventstore.WithBlobs(memory.NewBlobs()))
	h.reopen()
	h.step()
	warm := h.session
	h.reopen() // another process
	for range 100 {
		h.step()
	}
	for !h.session.Checkpointable() {
		h.step()
	}
	stored, err := h.session.Checkpoint(h.journal)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.session.Checkpointed(stored)
	h.step()
	newest := h.session.State.Checkpoint.Seq
	if err := warm.CatchUp(t.Context(), h.journal, nil); err != nil {
		t.Fatal(err)
	}
	h.session = warm
	h.step()
	h.reopen()
	if h.session.State.Checkpoint == nil || h.session.State.Checkpoint.Seq != newest || h.session.Commits > 5 {
		t.Errorf("checkpoint %+v, want the one at %d; %d commits were folded", h.session.State.Checkpoint, newest, h.session.Commits)
	}
}

// lossy loses blobs once it is told to.
type lossy struct {
	*memory.Blobs
	lost bool
}

func (l *lossy) GetBlob(ctx context.Context, k eventstore.BlobKey, offset, n int64) ([]byte, error) {
	if l.lost {
		return nil, eventstore.Errorf(eventstore.NotFound, "get blob", "lost")
	}
	return l.Blobs.GetBlob(ctx, k, offset, n)
}

// Segments are lost while a checkpoint that builds on them is being stored: the
// transcript is folded again, that checkpoint is not used, and the next one is whole.
func TestLostSegmentsWhileACheckpointIsStored(t *testing.T) {
	blobs := &lossy{Blobs: memory.NewBlobs()}
	h := &history{t: t, dice: rand.New(rand.NewPCG(5, 6))}
	h.journal = eventstore.New(memory.New(), eventstore.WithBlobs(blobs))
	h.reopen()
	keep := func() func() {
		for !h.session.Checkpointable() {
			h.step()
		}
		store := h.session.Checkpoint(h.journal)
		return func() {
			stored, err := store(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			h.session.Checkpointed(stored)
			h.step()
		}
	}
	for range 40 {
		h.step()
	}
	keep()()
	h.reopen()
	for range 20 {
		h.step()
	}
	finish := keep() // begun, and then
	blobs.lost = true
	if page, all, err := h.session.Items(t.Context(), h.journal, 0, 3); err != nil || len(page) != 3 || all < 20 {
		t.Fatalf("%d of %d items, %v", len(page), all, err)
	}
	finish()
	blobs.lost = false
	keep()()
	h.reopen()
	whole := &fold.Session{Stream: stream}
	if err := whole.CatchUp(t.Context(), h.journal, nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(shown(t, h.journal, whole), shown(t, h.journal, h.session)); d != "" {
		t.Errorf("(-everything +checkpoint and tail):\n%.2000s", d)
	}
}

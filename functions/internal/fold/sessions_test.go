package fold_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
)

// What is kept is never older than the log: every reader sees what was appended
// before it asked, through many sessions and readers at once.
func TestKeptSessionIsBroughtUpToTheHead(t *testing.T) {
	h := newHistory(t, 1, 2)
	all := &fold.Sessions{}
	for i := range 60 {
		h.step()
		want := h.session.At.Seq()
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				err := all.Read(t.Context(), h.journal, stream, func(s *fold.Session) error {
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
		if err := all.Read(t.Context(), h.journal, other, func(s *fold.Session) error { return nil }); err != nil {
			t.Error(err)
		}
	}
}

// A warm reader that writes carries on the newest checkpoint, whoever made it.
func TestOlderCheckpointNeverReplacesANewerOne(t *testing.T) {
	h := newHistory(t, 3, 4)
	h.step()
	warm := h.session
	h.reopen() // another process
	for range 100 {
		h.step()
	}
	for !h.session.Checkpointable() {
		h.step()
	}
	h.checkpoint()
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

// A driver that goes on with a session folds what came since, and mostly that is the
// newest commit: one read of the log, however long it is.
func TestASessionThatWasGivenBackCostsOneRead(t *testing.T) {
	log := flaky.New(memory.New(), nil)
	h := &history{t: t, dice: rand.New(rand.NewPCG(7, 8))}
	h.journal = eventstore.New(log, eventstore.WithBlobs(memory.NewBlobs()))
	h.reopen()
	warm := &fold.Sessions{}
	take := func() (*fold.Session, int) {
		before := len(log.Calls())
		s, err := warm.Take(t.Context(), h.journal, stream)
		if err != nil {
			t.Fatal(err)
		}
		if s.At != h.session.At {
			t.Fatalf("seq %d, want %d", s.At.Seq(), h.session.At.Seq())
		}
		return s, len(log.Calls()) - before
	}
	for range 200 {
		h.step()
	}
	s, reads := take()
	if reads < 2 {
		t.Fatalf("%d reads of a session that nobody kept", reads)
	}
	for new, want := range []int{1, 1, 2, 2} { // the head; and what is before it
		warm.Give(s)
		for range new {
			h.step()
		}
		if s, reads = take(); reads != want {
			t.Errorf("%d reads for %d new commits, want %d", reads, new, want)
		}
	}
	other, err := warm.Take(t.Context(), h.journal, stream)
	if err != nil || other == s {
		t.Errorf("a session that somebody works on was given to another (%v)", err)
	}
}

// What a driver made of a session may weigh more than the session: it has the same bound.
func TestWhatADriverMadeOfASessionIsKeptIfThereIsRoom(t *testing.T) {
	h := newHistory(t, 11, 12)
	for range 30 {
		h.step()
	}
	const beside = 1 << 20
	for room, want := range map[int64]bool{beside: true, beside - 1: false} {
		warm := &fold.Sessions{Most: int64(h.session.Weight) + room}
		s, err := warm.Take(t.Context(), h.journal, stream)
		if err != nil {
			t.Fatal(err)
		}
		s.Beside, s.BesideBytes = "made of it", beside
		warm.Give(s)
		again, err := warm.Take(t.Context(), h.journal, stream)
		if err != nil || again != s || (again.Beside != nil) != want {
			t.Errorf("room for %d bytes besides: %v (%v), want it kept: %t", room, again.Beside, err, want)
		}
	}
}

// What is too large to be kept is opened anew, and makes no room by pushing others out.
func TestASessionThatIsTooLargeIsNotKept(t *testing.T) {
	h := newHistory(t, 9, 10)
	for range 30 {
		h.step()
	}
	for most, want := range map[int64]bool{int64(h.session.Weight): true, int64(h.session.Weight) - 1: false} {
		warm := &fold.Sessions{Most: most}
		s, err := warm.Take(t.Context(), h.journal, stream)
		if err != nil {
			t.Fatal(err)
		}
		warm.Give(s)
		again, err := warm.Take(t.Context(), h.journal, stream)
		if err != nil || (again == s) != want {
			t.Errorf("of %d bytes %d are kept: %t (%v), want %t", h.session.Weight, most, again == s, err, want)
		}
	}
}

// A driver that was overtaken ends after the one that overtook it.
func TestAnOlderCopyDoesNotReplaceANewerOne(t *testing.T) {
	h := newHistory(t, 5, 6)
	h.step()
	all := &fold.Sessions{}
	take := func() *fold.Session {
		s, err := all.Take(t.Context(), h.journal, stream)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	older := take()
	h.step()
	newer := take()
	all.Give(newer)
	all.Give(older)
	if take() != newer {
		t.Error("the older copy is kept")
	}
	all.Give(older)
	if take() != older {
		t.Error("the only copy is not kept")
	}
}

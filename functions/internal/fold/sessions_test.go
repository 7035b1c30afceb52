package fold_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

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

package fold_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
)

// A session of so many commits, of a kilobyte or so each: folded from its beginning,
// and opened from its newest checkpoint.
func BenchmarkFold(b *testing.B) {
	for _, commits := range []int{20, 200, 2_000} {
		h := &history{t: b, dice: rand.New(rand.NewPCG(1, 0)), journal: eventstore.New(memory.New(), eventstore.WithBlobs(memory.NewBlobs()))}
		h.reopen()
		for range commits {
			if h.step(); h.session.CheckpointDue() {
				h.checkpoint()
			}
		}
		b.Run(fmt.Sprint("all of ", commits), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				all := &fold.Session{Stream: stream}
				if err := all.CatchUp(b.Context(), h.journal, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*commits), "ns/commit")
		})
		b.Run(fmt.Sprint("open, after ", commits), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.reopen()
			}
		})
	}
}

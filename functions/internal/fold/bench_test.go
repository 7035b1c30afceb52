package fold_test

import (
	"fmt"
	"testing"

	"windlass/functions/internal/fold"
)

// A session of so many commits, of a kilobyte or so each: folded from its beginning,
// and opened from its newest checkpoint.
func BenchmarkFold(b *testing.B) {
	for _, commits := range []int{20, 200, 2_000} {
		h := newHistory(b, 1, 0)
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

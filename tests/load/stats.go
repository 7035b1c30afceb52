package main

import (
	"cmp"
	"slices"
	"time"
)

// percentile is the value that p of 100 are not above. It leaves the order of all as
// it is, and is zero of nothing.
func percentile[T cmp.Ordered](all []T, p int) T {
	if len(all) == 0 {
		var zero T
		return zero
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(all)-1, len(all)*p/100)]
}

func median[T cmp.Ordered](all []T) T { return percentile(all, 50) }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// since is how long ago that was, in milliseconds.
func since(t time.Time) float64 { return ms(time.Since(t)) }

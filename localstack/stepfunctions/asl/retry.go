package asl

import (
	"math"
	"slices"
	"time"
)

// maxDelaySeconds is the language's own bound on MaxDelaySeconds; it bounds a
// delay without one too, so that the arithmetic never overflows.
const maxDelaySeconds = 31_622_400

// Retrier says which errors are tried again, how often and how far apart.
type Retrier struct {
	ErrorEquals     []string
	IntervalSeconds int
	MaxAttempts     int
	BackoffRate     float64
	MaxDelaySeconds int
	FullJitter      bool
}

func readRetriers(o *object) []Retrier {
	elements := o.list("Retry")
	retriers := make([]Retrier, 0, len(elements))
	for i, raw := range elements {
		e := readObject(place(o, "Retry", i), raw, o.problems)
		e.text("Comment")
		r := Retrier{
			ErrorEquals:     readErrorEquals(e, i == len(elements)-1),
			IntervalSeconds: e.whole("IntervalSeconds", 1, maxSeconds, 1),
			MaxAttempts:     e.whole("MaxAttempts", 0, maxSeconds, 3),
			MaxDelaySeconds: e.whole("MaxDelaySeconds", 1, maxDelaySeconds-1, maxDelaySeconds),
			BackoffRate:     2,
		}
		if rate, given := typed[float64](e, "BackoffRate", "a number"); given {
			r.BackoffRate = rate
		}
		if r.BackoffRate < 1 {
			e.fail("BackoffRate", "must be at least 1.0")
		}
		if r.MaxDelaySeconds < maxDelaySeconds && r.MaxDelaySeconds <= r.IntervalSeconds {
			e.fail("MaxDelaySeconds", "must be greater than IntervalSeconds")
		}
		jitter, given := e.text("JitterStrategy")
		if given && jitter != "FULL" && jitter != "NONE" {
			e.fail("JitterStrategy", "must be FULL or NONE")
		}
		r.FullJitter = jitter == "FULL"
		e.done()
		retriers = append(retriers, r)
	}
	return retriers
}

// Delay is the time before the retry that follows failed attempt n (from 0) of
// this retrier. random is in [0, 1) and matters only with full jitter.
func (r *Retrier) Delay(n int, random float64) time.Duration {
	seconds := float64(r.IntervalSeconds) * math.Pow(r.BackoffRate, float64(n))
	if limit := float64(r.MaxDelaySeconds); !(seconds < limit) { // infinity and NaN too
		seconds = limit
	}
	if r.FullJitter {
		seconds *= random
	}
	return time.Duration(seconds * float64(time.Second))
}

// MatchRetrier returns the first retrier that covers the error, or -1. It is the
// only one that counts: if it is used up, the later ones are not asked.
func MatchRetrier(retriers []Retrier, name string) int {
	return slices.IndexFunc(retriers, func(r Retrier) bool { return Matches(r.ErrorEquals, name) })
}

package main

import (
	"fmt"
	"math"
)

// An axis maps values to a length, and knows the few of them that get a label.
type axis struct {
	low, high float64
	scale     func(float64) float64
	ticks     []float64
}

// linear goes from zero to a round number that is not under most.
func linear(most float64) axis {
	step := roundStep(most / 5)
	high := step * math.Max(1, math.Ceil(most/step-1e-9))
	a := axis{0, high, func(v float64) float64 { return v }, nil}
	for i := 0.0; i*step <= high+step/2; i++ {
		a.ticks = append(a.ticks, i*step)
	}
	return a
}

// roundStep is 1, 2 or 5 times a power of ten, and not under v.
func roundStep(v float64) float64 {
	if v <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v*(1-1e-9) {
			return n * power
		}
	}
	return 10 * power
}

// powers goes from a power of base that is not over least to one that is not under
// most. Neither may be zero.
func powers(base, least, most float64) axis {
	log := func(v float64) float64 { return math.Log(v) / math.Log(base) }
	from, to := math.Floor(log(least)+1e-9), math.Ceil(log(most)-1e-9)
	if to <= from {
		to = from + 1
	}
	a := axis{math.Pow(base, from), math.Pow(base, to), log, nil}
	for e := from; e <= to; e++ {
		a.ticks = append(a.ticks, math.Pow(base, e))
	}
	return a
}

// at is where a value stands, from 0 to 1; one that is beyond an end stands there.
func (a axis) at(v float64) float64 {
	v = min(max(v, a.low), a.high)
	return (a.scale(v) - a.scale(a.low)) / (a.scale(a.high) - a.scale(a.low))
}

func label(v float64) string { return fmt.Sprintf("%.4g", v) }

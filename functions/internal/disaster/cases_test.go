package disaster

import (
	"math/rand/v2"
	"time"
)

// product is each call × each disaster (of the many reads every second), and for what
// drives a turn those that leave two drivers with smaller limits too.
func product(seen map[string]map[what]int) (all []scenario) {
	for _, w := range everything {
		for _, d := range disasters {
			if !means(w, d) {
				continue
			}
			step := 1
			if w == aRead {
				step = 2
			}
			for n := 1; n <= seen["deployed"][w]; n += step {
				for _, way := range ways(w, d) {
					all = append(all, scenario{row: row{w, d}, seed: uint64(n), limits: "deployed", strikes: []strike{{w, n, d, way}}})
				}
			}
			if !drives(w, d) {
				continue
			}
			for n := 1; n <= seen["a few"][w]; n++ {
				all = append(all, scenario{row: row{w, d}, seed: uint64(n), limits: "a few", strikes: []strike{{w, n, d, 1 + n%3}}})
			}
		}
	}
	return all
}

// drives: it may leave two drivers of one turn.
func drives(w what, d disaster) bool {
	switch d {
	case frozen, killedBefore, killedAfter, killedLate, stopped:
		return w == anAppend || w == aStart || w == aToken || w == invocation
	}
	return false
}

func ways(w what, d disaster) []int {
	switch {
	case d.ways() == 1:
		return []int{1}
	case w == anAppend && d != late || w == once:
		return []int{1, 2, 3}
	}
	return []int{2}
}

// any one strike.
func strikeAt(dice *rand.Rand, seen map[what]int) strike {
	for {
		w, d := everything[dice.IntN(len(everything))], disasters[dice.IntN(len(disasters))]
		if means(w, d) && seen[w] > 0 {
			return strike{w, 1 + dice.IntN(seen[w]), d, 1 + dice.IntN(3)}
		}
	}
}

// limitNames are in one order, so that a seed is the same run each time.
var limitNames = []string{"deployed", "a round", "a few"}

// pairs are two disasters in one run.
func pairs(seen map[string]map[what]int, n int) (all []scenario) {
	for seed := range uint64(n) {
		dice := rand.New(rand.NewPCG(seed, 1))
		name := limitNames[dice.IntN(len(limitNames))]
		all = append(all, scenario{
			row: row{"any", "and any other"}, seed: seed, limits: name,
			strikes: []strike{strikeAt(dice, seen[name]), strikeAt(dice, seen[name])},
		})
	}
	return all
}

// interruptions are a message, or a cancel, or both, at any time, and a disaster.
func interruptions(seen map[string]map[what]int, n int) (all []scenario) {
	for seed := range uint64(n) {
		dice := rand.New(rand.NewPCG(seed, 2))
		s := scenario{seed: seed, limits: "deployed", strikes: []strike{strikeAt(dice, seen["deployed"])}}
		if seed%3 != 0 {
			s.cancel = time.Duration(1+dice.IntN(90_000)) * time.Millisecond
			s.row = row{"any", "and a cancel"}
		}
		if seed%3 != 1 {
			s.steer = time.Duration(1+dice.IntN(3_000)) * time.Millisecond
			s.row = row{"any", "and a message"}
		}
		all = append(all, s)
	}
	return all
}

func every(cases []scenario, n int) (some []scenario) {
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

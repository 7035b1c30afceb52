package disaster

import (
	"math/rand/v2"
	"time"
)

// product is each call × each disaster (of the many reads some), and for what drives a
// turn those that leave two drivers with smaller limits too.
func product(story string, b base) (all []scenario) {
	for _, w := range everything {
		for _, d := range disasters {
			if !means(w, d) {
				continue
			}
			for n := 1; n <= b.seen["deployed"][w]; n += stories[story].step(w) {
				for _, way := range ways(w, d) {
					all = append(all, scenario{story: story, row: row{w, d}, seed: uint64(n), limits: "deployed", strikes: []strike{{w, n, d, way}}})
				}
			}
			if !drives(w, d) {
				continue
			}
			for n := 1; n <= b.seen["a few"][w]; n++ {
				all = append(all, scenario{story: story, row: row{w, d}, seed: uint64(n), limits: "a few", strikes: []strike{{w, n, d, 1 + n%3}}})
			}
		}
	}
	return all
}

func (s story) step(w what) int {
	switch w {
	case aRead:
		return s.some.reads
	case aPost:
		return s.some.posts
	}
	return 1
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
	case w == anAppend && d != late || w == once || w == handOver || w == telling || w == abandonment || w == wakes:
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
func pairs(story string, b base, n int) (all []scenario) {
	for seed := range uint64(n) {
		dice := rand.New(rand.NewPCG(seed, 1))
		name := limitNames[dice.IntN(len(limitNames))]
		all = append(all, scenario{
			story: story, row: row{"any", "and any other"}, seed: seed, limits: name,
			strikes: []strike{strikeAt(dice, b.seen[name]), strikeAt(dice, b.seen[name])},
		})
	}
	return all
}

// interruptions are a message, or a cancel, or both, at any time within some, and a
// disaster.
func interruptions(story string, b base, n int, within time.Duration) (all []scenario) {
	for seed := range uint64(n) {
		dice := rand.New(rand.NewPCG(seed, 2))
		s := scenario{story: story, seed: seed, limits: "deployed", strikes: []strike{strikeAt(dice, b.seen["deployed"])}}
		if seed%3 != 0 {
			s.cancel = time.Duration(1+dice.Int64N(within.Milliseconds())) * time.Millisecond
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

package main

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func TestPercentilesLeaveTheOrderAlone(t *testing.T) {
	all := []int{5, 1, 4, 2, 3}
	for p, want := range map[int]int{0: 1, 50: 3, 99: 5, 100: 5} {
		if got := percentile(all, p); got != want {
			t.Errorf("%d of 100: %d, want %d", p, got, want)
		}
	}
	if !slices.Equal(all, []int{5, 1, 4, 2, 3}) {
		t.Errorf("the samples are now %v: an age curve would be wrong", all)
	}
	if got := percentile([]float64(nil), 99); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestVerdicts(t *testing.T) {
	many := make([]float64, fewForP99)
	for i := range many {
		many[i] = 1
	}
	slow := slices.Clone(many)
	slow[0] = 9
	for name, c := range map[string]struct {
		row
		err  error
		want string
	}{
		"under":                  {row{Goal: 2, Samples: []float64{1, 1, 9}}, nil, met},
		"exactly":                {row{Goal: 2, Samples: []float64{2}}, nil, notMet},
		"no goal":                {row{Samples: []float64{2}}, nil, ""},
		"both":                   {row{Goal: 2, P99Goal: 3, Samples: many}, nil, met},
		"a slow tail":            {row{Goal: 2, P99Goal: 3, Samples: slow}, nil, notMet},
		"too few for a tail":     {row{Goal: 2, P99Goal: 3, Samples: []float64{1}}, nil, notMet},
		"nothing":                {row{Goal: 2}, nil, failed},
		"work that was not done": {row{Goal: 2, Samples: []float64{1}}, errors.New("no"), failed},
	} {
		r := c.row
		r.finish(c.err)
		if r.Verdict != c.want {
			t.Errorf("%s: %q, want %q", name, r.Verdict, c.want)
		}
	}
}

func TestARowThatFailedShowsNoTime(t *testing.T) {
	r := row{Name: "a", Goal: 5, Samples: []float64{1.5, 2.5}}
	r.finish(errors.New("half of it"))
	cells := r.cells()
	if want := []string{"a", "–", "–", "–", "–", "–", "5.00", failed, "–", "–"}; !slices.Equal(cells, want) || r.Samples != nil {
		t.Errorf("%q with samples %v, want %q", cells, r.Samples, want)
	}
	if (&results{Rows: []row{{}}}).failed() || !(&results{Rows: []row{{}, r}}).failed() {
		t.Error("the command would not tell")
	}
}

func TestAxes(t *testing.T) {
	for most, want := range map[float64][]float64{
		0: {0, 1}, 1: {0, 0.2, 0.4, 0.6, 0.8, 1}, 7: {0, 2, 4, 6, 8}, 128: {0, 50, 100, 150},
	} {
		if got := linear(most); !near(got.ticks, want) || got.at(0) != 0 || got.at(most) > 1 {
			t.Errorf("to %v: %v", most, got.ticks)
		}
	}
	if got := powers(2, 1, 64); len(got.ticks) != 7 || math.Abs(got.at(8)-0.5) > 1e-9 {
		t.Errorf("doubling: %v, 8 is at %v", got.ticks, got.at(8))
	}
	if got := powers(10, 3, 3); got.at(3) <= 0 || got.at(3) >= 1 {
		t.Errorf("one value: %v", got.at(3))
	}
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
}

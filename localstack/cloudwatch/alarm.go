package cloudwatch

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// State is an alarm's.
type State string

// The states.
const (
	OK           State = "OK"
	Alarming     State = "ALARM"
	Insufficient State = "INSUFFICIENT_DATA"
)

// Alarm is one of a template's.
type Alarm struct {
	Name, Description string
	// Metrics are added up: one, or those of a metric expression.
	Metrics []Metric
	// Statistic is Sum, Average, Minimum, Maximum, SampleCount, or a percentile such as p99.
	Statistic string
	// Period is what a datapoint is of, in whole minutes. Of the newest Periods datapoints
	// Breaching have to breach.
	Period             time.Duration
	Periods, Breaching int
	Threshold          float64
	// Comparison and Missing are CloudWatch's words: ComparisonOperator, TreatMissingData.
	Comparison, Missing string
}

// compare are the comparisons that are modelled.
var compare = map[string]func(v, threshold float64) bool{
	"GreaterThanThreshold":          func(v, t float64) bool { return v > t },
	"GreaterThanOrEqualToThreshold": func(v, t float64) bool { return v >= t },
	"LessThanThreshold":             func(v, t float64) bool { return v < t },
	"LessThanOrEqualToThreshold":    func(v, t float64) bool { return v <= t },
}

// Missing data: of what nothing is known.
const (
	NotBreaching = "notBreaching"
	Breaching    = "breaching"
	IsMissing    = "missing"
)

// Check says what of an alarm is not modelled.
func (a Alarm) Check() error {
	_, percentile := percentileOf(a.Statistic)
	switch {
	case len(a.Metrics) == 0:
		return fmt.Errorf("alarm %s: it watches no metric", a.Name)
	case !percentile && !slices.Contains([]string{"Sum", "Average", "Minimum", "Maximum", "SampleCount"}, a.Statistic):
		return fmt.Errorf("alarm %s: the statistic %q is not modelled", a.Name, a.Statistic)
	case a.Period < minute || a.Period%minute != 0 || a.Period > kept:
		return fmt.Errorf("alarm %s: a period of %s is not modelled; it is whole minutes up to a day", a.Name, a.Period)
	case a.Periods < 1 || a.Breaching < 1 || a.Breaching > a.Periods:
		return fmt.Errorf("alarm %s: %d of %d datapoints", a.Name, a.Breaching, a.Periods)
	case compare[a.Comparison] == nil:
		return fmt.Errorf("alarm %s: the comparison %q is not modelled", a.Name, a.Comparison)
	case a.Missing != NotBreaching && a.Missing != Breaching && a.Missing != IsMissing:
		return fmt.Errorf("alarm %s: TreatMissingData %q is not modelled", a.Name, a.Missing)
	}
	return nil
}

// State is the alarm's at a time: of its newest datapoints, the one under way among them,
// so many breach. Where silence breaches, a period has to be over to be silent.
func (m *Metrics) State(a Alarm, now time.Time) State {
	breach, known := 0, 0
	newest := now.UTC().Truncate(a.Period)
	if _, ok := m.value(a, newest); !ok && a.Missing == Breaching {
		newest = newest.Add(-a.Period)
	}
	for i := range a.Periods {
		v, ok := m.value(a, newest.Add(-time.Duration(i)*a.Period))
		switch {
		case ok:
			known++
			if compare[a.Comparison](v, a.Threshold) {
				breach++
			}
		case a.Missing == Breaching:
			breach++
		}
	}
	switch {
	case breach >= a.Breaching:
		return Alarming
	case known == 0 && a.Missing == IsMissing:
		return Insufficient
	}
	return OK
}

// value is a period's datapoint. What one metric of several lacks counts as nothing.
func (m *Metrics) value(a Alarm, from time.Time) (sum float64, ok bool) {
	for _, of := range a.Metrics {
		if p := m.over(of, from, a.Period); p != nil {
			sum += p.statistic(a.Statistic)
			ok = true
		}
	}
	return sum, ok
}

func (p *point) statistic(name string) float64 {
	switch name {
	case "Sum":
		return p.sum
	case "Average":
		return p.sum / float64(p.count)
	case "Minimum":
		return p.min
	case "Maximum":
		return p.max
	case "SampleCount":
		return float64(p.count)
	}
	of, _ := percentileOf(name)
	values := slices.Sorted(slices.Values(p.values))
	return values[max(int(math.Ceil(of/100*float64(len(values))))-1, 0)]
}

// percentileOf reads a percentile's name.
func percentileOf(name string) (of float64, ok bool) {
	digits, ok := strings.CutPrefix(name, "p")
	of, err := strconv.ParseFloat(digits, 64)
	return of, ok && err == nil && of > 0 && of <= 100
}

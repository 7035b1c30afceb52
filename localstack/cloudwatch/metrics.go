package cloudwatch

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Metric names one series.
type Metric struct {
	Namespace, Name string
	Dimensions      map[string]string
}

// key is the same for the same series.
func (m Metric) key() string {
	parts := []string{m.Namespace, m.Name}
	for _, name := range slices.Sorted(maps.Keys(m.Dimensions)) {
		parts = append(parts, name, m.Dimensions[name])
	}
	return strings.Join(parts, "\x00")
}

// Bounds of what is kept.
const (
	minute    = time.Minute
	kept      = 24 * time.Hour
	maxSeries = 1000
	// maxValues bounds a minute's values, for percentiles; later ones are counted alone.
	maxValues = 1000
)

// Metrics holds datapoints by the minute. It is safe for concurrent use.
type Metrics struct {
	mu     sync.Mutex
	series map[string]map[time.Time]*point
}

// New holds none yet.
func New() *Metrics { return &Metrics{series: map[string]map[time.Time]*point{}} }

// point is what one minute has of a series.
type point struct {
	values        []float64
	sum, min, max float64
	count         int
}

func (p *point) add(v float64) {
	if p.count == 0 || v < p.min {
		p.min = v
	}
	if p.count == 0 || v > p.max {
		p.max = v
	}
	p.sum += v
	p.count++
	if len(p.values) < maxValues {
		p.values = append(p.values, v)
	}
}

// Put adds values to a series.
func (m *Metrics) Put(of Metric, at time.Time, values ...float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.series[of.key()]
	if s == nil {
		if len(m.series) >= maxSeries {
			return
		}
		s = map[time.Time]*point{}
		m.series[of.key()] = s
	}
	slot := at.UTC().Truncate(minute)
	p := s[slot]
	if p == nil {
		p = &point{}
		s[slot] = p
		maps.DeleteFunc(s, func(t time.Time, _ *point) bool { return t.Before(slot.Add(-kept)) })
	}
	for _, v := range values {
		p.add(v)
	}
}

// over is a series' points from a time on for so long, as one; nil for none.
func (m *Metrics) over(of Metric, from time.Time, long time.Duration) *point {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all *point
	for t := from; t.Before(from.Add(long)); t = t.Add(minute) {
		p := m.series[of.key()][t]
		if p == nil {
			continue
		}
		if all == nil {
			all = &point{min: p.min, max: p.max}
		}
		all.min, all.max = min(all.min, p.min), max(all.max, p.max)
		all.sum, all.count = all.sum+p.sum, all.count+p.count
		all.values = append(all.values, p.values...)
	}
	return all
}

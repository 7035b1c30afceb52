package telemetry

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Namespace and Dimension name the metrics in CloudWatch; the dimension's value is the
// deployment's.
const (
	Namespace = "Windlass"
	Dimension = "Service"
)

// A Unit is CloudWatch's.
type Unit string

// The units that are used.
const (
	Count        Unit = "Count"
	Milliseconds Unit = "Milliseconds"
	USD          Unit = "None"
)

// maxValues bounds a metric's values in one line; the format says so.
const maxValues = 100

// Metrics collects a function's. Nil collects none. It is safe for concurrent use.
type Metrics struct {
	// Service is the deployment's name.
	Service string
	Now     func() time.Time

	mu     sync.Mutex
	values map[string]*series
}

type series struct {
	unit   Unit
	values []float64
}

// Add notes a value.
func (m *Metrics) Add(name string, unit Unit, value float64) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.values[name]
	if s == nil {
		if m.values == nil {
			m.values = map[string]*series{}
		}
		s = &series{unit: unit}
		m.values[name] = s
	}
	if unit == Count && len(s.values) > 0 {
		s.values[0] += value // nobody asks how often an invocation counted
		return
	}
	s.values = append(s.values, value)
}

// Took notes how long something took.
func (m *Metrics) Took(name string, d time.Duration) {
	m.Add(name, Milliseconds, float64(d)/float64(time.Millisecond))
}

// Level is that of metrics, which are logged whatever the level of logs is.
const Level = slog.LevelInfo + 1

// Flush logs what was noted since the last time, if anything was.
func (m *Metrics) Flush(ctx context.Context) {
	if m == nil {
		return
	}
	m.mu.Lock()
	values := m.values
	m.values = nil
	m.mu.Unlock()
	for len(values) > 0 {
		slog.LogAttrs(ctx, Level, "metrics", m.line(values)...)
	}
}

// line takes what fits into one.
func (m *Metrics) line(values map[string]*series) []slog.Attr {
	d := directive{Namespace: Namespace, Dimensions: [][]string{{Dimension}}}
	attrs := []slog.Attr{slog.String(Dimension, m.Service)}
	for _, name := range sorted(values) {
		s := values[name]
		d.Metrics = append(d.Metrics, definition{name, s.unit})
		n := min(len(s.values), maxValues)
		if n == 1 {
			attrs = append(attrs, slog.Float64(name, s.values[0]))
		} else {
			attrs = append(attrs, slog.Any(name, s.values[:n]))
		}
		if s.values = s.values[n:]; len(s.values) == 0 {
			delete(values, name)
		}
	}
	return append(attrs, slog.Any("_aws", metadata{m.Now().UnixMilli(), []directive{d}}))
}

func sorted(values map[string]*series) []string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// metadata is the format's own object: what in the line is a metric.
type metadata struct {
	Timestamp         int64       `json:"Timestamp"`
	CloudWatchMetrics []directive `json:"CloudWatchMetrics"`
}

type directive struct {
	Namespace  string       `json:"Namespace"`
	Dimensions [][]string   `json:"Dimensions"`
	Metrics    []definition `json:"Metrics"`
}

type definition struct {
	Name string `json:"Name"`
	Unit Unit   `json:"Unit"`
}

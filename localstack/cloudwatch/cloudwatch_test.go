package cloudwatch

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	noon  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	lag   = Metric{"Windlass", "PublishLag", map[string]string{"Service": "windlass"}}
	fails = Metric{"AWS/States", "ExecutionsFailed", nil}
	other = Metric{"AWS/States", "ExecutionsTimedOut", nil}
)

// after is the alarm's state some minutes after noon, with values by the minute.
func state(a Alarm, minutes int, values map[int][]float64) State {
	m := New()
	for at, v := range values {
		m.Put(a.Metrics[0], noon.Add(time.Duration(at)*time.Minute), v...)
	}
	return m.State(a, noon.Add(time.Duration(minutes)*time.Minute+30*time.Second))
}

func TestAStateFollowsFromTheNewestDatapoints(t *testing.T) {
	base := Alarm{Name: "a", Metrics: []Metric{lag}, Statistic: "Sum", Period: time.Minute, Periods: 1, Breaching: 1, Threshold: 10, Comparison: "GreaterThanThreshold", Missing: NotBreaching}
	with := func(change func(*Alarm)) Alarm {
		a := base
		change(&a)
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
		return a
	}
	for name, c := range map[string]struct {
		alarm  Alarm
		at     int
		values map[int][]float64
		want   State
	}{
		"nothing":              {base, 0, nil, OK},
		"at the threshold":     {base, 0, map[int][]float64{0: {4, 6}}, OK},
		"over it":              {base, 0, map[int][]float64{0: {4, 7}}, Alarming},
		"over":                 {base, 1, map[int][]float64{0: {11}}, OK},
		"at least":             {with(func(a *Alarm) { a.Comparison = "GreaterThanOrEqualToThreshold" }), 0, map[int][]float64{0: {10}}, Alarming},
		"less":                 {with(func(a *Alarm) { a.Comparison = "LessThanThreshold" }), 0, map[int][]float64{0: {9}}, Alarming},
		"at most":              {with(func(a *Alarm) { a.Comparison = "LessThanOrEqualToThreshold" }), 0, map[int][]float64{0: {11}}, OK},
		"silence is bad":       {with(func(a *Alarm) { a.Missing = Breaching }), 0, nil, Alarming},
		"silence is unknown":   {with(func(a *Alarm) { a.Missing = IsMissing }), 0, nil, Insufficient},
		"average":              {with(func(a *Alarm) { a.Statistic = "Average" }), 0, map[int][]float64{0: {1, 20}}, Alarming},
		"minimum":              {with(func(a *Alarm) { a.Statistic = "Minimum" }), 0, map[int][]float64{0: {20, 1, 30}}, OK},
		"maximum":              {with(func(a *Alarm) { a.Statistic = "Maximum" }), 0, map[int][]float64{0: {1, 30, 2}}, Alarming},
		"count":                {with(func(a *Alarm) { a.Statistic, a.Threshold = "SampleCount", 1 }), 0, map[int][]float64{0: {1, 1}}, Alarming},
		"the median":           {with(func(a *Alarm) { a.Statistic = "p50" }), 0, map[int][]float64{0: {1, 2, 30}}, OK},
		"the worst":            {with(func(a *Alarm) { a.Statistic = "p99" }), 0, map[int][]float64{0: {1, 2, 30}}, Alarming},
		"a long period":        {with(func(a *Alarm) { a.Period = 5 * time.Minute }), 4, map[int][]float64{0: {6}, 3: {6}}, Alarming},
		"another long period":  {with(func(a *Alarm) { a.Period = 5 * time.Minute }), 5, map[int][]float64{0: {6}, 3: {6}}, OK},
		"two of three":         {with(func(a *Alarm) { a.Periods, a.Breaching = 3, 2 }), 4, map[int][]float64{2: {11}, 3: {1}, 4: {11}}, Alarming},
		"one of three":         {with(func(a *Alarm) { a.Periods, a.Breaching = 3, 2 }), 4, map[int][]float64{1: {11}, 3: {1}, 4: {11}}, OK},
		"what was yesterday's": {base, 2 * 24 * 60, map[int][]float64{0: {100}}, OK},
	} {
		if got := state(c.alarm, c.at, c.values); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestMetricsOfAnExpressionAreAddedUp(t *testing.T) {
	m := New()
	a := Alarm{Name: "a", Metrics: []Metric{fails, other}, Statistic: "Sum", Period: time.Hour, Periods: 1, Breaching: 1, Threshold: 2, Comparison: "GreaterThanThreshold", Missing: NotBreaching}
	m.Put(fails, noon, 1, 1)
	if got := m.State(a, noon); got != OK {
		t.Error(got)
	}
	m.Put(other, noon.Add(30*time.Minute), 1)
	if got := m.State(a, noon.Add(40*time.Minute)); got != Alarming {
		t.Error(got)
	}
}

func TestWhatIsNotModelledIsRefused(t *testing.T) {
	good := Alarm{Name: "a", Metrics: []Metric{lag}, Statistic: "p99.9", Period: time.Minute, Periods: 2, Breaching: 1, Comparison: "LessThanThreshold", Missing: IsMissing}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Alarm){
		"metric": func(a *Alarm) { a.Metrics = nil }, "statistic": func(a *Alarm) { a.Statistic = "IQM" }, "percentile": func(a *Alarm) { a.Statistic = "p101" },
		"seconds": func(a *Alarm) { a.Period = 10 * time.Second }, "days": func(a *Alarm) { a.Period = 48 * time.Hour }, "none": func(a *Alarm) { a.Periods = 0 },
		"more than all": func(a *Alarm) { a.Breaching = 3 }, "comparison": func(a *Alarm) { a.Comparison = "LessThanLowerThreshold" }, "missing": func(a *Alarm) { a.Missing = "ignore" },
	} {
		bad := good
		change(&bad)
		if bad.Check() == nil {
			t.Errorf("%s: %+v was taken", name, bad)
		}
	}
}

func TestAChangeIsToldOnce(t *testing.T) {
	var log bytes.Buffer
	w := &Watch{Metrics: New(), Log: slog.New(slog.NewTextHandler(&log, nil)), Alarms: []Alarm{
		{Name: "slow", Description: "see the runbook", Metrics: []Metric{lag}, Statistic: "Maximum", Period: time.Minute, Periods: 1, Breaching: 1, Threshold: 10, Comparison: "GreaterThanThreshold", Missing: NotBreaching},
	}}
	var got []map[string]State
	for i, v := range []float64{1, 11, 12, 2, 2} {
		at := noon.Add(time.Duration(i) * time.Minute)
		w.Metrics.Put(lag, at, v)
		got = append(got, w.Look(at))
	}
	if d := cmp.Diff([]map[string]State{{}, {"slow": Alarming}, {}, {"slow": OK}, {}}, got); d != "" {
		t.Error(d)
	}
	if s := log.String(); strings.Count(s, "\n") != 2 || !strings.Contains(s, "see the runbook") {
		t.Error(s)
	}
}

// A line of the embedded metric format is metrics, and no line of the log.
func TestMetricsAreTakenOutOfTheLog(t *testing.T) {
	var out bytes.Buffer
	m := New()
	log := slog.New(Handler{slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelWarn}), m}).With("function", "publish")
	type any2 = map[string]any
	log.Info("metrics", "Service", "windlass", "PublishLag", []float64{5, 9}, "Other", 3.0, "_aws", any2{
		"Timestamp":         noon.UnixMilli(),
		"CloudWatchMetrics": []any2{{"Namespace": "Windlass", "Dimensions": [][]string{{"Service"}}, "Metrics": []any2{{"Name": "PublishLag", "Unit": "Milliseconds"}}}},
	})
	log.Info("not at this level")
	log.Warn("a line")
	if p := m.over(lag, noon, time.Minute); p == nil || p.sum != 14 || p.count != 2 {
		t.Errorf("%+v", p)
	}
	if s := out.String(); strings.Count(s, "\n") != 1 || !strings.Contains(s, "a line") || !strings.Contains(s, "function=publish") {
		t.Error(s)
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	m := New()
	for i := range 3 * maxSeries {
		m.Put(Metric{Name: strings.Repeat("x", i)}, noon, 1)
	}
	for i := range 3 * 24 * 60 {
		m.Put(Metric{}, noon.Add(time.Duration(i)*time.Minute), make([]float64, maxValues+1)...)
	}
	if n := len(m.series); n > maxSeries {
		t.Errorf("%d series", n)
	}
	s := m.series[Metric{}.key()]
	if len(s) > 24*60+1 {
		t.Errorf("%d minutes", len(s))
	}
	for _, p := range s {
		if len(p.values) > maxValues {
			t.Fatalf("%d values", len(p.values))
		}
	}
}

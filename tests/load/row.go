package main

// Row is one line of the table: what was measured, of how many samples, and beside it
// what it must be and what others needed.
type row struct {
	Name string `json:"name"`
	// Unit is ms, or × for a ratio.
	Unit string `json:"unit"`
	// Goal is what the median must be under; P99Goal the same of the 99th percentile.
	// 0 means that there is none.
	Goal    float64 `json:"goal,omitempty"`
	P99Goal float64 `json:"p99Goal,omitempty"`
	// Peer and Fastest are what others needed, as text: ranges, measured elsewhere.
	Peer    string `json:"peer,omitempty"`
	Fastest string `json:"fastest,omitempty"`

	// Summaries is how often at most the model was asked for one, beside the answers:
	// the transcript had become longer than the agent's limits say.
	Summaries int `json:"summaries,omitempty"`

	// often is how many samples are taken for each that was asked for; 0 is 1. What takes
	// a few milliseconds varies by as many.
	often int

	Samples []float64 `json:"samples"`
	Median  float64   `json:"median"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max"`
	P95     float64   `json:"p95,omitempty"`
	P99     float64   `json:"p99,omitempty"`
	// Verdict is met, NOT MET, FAILED, not run, or empty where there is no goal.
	Verdict string `json:"verdict,omitempty"`
	// Why says what failed, or why it was not run.
	Why string `json:"why,omitempty"`
}

// Samples below which a percentile would only be another name for the maximum.
const (
	fewForP95 = 20
	fewForP99 = 100
)

const (
	met    = "met"
	notMet = "NOT MET"
	failed = "FAILED"
	notRun = "not run"
)

// finish derives everything from the samples. A row that failed keeps no number: a
// time for work that was not done is none.
func (r *row) finish(err error) {
	if r.Unit == "" {
		r.Unit = "ms"
	}
	if err == nil && len(r.Samples) == 0 {
		err = errNothing
	}
	if err != nil {
		r.Samples, r.Verdict, r.Why = nil, failed, err.Error()
		return
	}
	r.Median, r.Min, r.Max = median(r.Samples), percentile(r.Samples, 0), percentile(r.Samples, 100)
	if len(r.Samples) >= fewForP95 {
		r.P95 = percentile(r.Samples, 95)
	}
	if len(r.Samples) >= fewForP99 {
		r.P99 = percentile(r.Samples, 99)
	}
	r.judge()
}

// judge compares with the goals. A percentile that is not known meets none.
func (r *row) judge() {
	if r.Goal == 0 && r.P99Goal == 0 {
		return
	}
	r.Verdict = met
	if r.Goal > 0 && r.Median >= r.Goal || r.P99Goal > 0 && (r.P99 == 0 || r.P99 >= r.P99Goal) {
		r.Verdict = notMet
	}
}

// Curve is one line of a picture.
type curve struct {
	Name   string  `json:"name"`
	Points []point `json:"points"`
}

// Point is a median with its range, at an X.
type point struct {
	X      float64 `json:"x"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// add adds a point; of no samples there is none.
func (c *curve) add(x float64, samples []float64) {
	if len(samples) > 0 {
		c.Points = append(c.Points, point{x, median(samples), percentile(samples, 0), percentile(samples, 100)})
	}
}

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// A scenario is one or more rows that are measured together, on a stack of their own.
type scenario struct {
	name, does string
	// own: it kills the process, and runs only where that is ours.
	own bool
	// long: it runs only when it is asked for.
	long bool
	run  func(context.Context, *bench) error
}

var scenarios = []scenario{
	{name: "baseline", does: "a turn of one round", run: turns(baseline)},
	{name: "seen", does: "the same, as a socket and as a waiting request see it", run: seen},
	{name: "deep", does: "turns of many rounds", run: turns(deep)},
	{name: "wide", does: "one round of many calls", run: turns(wide)},
	{name: "big-tools", does: "calls with large contents", run: turns(bigTools)},
	{name: "huge-prompt", does: "a large prompt, inline and by upload", run: hugePrompts},
	{name: "many-ops", does: "200 operations in one session", run: manyOperations},
	{name: "concurrent", does: "32 sessions at once", run: concurrent},
	{name: "submit", does: "from the request to the receipt", run: submits},
	{name: "kill", does: "kill -9 in mid-turn, and nobody asks", own: true, run: kills},
	{name: "rounds", does: "curve: the cost of a round over a turn's length", run: roundCurve},
	{name: "concurrency", does: "curve: throughput over sessions at once", run: concurrencyCurve},
	{name: "delivery", does: "curve: from a write to its event at followers", run: delivery},
	{name: "long", does: "the receipt at the 100,000th operation (minutes)", long: true, run: longLife},
}

// chosen are the scenarios to run: one by its name, or all but the long ones.
func chosen(only string, long bool) ([]scenario, error) {
	var all []scenario
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
		if only == s.name || only == "" && (long || !s.long) {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("-only %q: there are %s", only, strings.Join(names, ", "))
	}
	return all, nil
}

// settings are the flags that scenarios see.
type settings struct {
	repeat, warmup int
	// operations is how many the long scenario makes.
	operations int
}

// A bench is one scenario under way.
type bench struct {
	settings
	place
	progress io.Writer
	results  *results
	sessions int
	began    int64
	// summaries is how many of them a sample of the row had.
	summaries largest
}

// patience bounds one sample.
const patience = 2 * time.Minute

// session is a name that nobody else has used, there or in an earlier run.
func (b *bench) session() string {
	b.sessions++
	return fmt.Sprintf("load-%d-%d", b.began, b.sessions)
}

// each takes samples: some that do not count, then n of them. It ends with the first
// that fails.
func (b *bench) each(ctx context.Context, name string, n int, sample func(ctx context.Context, counts bool) error) error {
	fmt.Fprintf(b.progress, "  %-36s", name)
	for i := -b.warmup; i < n; i++ {
		if err := within(ctx, i >= 0, sample); err != nil {
			return err
		}
		if i < b.repeat {
			fmt.Fprint(b.progress, ".")
		}
	}
	return nil
}

// measure takes a row's samples. What fails is the row's: the others go on.
func (b *bench) measure(ctx context.Context, r row, sample func(context.Context) (float64, error)) row {
	b.summaries.n.Store(0)
	err := b.each(ctx, r.Name, b.repeat*max(1, r.often), func(ctx context.Context, counts bool) error {
		took, err := sample(ctx)
		if counts {
			r.Samples = append(r.Samples, took)
		}
		return err
	})
	r.Summaries = b.summaries.most()
	r = b.add(r, err)
	fmt.Fprintf(b.progress, " %s\n", r.short())
	return r
}

func within(ctx context.Context, counts bool, sample func(context.Context, bool) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return sample(ctx, counts)
}

// add finishes a row.
func (b *bench) add(r row, err error) row {
	r.finish(err)
	b.results.Rows = append(b.results.Rows, r)
	return r
}

// derived adds a row whose samples came with another one's, and shows it.
func (b *bench) derived(r row, err error) {
	r = b.add(r, err)
	fmt.Fprintf(b.progress, "  %-36s %s\n", r.Name, r.short())
}

// endLine ends a line of dots.
func (b *bench) endLine() { fmt.Fprintln(b.progress) }

// draw adds a line to one of the pictures.
func (b *bench) draw(picture string, c curve) {
	b.results.Pictures[picture] = append(b.results.Pictures[picture], c)
}

// perform runs one scenario in a place of its own. Its error is of the place, or of
// what cannot be a row's.
func perform(ctx context.Context, s scenario, open opener, set settings, out io.Writer, all *results) error {
	p, end, err := open(ctx)
	if err != nil {
		return err
	}
	defer end()
	fmt.Fprintf(out, "%s: %s\n", s.name, s.does)
	b := &bench{settings: set, place: p, progress: out, results: all, began: time.Now().UnixNano()}
	if s.own && p.stack == nil {
		all.Rows = append(all.Rows, row{Name: s.name, Verdict: notRun, Why: "only a process of its own is killed"})
		return nil
	}
	began := time.Now()
	err = s.run(ctx, b)
	fmt.Fprintf(out, "  %.0f s\n", time.Since(began).Seconds())
	if mb := b.peak(); mb > 0 {
		all.Memory = append(all.Memory, peak{s.name, mb})
	}
	return err
}

// peak is the most that a scenario's process had resident.
type peak struct {
	Scenario string  `json:"scenario"`
	MB       float64 `json:"mb"`
}

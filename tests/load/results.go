package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// results are everything that one run of the command found.
type results struct {
	Machine machine `json:"machine"`
	Seen    string  `json:"seen"`
	Rows    []row   `json:"rows"`
	// Pictures are the lines of each picture.
	Pictures map[string][]curve `json:"pictures"`
	Memory   []peak             `json:"memory,omitempty"`
}

// seenBy says what the end of a turn is.
const seenBy = "A turn ends when its client has the last event over a socket that follows the session; ?wait=20 looks first after 10 ms, then less and less often."

const peersNote = "peer: the harness that this one is modelled on, in its own local mode. fastest: the best of DBOS for Go and Restate. Both were measured elsewhere, on a similar machine: they are for orientation."

// print writes the table.
func (all *results) print(to io.Writer) error {
	fmt.Fprintf(to, "\n%s\n\n", all.Machine)
	t := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "scenario\tmedian\tmin–max\tp95\tp99\tn\tmust be under\t\tpeer\tfastest")
	for _, r := range all.Rows {
		fmt.Fprintln(t, strings.Join(r.cells(), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(to, "\nMilliseconds, unless a unit stands there. %s\n%s\n", all.Seen, peersNote)
	all.summarised(to)
	all.reasons(to)
	if len(all.Memory) > 0 {
		fmt.Fprint(to, "Most that the process had resident, in MB:")
		for _, m := range all.Memory {
			fmt.Fprintf(to, " %s %.0f", m.Scenario, m.MB)
		}
		fmt.Fprintln(to)
	}
	return nil
}

// reasons says why rows have no number.
func (all *results) reasons(to io.Writer) {
	for _, r := range all.Rows {
		if r.Why != "" {
			fmt.Fprintf(to, "%s: %s: %s\n", r.Name, r.Verdict, r.Why)
		}
	}
}

// summarised says for which rows the model had more to do than to answer.
func (all *results) summarised(to io.Writer) {
	var names []string
	for _, r := range all.Rows {
		if r.Summaries > 0 {
			names = append(names, fmt.Sprintf("%s (%d)", r.Name, r.Summaries))
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(to, "Where the transcript grew over the agent's limit, the model was asked for summaries beside the answers: %s.\n", strings.Join(names, ", "))
	}
}

func (r row) cells() []string {
	cells := []string{r.Name, "–", "–", "–", "–", "–", r.goals(), r.Verdict, text(r.Peer), text(r.Fastest)}
	if n := len(r.Samples); n > 0 {
		cells[1] = r.number(r.Median)
		cells[2] = number(r.Min) + "–" + number(r.Max)
		cells[5] = fmt.Sprint(n)
	}
	if r.P95 > 0 {
		cells[3] = number(r.P95)
	}
	if r.P99 > 0 {
		cells[4] = number(r.P99)
	}
	return cells
}

// short is the row in a few words, for who waits.
func (r row) short() string {
	switch {
	case r.Why != "":
		return strings.TrimSpace(r.Verdict + " " + r.Why)
	case r.Verdict == "":
		return r.number(r.Median)
	}
	return r.number(r.Median) + ", " + r.Verdict + " (" + r.goals() + ")"
}

func (r row) goals() string {
	var goals []string
	if r.Goal > 0 {
		goals = append(goals, r.number(r.Goal))
	}
	if r.P99Goal > 0 {
		goals = append(goals, "p99 "+r.number(r.P99Goal))
	}
	return text(strings.Join(goals, ", "))
}

func (r row) number(v float64) string {
	if r.Unit == "ms" || r.Unit == "" {
		return number(v)
	}
	return number(v) + " " + r.Unit
}

func text(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// number has about three digits: more would say more than was measured.
func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

// failed reports whether some work was not done. A goal that is not met is no failure.
func (all *results) failed() bool {
	return slices.ContainsFunc(all.Rows, func(r row) bool { return r.Verdict == failed })
}

// write writes all of it as JSON.
func (all *results) write(file string) error {
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

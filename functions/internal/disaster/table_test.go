package disaster

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"
)

// What goes wrong here on purpose would fill the terminal.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	debug.SetGCPercent(400) // a sixth of the time: what a case leaves is all garbage
	os.Exit(m.Run())
}

// row is a line of a story's table.
type row struct {
	what what
	does disaster
}

// line counts what came of a row's cases.
type line struct {
	cases, duplicates, losses, stuck, wrong int
	longest                                 time.Duration
}

func (l *line) add(v verdict) {
	l.cases++
	l.duplicates += v.duplicates
	l.losses += v.losses
	l.stuck += v.stuck
	l.longest = max(l.longest, v.took)
	if len(v.wrong) > 0 {
		l.wrong++
	}
}

// table is what came of all cases, by story.
type table struct {
	lines  map[string]map[row]*line
	ledger ledger
	played int
}

func (t *table) add(s scenario, v verdict) {
	if v.hits == 0 {
		return
	}
	t.played++
	t.ledger.add(v.ledger)
	if t.lines[s.story] == nil {
		t.lines[s.story] = map[row]*line{}
	}
	if t.lines[s.story][s.row] == nil {
		t.lines[s.story][s.row] = &line{}
	}
	t.lines[s.story][s.row].add(v)
}

// Whatever leaves a process and whatever becomes of it: in the end the logs are what
// the undisturbed run leaves, nothing took effect twice or not at all, whoever
// follows has seen everything once, and nothing waits. And so it is when two things
// go wrong, when somebody cancels or says more meanwhile, and with all limits; and
// for a parent and its children.
func TestTableOfDisasters(t *testing.T) {
	began := time.Now()
	bases := map[string]base{}
	for name := range stories {
		bases[name] = undisturbed(t, name)
	}
	for _, w := range everything {
		if !slices.ContainsFunc(slices.Collect(maps.Values(bases)), func(b base) bool { return b.seen["deployed"][w] > 0 }) {
			t.Fatalf("there is no %s to be disturbed", w)
		}
	}
	theirs := slices.Concat(product(parent, bases[parent]), product(abandoned, bases[abandoned]), pairs(parent, bases[parent], 200), interruptions(parent, bases[parent], 100, 40*time.Second), interruptions(parent, bases[parent], 100, 5*time.Second))
	if !testing.Verbose() { // who wants to see the table gets all of it
		theirs = every(theirs, 6)
	}
	cases := slices.Concat(product(alone, bases[alone]), pairs(alone, bases[alone], 350), interruptions(alone, bases[alone], 200, 90*time.Second), theirs)
	if testing.Short() || race {
		cases = every(cases, 10)
	}
	all := table{lines: map[string]map[row]*line{}, ledger: ledger{}}
	play(t, cases, bases, &all)
	show(t, all)
	t.Logf("%d cases in %s", all.played, time.Since(began).Round(time.Second/10))
	if want := len(cases) / 2; all.played < want {
		t.Errorf("only %d of %d cases met their disaster: the product does not hit what it says", all.played, len(cases))
	}
}

// base is what a story leaves when nothing goes wrong, the same with all limits, and
// how often each call is made, by limits.
type base struct {
	essence []string
	seen    map[string]map[what]int
}

func undisturbed(t *testing.T, story string) base {
	b := base{seen: map[string]map[what]int{}}
	for name := range limits {
		v := scenario{story: story, seed: 1, limits: name}.run(t, b.essence)
		if len(v.wrong) > 0 {
			t.Fatalf("%s, undisturbed, with limits %q: %s", story, name, strings.Join(v.wrong, "\n"))
		}
		b.essence, b.seen[name] = v.essence, v.seen
	}
	return b
}

// maxShown is how many cases that went wrong are told in full.
const maxShown = 5

// play plays the cases, as many at a time as there are processors. What is counted
// are those that met their disaster.
func play(t *testing.T, cases []scenario, bases map[string]base, all *table) {
	var mu sync.Mutex
	var next atomic.Int64
	shown := 0
	t.Run("cases", func(t *testing.T) {
		for n := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				for i := next.Add(1) - 1; i < int64(len(cases)); i = next.Add(1) - 1 {
					s := cases[i]
					v := s.run(t, bases[s.story].essence)
					mu.Lock()
					all.add(s, v)
					if len(v.wrong) > 0 {
						if shown++; shown <= maxShown {
							t.Errorf("%s\n%s", s, strings.Join(v.wrong, "\n"))
						} else {
							t.Errorf("%s: wrong too", s)
						}
					}
					mu.Unlock()
				}
			})
		}
	})
}

func show(t *testing.T, all table) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all.lines)) {
		fmt.Fprintf(&b, "%s\n", name)
		printRows(&b, all.lines[name])
	}
	fmt.Fprintln(&b, "what became of the calls")
	all.ledger.print(&b)
	t.Log("\n" + b.String())
}

func printRows(b io.Writer, table map[row]*line) {
	rows := slices.SortedFunc(func(yield func(row) bool) {
		for r := range table {
			if !yield(r) {
				return
			}
		}
	}, func(a, b row) int {
		return cmp.Or(cmp.Compare(rank(everything, a.what), rank(everything, b.what)), cmp.Compare(rank(disasters, a.does), rank(disasters, b.does)), cmp.Compare(a.does, b.does))
	})
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tdisaster\tcases\tduplicates\tlosses\tstuck\twrong\tat rest within\t")
	var all line
	for _, r := range rows {
		l := table[r]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t\n", r.what, r.does, l.cases, l.duplicates, l.losses, l.stuck, l.wrong, l.longest.Round(time.Second))
		all = line{all.cases + l.cases, all.duplicates + l.duplicates, all.losses + l.losses, all.stuck + l.stuck, all.wrong + l.wrong, max(all.longest, l.longest)}
	}
	fmt.Fprintf(w, "all\t\t%d\t%d\t%d\t%d\t%d\t%s\t\n", all.cases, all.duplicates, all.losses, all.stuck, all.wrong, all.longest.Round(time.Second))
	_ = w.Flush()
}

// rank puts what is not in the list last.
func rank[T comparable](all []T, one T) int {
	if i := slices.Index(all, one); i >= 0 {
		return i
	}
	return len(all)
}

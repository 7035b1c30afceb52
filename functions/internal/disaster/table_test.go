package disaster

import (
	"cmp"
	"fmt"
	"log/slog"
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

// row is a line of the table.
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

// Whatever leaves a process and whatever becomes of it: in the end the log is what
// the undisturbed run leaves, nothing took effect twice or not at all, whoever
// follows has seen everything once, and nothing waits. And so it is when two things
// go wrong, when somebody cancels or says more meanwhile, and with all limits.
func TestTableOfDisasters(t *testing.T) {
	began := time.Now()
	base, seen := undisturbed(t)
	cases := product(seen)
	cases = append(cases, pairs(seen, 350)...)
	cases = append(cases, interruptions(seen, 200)...)
	if testing.Short() || race {
		cases = every(cases, 10)
	}
	table := map[row]*line{}
	played := play(t, cases, base, table)
	show(t, table)
	t.Logf("%d cases in %s", played, time.Since(began).Round(time.Second/10))
	if want := len(cases) / 2; played < want {
		t.Errorf("only %d of %d cases met their disaster: the product does not hit what it says", played, len(cases))
	}
}

// undisturbed is what is left when nothing goes wrong, the same with all limits, and
// how often each call is made.
func undisturbed(t *testing.T) (essence []string, seen map[string]map[what]int) {
	seen = map[string]map[what]int{}
	for name := range limits {
		v := scenario{seed: 1, limits: name}.run(t, essence)
		if len(v.wrong) > 0 {
			t.Fatalf("undisturbed, with limits %q: %s", name, strings.Join(v.wrong, "\n"))
		}
		essence, seen[name] = v.essence, v.seen
	}
	for _, w := range everything {
		if seen["deployed"][w] == 0 {
			t.Fatalf("there is no %s to be disturbed", w)
		}
	}
	return essence, seen
}

// maxShown is how many cases that went wrong are told in full.
const maxShown = 5

// play plays the cases, as many at a time as there are processors, and returns how
// many of them met a disaster.
func play(t *testing.T, cases []scenario, base []string, table map[row]*line) (played int) {
	var mu sync.Mutex
	var next atomic.Int64
	shown := 0
	t.Run("cases", func(t *testing.T) {
		for n := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				for i := next.Add(1) - 1; i < int64(len(cases)); i = next.Add(1) - 1 {
					s := cases[i]
					v := s.run(t, base)
					mu.Lock()
					if v.hits > 0 {
						played++
						if table[s.row] == nil {
							table[s.row] = &line{}
						}
						table[s.row].add(v)
					}
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
	return played
}

func show(t *testing.T, table map[row]*line) {
	rows := slices.SortedFunc(func(yield func(row) bool) {
		for r := range table {
			if !yield(r) {
				return
			}
		}
	}, func(a, b row) int {
		return cmp.Or(cmp.Compare(place(everything, a.what), place(everything, b.what)), cmp.Compare(place(disasters, a.does), place(disasters, b.does)))
	})
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "what\tdisaster\tcases\tduplicates\tlosses\tstuck\twrong\tat rest within\t")
	var all line
	for _, r := range rows {
		l := table[r]
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%s\t\n", r.what, r.does, l.cases, l.duplicates, l.losses, l.stuck, l.wrong, l.longest.Round(time.Second))
		all = line{all.cases + l.cases, all.duplicates + l.duplicates, all.losses + l.losses, all.stuck + l.stuck, all.wrong + l.wrong, max(all.longest, l.longest)}
	}
	fmt.Fprintf(w, "all\t\t%d\t%d\t%d\t%d\t%d\t%s\t\n", all.cases, all.duplicates, all.losses, all.stuck, all.wrong, all.longest.Round(time.Second))
	_ = w.Flush()
	t.Log("\n" + b.String())
}

// place puts what is not in the list last.
func place[T comparable](all []T, one T) int {
	if i := slices.Index(all, one); i >= 0 {
		return i
	}
	return len(all)
}

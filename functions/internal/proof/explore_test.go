package proof

import (
	"flag"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// full explores the large budgets: hours, and many gigabytes.
var full = flag.Bool("full", false, "explore the scenarios with their large budgets")

func TestMain(m *testing.M) {
	flag.Parse()
	debug.SetGCPercent(400) // much is kept, little is thrown away
	os.Exit(m.Run())
}

func named(t *testing.T, name string) scenario {
	t.Helper()
	for _, s := range scenarios {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("there is no scenario %q", name)
	return scenario{}
}

func show(t *testing.T, r report) {
	t.Helper()
	t.Logf("%-8s %8d states %9d edges  depth %2d %7s  %s", r.name, r.states, r.edges, r.depth, r.took.Round(10*time.Millisecond), r.verdict())
}

// Every interleaving of every scenario keeps the laws, and can be settled.
func TestTheLawsHold(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.sized(*full).explore()
			show(t, r)
			if r.broken != "" || !r.complete {
				t.Errorf("%s (%s): %s\n%s", s.name, s.what, r.verdict(), strings.Join(r.trace, "\n"))
			}
		})
	}
}

// Without any one of its rules the protocol breaks, and the search finds out: it can
// fail.
func TestEveryRuleIsNeeded(t *testing.T) {
	for _, tooth := range teeth {
		t.Run(strings.ReplaceAll(tooth.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := named(t, tooth.scenario)
			s.without = tooth.rule
			r := s.explore()
			show(t, r)
			if r.broken == "" {
				t.Fatalf("without %q nothing breaks in %s: it is not needed, or the laws do not see it", tooth.name, s.name)
			}
			t.Logf("%s", strings.Join(r.trace, "\n"))
		})
	}
}

func TestEveryRuleHasItsTooth(t *testing.T) {
	var all rule
	for _, tooth := range teeth {
		if tooth.rule&(tooth.rule-1) != 0 || all&tooth.rule != 0 {
			t.Errorf("%q is not one rule, or is there twice", tooth.name)
		}
		all |= tooth.rule
	}
	if all != rules-1 {
		t.Errorf("rules without a tooth: %b", (rules-1)&^all)
	}
}

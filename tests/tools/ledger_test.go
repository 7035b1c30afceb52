package tools

import (
	"fmt"
	"sync"
	"testing"
)

// line is what became of a class's calls.
type line struct {
	calls, requests, effects, duplicated, lost, waited, kills int
}

// ledger is the sums over all worlds.
type ledger struct {
	mu    sync.Mutex
	lines map[string]*line
}

var classes = []string{"read", "idempotent", "once"}

func newLedger() *ledger {
	l := &ledger{lines: map[string]*line{}}
	for _, c := range classes {
		l.lines[c] = &line{}
	}
	return l
}

// enter counts a shop's orders of a class, of which all turns were completed. A read has no
// effect that could be lost, but an answer.
func (l *ledger) enter(s *shop, class string, waited, kills int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.lines[class]
	n.waited, n.kills = n.waited+waited, n.kills+kills
	for _, o := range s.of(class) {
		n.calls++
		n.requests += o.requests
		n.effects += o.effects
		n.duplicated += max(o.effects-1, 0)
		if class != "read" && o.effects == 0 {
			n.lost++
		}
	}
}

func (l *ledger) print(t *testing.T) {
	t.Helper()
	table := fmt.Sprintf("\n%-12s %6s %6s %9s %8s %11s %5s %20s", "class", "kills", "calls", "requests", "effects", "duplicated", "lost", "waited for a person")
	for _, c := range classes {
		n := l.lines[c]
		table += fmt.Sprintf("\n%-12s %6d %6d %9d %8d %11d %5d %20d", c, n.kills, n.calls, n.requests, n.effects, n.duplicated, n.lost, n.waited)
	}
	t.Log(table)
}

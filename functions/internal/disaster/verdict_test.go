package disaster

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/tests/checker"
	"windlass/tests/client"
)

// verdict is what a run left behind, and what is wrong with it.
type verdict struct {
	essence []string
	seen    map[what]int // how many of each passed
	hits    int
	took    time.Duration
	ledger  ledger
	// duplicates, losses and stuck count; wrong says what they are.
	duplicates, losses, stuck int
	wrong                     []string
}

func (v *verdict) bad(n *int, by int, format string, args ...any) {
	if by > 0 {
		*n += by
		v.wrong = append(v.wrong, fmt.Sprintf(format, args...))
	}
}

// atRest: nothing is to be done any more, and nothing waits.
func (w *world) atRest() bool {
	return w.unsettled() == 0 && len(w.machine.all()) == 0 && len(w.kept.list(func(eventstore.Stream) bool { return true })) == 0
}

func (w *world) judge(v *verdict, s scenario, want []string) {
	all := w.whole()
	logs := bySession(all)
	v.essence, v.hits = essences(logs), w.plan.hits
	w.plan.mu.Lock()
	v.seen = w.plan.seen
	w.plan.mu.Unlock()

	v.bad(&v.stuck, w.unsettled(), "%d operations are not settled", w.unsettled())
	v.bad(&v.stuck, len(w.machine.all()), "executions still run")
	v.bad(&v.stuck, len(w.kept.list(func(eventstore.Stream) bool { return true })), "tokens are left")
	for of, log := range logs {
		rows, _, err := w.clean.Rows(w.t.Context(), eventstore.RowQuery{Partition: index.UnsettledPartition(index.Shard(of)), Limit: 10})
		if err != nil {
			w.t.Fatal(err)
		}
		v.bad(&v.stuck, len(rows), "rows say that operations are not settled")
		v.wrong = append(v.wrong, checker.Check(seen(w.t, log)).Violations...)
	}
	w.effects(v, s)
	kinship(v, all)
	w.shop.book(v, all)
	log := seen(w.t, logs[talk])
	doubled, missed, why := w.follower.compare(log)
	v.bad(&v.duplicates, doubled, "the follower saw %d events twice", doubled)
	v.bad(&v.losses, missed, "the follower missed %d of %d events: %s", missed, len(log), why)
	if s.disturbed() { // then the second operation is as ever
		v.essence, want = only("second", v.essence), only("second", want)
	}
	if want != nil {
		v.compare(want)
	}
}

// effects: what was ordered took effect once, whatever was sent how often.
func (w *world) effects(v *verdict, s scenario) {
	w.shop.mu.Lock()
	defer w.shop.mu.Unlock()
	for _, name := range s.names() {
		for _, calls := range turns[name] {
			for _, c := range calls {
				o, ok := c.arguments.(order)
				n := w.shop.took[o.Item]
				switch {
				case !ok || c.tool == "look":
					continue
				case c.tool == "put":
					n = len(w.shop.keys[o.Item])
				}
				v.bad(&v.duplicates, n-1, "%s %s took effect %d times", c.tool, o.Item, n)
				if name != "second" && s.disturbed() {
					continue
				}
				v.bad(&v.losses, 1-n, "%s %s of %s never took effect", c.tool, o.Item, name)
			}
		}
	}
}

// compare counts what is there twice, or not at all, or otherwise.
func (v *verdict) compare(want []string) {
	if slices.Equal(want, v.essence) {
		return
	}
	left := map[string]int{}
	for _, s := range v.essence {
		left[s]++
	}
	for _, s := range want {
		left[s]--
	}
	for _, n := range left {
		if n > 0 {
			v.duplicates += n
		} else {
			v.losses -= n
		}
	}
	v.wrong = append(v.wrong, "what is left differs (-undisturbed +got):\n"+cmp.Diff(want, v.essence))
}

// only is what one operation left.
func only(operation string, essence []string) (part []string) {
	for _, line := range essence {
		if strings.HasPrefix(line, operation+" ") {
			part = append(part, line)
		}
	}
	return part
}

// essence is what the logs say was done, without what a disaster may change: when, by
// whom, in how many attempts, in which order within a round.
func essences(logs map[eventstore.Stream][]event.Event) (all []string) {
	for s, log := range logs {
		for _, line := range essence(log) {
			if s != talk {
				line = s.Session + " " + line
			}
			all = append(all, line)
		}
	}
	slices.Sort(all)
	return all
}

func essence(events []event.Event) (all []string) {
	for _, e := range events {
		switch d := e.Data.(type) {
		case event.ModelCompleted:
			d.Attempt = 0
			e.Data = d
		case event.OperationCompleted:
			d.Usage.ModelCalls = 0
			e.Data = d
		case event.ChildSettled:
			d.Usage.ModelCalls = 0
			e.Data = d
		case event.ChildSubmitted, event.OperationAccepted, event.OperationFailed, event.OperationCancelled, event.ToolCompleted, event.ToolFailed, event.WorkspaceWritten:
		default:
			continue
		}
		e.Seq, e.At, e.By = 0, event.Time{}, ""
		b, err := e.MarshalJSON()
		if err != nil {
			panic(err) // it was read from its JSON
		}
		all = append(all, fmt.Sprintf("%s %d %s", e.Operation, e.Round, b))
	}
	slices.Sort(all)
	return all
}

// seen is the events as a client gets them.
func seen(t testing.TB, events []event.Event) (all []client.Event) {
	t.Helper()
	b, err := json.Marshal(events)
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

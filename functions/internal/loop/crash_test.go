package loop_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/loop"
	"windlass/functions/internal/session"
	"windlass/tests/checker"
	"windlass/tests/client"
)

const crashLoad = `{"rounds":3,"callsPerRound":4,"toolBytes":20,"answerBytes":9,"reasoningBytes":5}`

// dead: from the first append that the script hits on, nothing gets through.
type dead struct{ at int }

func (d *dead) later(c flaky.Call) bool { return d.at > 0 && c.N > d.at }
func (d *dead) hit(when flaky.When) flaky.When {
	return func(c flaky.Call) bool {
		if d.at == 0 && when(c) {
			d.at = c.N
			return true
		}
		return false
	}
}

// What becomes of the n-th append of the first driver, and of the driver.
var disasters = map[string]func(n int) flaky.Script{
	"fails once": func(n int) flaky.Script { return flaky.Script{{When: flaky.Nth(flaky.Append, n), Do: flaky.Fail}} },
	"is throttled": func(n int) flaky.Script {
		return flaky.Script{{When: flaky.Nth(flaky.Append, n), Do: flaky.Throttle}}
	},
	"stored, answer lost": func(n int) flaky.Script { return flaky.Script{{When: flaky.Nth(flaky.Append, n), Do: flaky.Lose}} },
	"is sent twice":       func(n int) flaky.Script { return flaky.Script{{When: flaky.Nth(flaky.Append, n), Do: flaky.Twice}} },
	"killed before": func(n int) flaky.Script {
		d := &dead{}
		return flaky.Script{{When: d.hit(flaky.Nth(flaky.Append, n)), Do: flaky.Fail}, {When: d.later, Do: flaky.Fail}}
	},
	"killed after": func(n int) flaky.Script {
		d := &dead{}
		return flaky.Script{{When: d.hit(flaky.Nth(flaky.Append, n)), Do: flaky.Lose}, {When: d.later, Do: flaky.Fail}}
	},
	"killed, lands late": func(n int) flaky.Script {
		d := &dead{}
		return flaky.Script{{When: d.hit(flaky.Nth(flaky.Append, n)), Do: flaky.Hold}, {When: d.later, Do: flaky.Fail}}
	},
}

// Whatever becomes of any append, and whenever a late one lands, the turn ends as
// the undisturbed one does: the same events but for operation.resumed.
func TestEveryAppendMeetsEveryDisaster(t *testing.T) {
	undisturbed := crashed(t, nil, 0)
	appends := 0
	for n := 1; ; n++ {
		hit := false
		for name, script := range disasters {
			for land := range 4 { // before the next driver's land-th call of the log
				if land > 0 && name != "killed, lands late" {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					got := crashed(t, script(n), land)
					hit = hit || got.appends >= n
					if d := cmp.Diff(undisturbed.essence, got.essence); d != "" {
						t.Errorf("append %d %s, landing %d (-undisturbed +got):\n%s", n, name, land, d)
					}
				})
			}
		}
		if !hit {
			break
		}
		appends = n
	}
	if appends < 8 {
		t.Fatalf("only %d appends were disturbed", appends)
	}
	t.Logf("%d appends, each through %d disasters", appends, len(disasters)+3)
}

type ending struct {
	essence []string
	appends int // by the first driver
}

func crashed(t *testing.T, script flaky.Script, land int) ending {
	t.Helper()
	w := newWorld(t)
	store := memory.New()
	w.journal = eventstore.New(store, eventstore.WithBlobs(w.blobs))
	w.service.Journal = w.journal
	w.submit(session.Submission{Prompt: crashLoad, OperationID: "op", Agent: "stress"})

	first := flaky.New(store, script)
	w.loop.Journal = eventstore.New(first, eventstore.WithBlobs(w.blobs))
	doc := loop.Document{Turn: execution.Turn{Tenant: "t", Session: "s", Operation: "op", Generation: 1}}
	for retry := 0; doc.Next != "done"; retry++ {
		if retry > 20 {
			t.Fatalf("no end after %d invocations", retry)
		}
		next, err := w.loop.Drive(t.Context(), loop.Task{Turn: doc, Execution: "e", EnteredAt: "1", RetryCount: retry}, fmt.Sprint("r", retry))
		if err != nil { // the state machine invokes again; what the dead one sent may still land
			w.loop.Journal = eventstore.New(flaky.New(store, flaky.Script{{When: func(c flaky.Call) bool {
				if c.N == land+1 {
					_ = first.Land(t.Context())
				}
				return false
			}}}), eventstore.WithBlobs(w.blobs))
			time.Sleep(time.Second)
			continue
		}
		if doc = next; doc.Next == "backoff" {
			time.Sleep(time.Until(doc.Until.Time))
		}
	}
	events := w.events()
	for _, v := range checker.Check(seen(t, events)).Violations {
		t.Error(v)
	}
	e := ending{essence: essence(t, events)}
	for _, c := range first.Calls() {
		if c.Op == flaky.Append {
			e.appends = c.Nth
		}
	}
	return e
}

// essence is the events without what a crash may change: when, and who drove.
func essence(t *testing.T, events []event.Event) (all []string) {
	t.Helper()
	for _, e := range events {
		switch d := e.Data.(type) {
		case event.OperationResumed:
			continue
		case event.ToolStarted:
			d.Until = event.Time{}
			e.Data = d
		case event.OperationCompleted:
			d.Usage.ModelCalls = 0 // a call that was interrupted was made all the same
			e.Data = d
		}
		e.Seq, e.At = 0, event.Time{}
		b, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(b))
	}
	return all
}

// seen is the events as a client gets them.
func seen(t *testing.T, events []event.Event) (all []client.Event) {
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

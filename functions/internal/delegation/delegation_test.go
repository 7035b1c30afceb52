package delegation_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

var (
	parent = eventstore.Stream{Tenant: "t", Session: "s"}
	step   = event.Parent{Session: "s", Operation: "op", Round: 1, Index: 0, Depth: 1}
	named  = delegation.Child(parent, "op", 1, 0, "worker")
	child  = eventstore.Stream{Tenant: "t", Session: named.Session}
)

// idle starts no turns.
type idle struct{}

func (idle) Start(context.Context, execution.Turn) (bool, error) { return true, nil }
func (idle) Wake(context.Context, eventstore.Stream) error       { return nil }

// world is a parent that waits for one child, which nobody has handed over.
type world struct {
	*delegation.Families
	t       *testing.T
	service *session.Service
	store   *memory.Driver
	woken   int
}

func newWorld(t *testing.T) *world {
	t.Helper()
	catalog, err := agent.Read(fstest.MapFS{"worker.yaml": {Data: []byte("name: worker\nmodel: {provider: p, name: m}")}}, "worker", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: memory.New()}
	journal, ids := eventstore.New(w.store, eventstore.WithBlobs(memory.NewBlobs())), 0
	w.service = &session.Service{
		Journal: journal, Opened: &fold.Sessions{}, Agents: catalog, Turns: idle{}, Now: time.Now,
		NewID: func(time.Time) string { ids++; return fmt.Sprint("id-", ids) },
	}
	w.Families = &delegation.Families{Sessions: w.service, Journal: journal, Now: time.Now, Wake: func(context.Context, eventstore.Stream) error { w.woken++; return nil }}
	if _, err := w.service.Submit(t.Context(), parent, session.Submission{Prompt: "go", OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	call := event.ToolCall{Index: 0, CallID: "c", Name: "delegate", Arguments: event.Text("{}")}
	w.add(event.OperationStarted{}, event.ModelStarted{Attempt: 1}, event.ModelCompleted{Attempt: 1, Items: []event.ModelItem{{Kind: event.ItemToolCall, Call: &call}}},
		event.ChildSubmitted{Session: named.Session, Operation: named.Operation, Agent: named.Agent})
	return w
}

// add appends to the parent.
func (w *world) add(payloads ...event.Payload) {
	w.t.Helper()
	s, err := fold.Open(w.t.Context(), w.Journal, parent)
	var events []event.Event
	for _, p := range payloads {
		events = append(events, event.Event{At: event.At(time.Now()), Operation: "op", Round: 1, Data: p})
	}
	if err == nil {
		_, _, err = w.Journal.Append(w.t.Context(), s.At, index.Draft(parent, &s.State, "", events))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) hand(agent string) {
	w.t.Helper()
	h := delegation.Handover{Parent: step, Child: event.ChildSubmitted{Session: named.Session, Operation: named.Operation, Agent: agent}, Prompt: "do"}
	if err := w.Hand(w.t.Context(), parent, h); err != nil {
		w.t.Fatal(err)
	}
}

// cancel ends the child.
func (w *world) cancel() {
	w.t.Helper()
	if _, err := w.service.Cancel(w.t.Context(), child, named.Operation); err != nil {
		w.t.Fatal(err)
	}
}

// log is a session's commits, and the types of its events.
func (w *world) log(s eventstore.Stream) (records []eventstore.Record, types map[string]int) {
	w.t.Helper()
	types = map[string]int{}
	for c, err := range w.service.Journal.Read(w.t.Context(), s, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		records = append(records, c.Record)
		for _, e := range c.Events {
			types[e.Data.EventType()]++
		}
	}
	return records, types
}

// end is what the parent's log says became of the child.
func (w *world) end() *event.ChildSettled {
	w.t.Helper()
	s, err := fold.Open(w.t.Context(), w.service.Journal, parent)
	if err != nil {
		w.t.Fatal(err)
	}
	return s.State.Head().Calls[0].Report
}

// The same step has the same child, whoever asks; another step has another.
func TestAChildIsNamedByItsStep(t *testing.T) {
	seen := map[string]bool{}
	other := eventstore.Stream{Tenant: "t", Session: "s2"}
	for _, d := range []turn.Delegation{
		named, delegation.Child(parent, "op", 1, 1, "worker"), delegation.Child(parent, "op", 2, 0, "worker"),
		delegation.Child(parent, "op2", 1, 0, "worker"), delegation.Child(other, "op", 1, 0, "worker"),
	} {
		if seen[d.Session] || !eventstore.ValidID(d.Session) || !eventstore.ValidID(d.Operation) {
			t.Errorf("%+v: twice, or no id", d)
		}
		seen[d.Session] = true
	}
	if again := delegation.Child(parent, "op", 1, 0, "worker"); again != named {
		t.Errorf("%+v, then %+v", named, again)
	}
}

// A child that is handed over again is not begun again.
func TestAChildIsBegunOnce(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.hand("worker")
	}
	if _, n := w.log(child); n["operation.accepted"] != 1 || w.end() != nil {
		t.Errorf("%v, its end is %+v", n, w.end())
	}
}

// Each end, by whatever way it is learnt of, is told once, and wakes the parent once.
func TestAChildsEndIsToldOnce(t *testing.T) {
	for want, end := range map[string]func(w *world){
		"unknown_agent": func(w *world) { w.hand("gone") },
		"cancelled":     func(w *world) { w.hand("worker"); w.cancel() },
	} {
		w := newWorld(t)
		for range 3 {
			end(w)
			records, _ := w.log(child)
			for _, r := range records {
				if err := w.Heed(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, n := w.log(parent); n["child.settled"] != 1 || w.woken != 1 || w.end().Error.Code != want {
			t.Errorf("%s: %v, woken %d times, %+v", want, n, w.woken, w.end())
		}
	}
}

// Others append to the parent while it is told: it is told behind them.
func TestAChildsEndIsToldBehindWhatOthersAppend(t *testing.T) {
	w := newWorld(t)
	w.hand("worker")
	w.cancel()
	others := 0
	contended := func(c flaky.Call) bool {
		if c.Op == flaky.Append && others < 3 {
			others++
			if _, err := w.service.Submit(t.Context(), parent, session.Submission{Prompt: "more", OperationID: fmt.Sprint("more-", others)}); err != nil {
				t.Error(err)
			}
		}
		return false
	}
	w.Journal = eventstore.New(flaky.New(w.store, flaky.Script{{When: contended}}), eventstore.WithBlobs(memory.NewBlobs()))
	records, _ := w.log(child)
	for _, r := range records {
		if err := w.Heed(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, n := w.log(parent); n["operation.accepted"] != 4 || n["child.settled"] != 1 {
		t.Errorf("%v", n)
	}
}

// What a parent abandons is cancelled, even before it is there: who hands it over late
// begins nothing.
func TestAnAbandonedChildIsNeverBegun(t *testing.T) {
	w := newWorld(t)
	if _, err := w.service.Cancel(t.Context(), parent, "op"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		records, _ := w.log(parent)
		for _, r := range records {
			if err := w.Heed(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		w.hand("worker")
	}
	_, n := w.log(child)
	o, err := w.service.Operation(t.Context(), child, named.Operation)
	if err != nil || o.Status != "cancelled" || n["operation.accepted"] != 0 || n["operation.cancelled"] != 1 {
		t.Errorf("%+v, %v, %v", o, err, n)
	}
	if _, n := w.log(parent); n["child.abandoned"] != 1 || n["child.settled"] != 0 || w.woken != 0 {
		t.Errorf("%v, woken %d times", n, w.woken)
	}
}

package delegation_test

import (
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/delegation"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/trace"
)

// spans are those of a session's first operation.
func (w *world) spans(s eventstore.Stream) []trace.Span {
	w.t.Helper()
	f := trace.New(s.Session)
	for c, err := range w.service.Journal.Read(w.t.Context(), s, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range c.Events {
			f.Apply(e)
		}
	}
	return f.Spans()
}

// A child stands in its parent's trace, below the call that it is for, and so do those
// below it: each one's log tells the same.
func TestAFamilyIsOneTrace(t *testing.T) {
	w := newWorld(t)
	w.hand("worker")
	w.hand("worker")
	above := w.spans(parent)
	call := above[len(above)-1]
	its := w.spans(child)
	if call.Name != "execute_tool delegate" || its[0].TraceID != above[0].TraceID || its[0].ParentSpanID != call.SpanID {
		t.Errorf("the child is %+v, its call is %+v", its[0], call)
	}

	step := event.Parent{Session: child.Session, Operation: named.Operation, Round: 1, Depth: 2}
	its2 := delegation.Child(child, step.Operation, step.Round, step.Index, "worker")
	h := delegation.Handover{Parent: step, Child: event.ChildSubmitted{Session: its2.Session, Operation: its2.Operation, Agent: "worker"}, Prompt: "do"}
	if err := w.Hand(t.Context(), child, h); err != nil {
		t.Fatal(err)
	}
	below := w.spans(eventstore.Stream{Tenant: parent.Tenant, Session: its2.Session})[0]
	if below.TraceID != above[0].TraceID || below.ParentSpanID == "" || below.ParentSpanID == call.SpanID || below.SpanID == its[0].SpanID {
		t.Errorf("the child's child is %+v", below)
	}
}

// What a tool submits elsewhere, for now or for later, stands in its caller's trace below
// the call, and so does what that submits. Again is as once.
func TestWhatAToolSubmitsStandsInItsCallersTrace(t *testing.T) {
	w := newWorld(t)
	w.hand("worker")
	above := w.spans(parent)
	call := above[len(above)-1]
	for range 2 {
		if err := w.Submit(t.Context(), parent, step, tool.Submission{Session: "other", OperationID: "o", Prompt: "p", Agent: "worker"}); err != nil {
			t.Fatal(err)
		}
	}
	other := eventstore.Stream{Tenant: parent.Tenant, Session: "other"}
	its := w.spans(other)[0]
	if its.TraceID != above[0].TraceID || its.ParentSpanID != call.SpanID {
		t.Errorf("it is %+v, its call is %+v", its, call)
	}
	if err := w.Submit(t.Context(), other, event.Parent{Session: "other", Operation: "o", Round: 1}, tool.Submission{Session: "later", OperationID: "l", Prompt: "p", Agent: "worker"}); err != nil {
		t.Fatal(err)
	}
	later := w.spans(eventstore.Stream{Tenant: parent.Tenant, Session: "later"})[0]
	if later.TraceID != its.TraceID || later.ParentSpanID == "" || later.ParentSpanID == call.SpanID {
		t.Errorf("what that submits is %+v", later)
	}
}

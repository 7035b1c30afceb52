package session_test

import (
	"slices"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/session"
	"windlass/functions/internal/trace"
)

// sent is a caller's place in a trace, and late is another one's.
var (
	sent = trace.Context{TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", Sampled: true}
	late = trace.Context{TraceID: "4bf92f3577b34da6a3ce929d0e0e4736", SpanID: "00f067aa0ba902b7"}
)

// placed are the places of the operations that the log accepts, and the spans above them.
func (w *world) placed() (own []trace.Context, above []string) {
	w.t.Helper()
	for _, e := range w.events() {
		if d, ok := e.Data.(event.OperationAccepted); ok {
			c, ok := trace.Parse(d.Traceparent)
			if !ok {
				w.t.Errorf("%s has traceparent %q", e.Operation, d.Traceparent)
			}
			own, above = append(own, c), append(above, d.ParentSpanID)
		}
	}
	return own, above
}

// An operation joins its caller's trace, or begins one, whichever way it is accepted, and
// the same submission with another trace is the same operation in the first one.
func TestAnOperationIsInOneTrace(t *testing.T) {
	w := newWorld(t)
	receipts := map[string][]string{}
	for _, sub := range []session.Submission{
		{OperationID: "a", Prompt: "p", Trace: sent},
		{OperationID: "b", Prompt: "p"},
		{OperationID: "c", Prompt: "p", IfBusy: agent.Interrupt, Trace: late},
		{OperationID: "d", Prompt: "p", IfBusy: agent.Interrupt},
	} {
		for _, c := range []trace.Context{sub.Trace, late, {}} {
			sub.Trace = c
			r, err := w.Submit(t.Context(), stream, sub)
			if err != nil {
				t.Fatal(err)
			}
			receipts[sub.OperationID] = append(receipts[sub.OperationID], r.TraceID)
		}
	}
	w.start()
	w.complete("done")
	own, above := w.placed()
	if len(own) != 4 {
		t.Fatalf("%d operations were accepted", len(own))
	}
	for i, want := range []trace.Context{trace.Begin(sent, "id-1", "a"), trace.Begin(trace.Context{}, "id-1", "b"), trace.Begin(late, "id-1", "c"), trace.Begin(trace.Context{}, "id-1", "d")} {
		if parent := []string{sent.SpanID, "", late.SpanID, ""}[i]; own[i] != want || above[i] != parent {
			t.Errorf("operation %d: %s below %q, want %s below %q", i, own[i], above[i], want, parent)
		}
		id := string(rune('a' + i))
		its := []string{want.TraceID, want.TraceID, want.TraceID}
		if o, err := w.Operation(t.Context(), stream, id); err != nil || o.TraceID != want.TraceID || !slices.Equal(receipts[id], its) {
			t.Errorf("%s: the snapshot, %s, is in trace %q, its receipts say %v, %v; want %s", id, o.Status, o.TraceID, receipts[id], err, want.TraceID)
		}
	}
}

// A message that comes too late is an operation in its caller's trace.
func TestAMessageThatIsAnOperationIsInATrace(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.start()
	w.complete("done")
	if _, err := w.Steer(t.Context(), stream, "a", session.Message{ID: "m", Text: "more", Trace: sent}); err != nil {
		t.Fatal(err)
	}
	if own, above := w.placed(); len(own) != 2 || own[1] != trace.Begin(sent, "id-1", "m") || above[1] != sent.SpanID {
		t.Errorf("%v below %q", own, above)
	}
}

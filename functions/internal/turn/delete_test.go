package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

const secret = "what it was about"

// underWay is a session with an operation that has a call in each phase, and one behind
// it.
func underWay(more ...event.Payload) *turn.State {
	s := &turn.State{}
	text, until := event.Text(secret), event.At(time.Unix(1000, 0))
	calls := make([]event.ModelItem, 8)
	for i := range calls {
		calls[i] = event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: "c", Name: "t", Arguments: text}}
	}
	log := append([]event.Payload{
		event.SessionOpened{StreamID: "id", Agent: "demo", Parent: &event.Parent{Session: "p"}}, event.OperationAccepted{Prompt: text}, event.OperationStarted{},
		event.ModelStarted{Attempt: 1}, event.ModelCompleted{Items: calls},
		event.ToolCompleted{Index: 0, Output: text},                   // done
		event.ToolStarted{Index: 1, Effect: turn.Once, Until: until},  // open, once
		event.ToolStarted{Index: 2, Effect: "read", Until: until},     // open
		event.ChildSubmitted{Index: 3, Session: "c", Operation: "o"},  // elsewhere
		event.ChildSubmitted{Index: 4, Session: "c4", Operation: "o"}, // reported
		event.ChildSettled{Index: 4, Status: "completed", Output: &text},
		event.ToolStarted{Index: 5, Effect: turn.Once, Until: until}, // happened
		event.ToolUnknown{Index: 5}, event.ApprovalRequested{Index: 5, Reason: event.ReasonUnknownOutcome},
		event.ApprovalResolved{Index: 5, Decision: event.Happened, Output: &text},
		event.ApprovalRequested{Index: 6, Reason: event.ReasonPolicy}, // denied
		event.ApprovalResolved{Index: 6, Decision: event.Deny, Note: secret},
	}, more...)
	for i, p := range log {
		e := event.Event{Seq: uint64(i + 1), Operation: "a", Round: 1, Data: p}
		if i == 0 {
			e.Operation = ""
		}
		s.Apply(e)
	}
	s.Apply(event.Event{Seq: s.Seq + 1, Operation: "b", Data: event.OperationAccepted{Prompt: text}})
	return s
}

func short(events []event.Event) (all []string) {
	for _, e := range events {
		all = append(all, strings.TrimSpace(e.Operation+" "+e.Data.EventType()))
	}
	return all
}

// Every call gets its one result, every operation its one end, and children are let go of.
func TestDeletingEndsWhateverIsUnderWay(t *testing.T) {
	want := []string{
		"a operation.cancel_requested",
		"a tool.unknown", "a tool.failed", // 1
		"a tool.failed",                      // 2
		"a child.abandoned", "a tool.failed", // 3
		"a tool.failed", "a tool.failed", "a tool.failed", "a tool.failed", // 4 to 7
		"a operation.cancelled",
		"b operation.cancel_requested", "b operation.cancelled",
		"session.deleted",
	}
	s := underWay()
	events := turn.Delete(s, time.Unix(2000, 0))
	if d := cmp.Diff(want, short(events)); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	if d := cmp.Diff(want[:11], short(turn.DeleteHead(s, time.Unix(2000, 0)))); d != "" {
		t.Errorf("the head alone (-want +got):\n%s", d)
	}
	asked := short(turn.Delete(underWay(event.OperationCancelRequested{}), time.Unix(2000, 0)))
	if d := cmp.Diff(want[1:], asked); d != "" {
		t.Errorf("asked to end already (-want +got):\n%s", d)
	}
	for _, e := range events {
		if b, err := e.MarshalJSON(); err != nil || strings.Contains(string(b), secret) {
			t.Errorf("it outlives the session, and says %s, %v", b, err)
		}
	}
}

func TestADeletedSessionHasNothingToDo(t *testing.T) {
	s := underWay()
	s.Checkpoint = &turn.Checkpoint{Seq: 3}
	for i, e := range turn.Delete(s, time.Unix(2000, 0)) {
		e.Seq = s.Seq + 1
		if s.Apply(e); i == 0 && s.Deleted {
			t.Error("deleted before its end")
		}
	}
	last := s.Seq
	s.Apply(event.Event{Seq: last + 1, Operation: "c", Data: event.OperationAccepted{}})
	if !s.Deleted || s.Head() != nil || s.Seq != last+1 {
		t.Errorf("%+v", s)
	}
	if d := cmp.Diff(turn.Summary{Version: 1, StreamID: "id", Parent: &event.Parent{Session: "p"}, Deleted: true, Waited: true}, s.Summary()); d != "" {
		t.Errorf("summary (-want +got):\n%s", d)
	}
	if e := turn.Delete(s, time.Now()); e != nil {
		t.Errorf("deleted again: %v", short(e))
	}
	if e := turn.Cancel(s, "a", time.Now()); e != nil {
		t.Errorf("cancelled: %v", short(e))
	}
	if e, _ := turn.Resolve(s, "a", 1, event.ApprovalResolved{Index: 6, Decision: event.Approve}, time.Now()); e != nil {
		t.Errorf("decided: %v", short(e))
	}
	if e := turn.CalledBack(s, "a", 1, event.ToolAnswered{Index: 2}, time.Now()); e != nil {
		t.Errorf("called back: %v", short(e))
	}
	if e := turn.Next(s, turn.Situation{Operation: "a", Generation: 1, Me: "D"}); e != (turn.Finish{}) {
		t.Errorf("driven: %T", e)
	}
}

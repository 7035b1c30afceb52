package index_test

import (
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// Dispatch hears of a settlement if it may leave somebody something to do, and of no other:
// in most sessions each is the last thing that happens for a while.
func TestASettlementWakesWhomItLeavesSomethingToDo(t *testing.T) {
	opened := event.Event{Data: event.SessionOpened{StreamID: "id", Agent: "demo"}}
	accepted := func(id string) event.Event { return event.Event{Operation: id, Data: event.OperationAccepted{}} }
	began := event.Event{Operation: "a", Data: event.OperationStarted{}}
	of := func(p event.Payload) event.Event { return event.Event{Operation: "a", Round: 1, Data: p} }
	for name, c := range map[string]struct {
		log  []event.Event
		want bool
	}{
		"nobody":                                     {[]event.Event{opened, accepted("a"), began}, false},
		"the next operation":                         {[]event.Event{opened, accepted("a"), began, accepted("b")}, true},
		"a parent":                                   {[]event.Event{{Data: event.SessionOpened{StreamID: "id", Parent: &event.Parent{Session: "p"}}}, accepted("a"), began}, true},
		"a turn that was parked for a person":        {[]event.Event{opened, accepted("a"), began, of(event.ApprovalRequested{})}, true},
		"a turn that was parked for a callback":      {[]event.Event{opened, accepted("a"), began, of(event.ToolDeferred{})}, true},
		"a turn that was parked for another agent":   {[]event.Event{opened, accepted("a"), began, of(event.ChildSubmitted{})}, true},
		"an earlier operation's, that was parked":    {[]event.Event{opened, {Operation: "z", Data: event.OperationAccepted{}}, {Operation: "z", Data: event.ApprovalRequested{}}, {Operation: "z", Data: event.OperationCancelled{}}, accepted("a"), began}, true},
		"nobody, though a question came from nobody": {[]event.Event{opened, {Operation: "y", Data: event.ApprovalRequested{}}, accepted("a"), began}, false},
	} {
		for i := range c.log {
			c.log[i].Seq = uint64(i + 1)
		}
		for _, end := range []event.Payload{event.OperationCompleted{}, event.OperationFailed{}, event.OperationCancelled{}} {
			d := index.Draft(stream, turn.Fold(c.log), "driver", []event.Event{{At: at, Operation: "a", Data: end}})
			if d.Wake != c.want || !d.Settles {
				t.Errorf("%s: %T wakes: %t, want %t; it settles: %t", name, end, d.Wake, c.want, d.Settles)
			}
		}
	}
}

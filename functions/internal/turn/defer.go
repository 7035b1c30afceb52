package turn

import (
	"time"

	"windlass/eventstore/event"
)

// unanswered is what the model reads of a call whose callback did not come in time.
var unanswered = event.Error{Code: "callback_expired", Message: "what this call began did not report back in time"}

// deferred: nothing runs, until what the call began reports back. That is progress: the
// starts so far do not count against it.
func (op *Operation) deferred(d event.ToolDeferred) {
	c := op.call(d.Index)
	if c == nil || c.Phase != Open && c.Phase != Unknown { // looked into, it is found to be under way
		return
	}
	c.Phase, c.Until, c.Again = Deferred, d.Until, d.Again && c.Effect != Once
	c.Start.Count = 0
	op.Stalls = 0
}

// dueAgain: the call waited for its time, which has come.
func (c *Call) dueAgain(now event.Time) bool {
	return c.Phase == Deferred && c.Again && !c.Until.After(now.Time)
}

// awaits: what the call began may still report back. It may do so before the log says
// that it was deferred; after it was taken for lost, or a person said that it did not
// happen; but not once there is a result, or it is certain which one follows.
func (c *Call) awaits() bool {
	switch c.Phase {
	case Open, Deferred, Unknown:
		return true
	case Asked:
		return c.Question.Reason == event.ReasonUnknownOutcome
	case Pending:
		return c.Effect != ""
	}
	return false
}

func (op *Operation) answered(d event.ToolAnswered) {
	c := op.call(d.Index)
	if c == nil || !c.awaits() {
		return
	}
	c.Phase, c.Report = Reported, &event.ChildSettled{Index: d.Index, Output: d.Output, Error: d.Error}
	op.Stalls = 0
}

// CalledBack is what whoever is told by a call's callback URL appends: nothing if the call
// waits for no answer, or the turn is being cancelled.
func CalledBack(s *State, operation string, round int, answer event.ToolAnswered, now time.Time) []event.Event {
	op := s.Find(operation)
	if op == nil || op.Round != round || op.CancelRequested {
		return nil
	}
	if c := op.call(answer.Index); c == nil || !c.awaits() {
		return nil
	}
	return op.commit(Situation{Now: event.At(now)}).add(round, answer).events
}

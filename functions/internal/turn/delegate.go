package turn

import (
	"time"

	"windlass/eventstore/event"
)

// Delegation is a call that another agent carries out, in a session of its own; both
// follow from the step.
type Delegation struct{ Session, Operation, Agent string }

// recheck is how long a turn waits for a child before it hands it over again, and so
// finds out what nobody has told it.
const recheck = 5 * time.Minute

// submitted hands a call to another agent, as soon as it is in the log.
func submitted(c Call, d Delegation) event.ChildSubmitted {
	return event.ChildSubmitted{Index: c.Index, Session: d.Session, Operation: d.Operation, Agent: d.Agent}
}

// reported takes what became of a child, once. What it used counts for its parent too.
func (op *Operation) reported(s *State, d event.ChildSettled) {
	c := op.call(d.Index)
	if c == nil || c.Phase != Elsewhere {
		return
	}
	c.Phase, c.Report = Reported, &d
	op.Stalls = 0
	add := func(u event.Usage) event.Usage {
		u.ModelCalls += d.Usage.ModelCalls
		return spent(u, d.Usage.Tokens, d.Usage.CostUSD)
	}
	op.Usage, s.Spent = add(op.Usage), add(s.Spent)
}

// report is the call's result.
func report(c Call) event.Payload {
	switch r := c.Report; {
	case r.Output != nil:
		return event.ToolCompleted{Index: c.Index, CallID: c.CallID, Name: c.Name, Output: *r.Output}
	case r.Error != nil:
		return refused(c, *r.Error)
	}
	return refused(c, event.Error{Code: c.Report.Status, Message: "the other agent's turn ended without an answer"})
}

// Report is what whoever learns of a child's end appends to its parent; nothing if the
// parent waits for it no longer.
func Report(s *State, p event.Parent, child event.ChildSubmitted, settled event.ChildSettled, now time.Time) []event.Event {
	op := s.Find(p.Operation)
	if op == nil || op.Round != p.Round || op.CancelRequested {
		return nil
	}
	c := op.call(p.Index)
	if c == nil || c.Phase != Elsewhere || c.Child.Session != child.Session || c.Child.Operation != child.Operation {
		return nil
	}
	settled.Index = p.Index
	return op.commit(Situation{Now: event.At(now)}).add(op.Round, settled).events
}

package turn

import (
	"time"

	"windlass/eventstore/event"
)

// settle completes the turn: the answer asks for nothing more.
func settle(op *Operation, me Situation) Append {
	return Append{op.commit(me).add(0, event.OperationCompleted{Output: op.Output, Stop: unusual(op.Stop), Usage: op.Usage}).events}
}

// unusual is why an answer stopped, if it was not done.
func unusual(stop string) string {
	if stop == "length" || stop == "refusal" {
		return stop
	}
	return ""
}

// failed ends the turn with an error.
func failed(op *Operation, me Situation, err event.Error) Append {
	c := op.commit(me)
	c.abandon(me, event.Error{Code: "abandoned", Message: "the turn ended before this call had an outcome: " + err.Code}, err)
	c.add(0, event.OperationFailed{Error: err, Usage: op.usage(me)})
	return Append{c.events}
}

// cancelled ends the turn as it was asked to, whatever is under way.
func cancelled(op *Operation, me Situation) Append {
	c := op.commit(me)
	why := event.Error{Code: "cancelled", Message: "the turn was cancelled before this call had an outcome"}
	c.abandon(me, why, event.Error{Code: "cancelled", Message: "the turn was cancelled"})
	c.add(0, event.OperationCancelled{Usage: op.usage(me)})
	return Append{c.events}
}

// usage is what the operation has used, with the attempt that ends with it.
func (op *Operation) usage(me Situation) event.Usage {
	if a := me.Answer; a != nil && op.Model.Phase == Open && used(a) != nil {
		return spent(op.Usage, a.Usage, a.CostUSD)
	}
	return op.Usage
}

// said is the text of an answer, whole or not.
func (a *Answer) said() *event.Value {
	switch {
	case a.Partial != nil:
		return a.Partial
	case a.Output != nil:
		return a.Output
	}
	for _, it := range a.Items {
		if it.Kind == event.ItemText && it.Text != nil {
			return it.Text
		}
	}
	return nil
}

// abandon gives every step that has none its one outcome, so that the transcript
// stays whole: what is held, else an error. Of a call that must not be repeated and
// was begun nobody says that it did not run.
func (c *commit) abandon(me Situation, call, model event.Error) {
	if c.op.Model.Phase == Open {
		broken := event.ModelFailed{Attempt: c.op.Model.Attempt, Error: model}
		if a := me.Answer; a != nil { // what was said so far may be read
			broken.Partial, broken.Usage, broken.CostUSD = a.said(), used(a), a.CostUSD
		}
		c.add(c.op.Round, broken)
	}
	for _, step := range c.op.Calls {
		out, held := me.Outcomes[step.Index]
		switch {
		case step.Phase == Done:
		case step.Phase == Reported:
			c.add(c.op.Round, report(step))
		case held && !out.unknown() && !out.deferred():
			c.add(c.op.Round, out...)
		case step.Phase == Happened:
			c.add(c.op.Round, happened(step))
		case step.Phase == Elsewhere:
			c.add(c.op.Round, event.ChildAbandoned{Index: step.Index, Session: step.Child.Session, Operation: step.Child.Operation}, refused(step, call))
		case step.Effect == Once && step.Phase != Pending:
			if step.Phase == Open {
				c.add(c.op.Round, event.ToolUnknown{Index: step.Index, Name: step.Name})
			}
			c.add(c.op.Round, refused(step, event.Error{Code: "outcome_unknown", Message: "this call was begun, and whether it took effect is not known; find out before it is done again"}))
		default:
			c.add(c.op.Round, refused(step, call))
		}
	}
}

// Cancel is what whoever cancels an operation appends. With a step open it is the
// request alone: the driver settles, or whoever takes over from it. Nothing for one
// that is settled or was asked already.
func Cancel(s *State, operation string, now time.Time) []event.Event {
	op := s.Find(operation)
	if op == nil || op.CancelRequested {
		return nil
	}
	me := Situation{Now: event.At(now)}
	request := op.commit(me).add(0, event.OperationCancelRequested{}).events
	if op.stepOpen() {
		return request
	}
	return append(request, cancelled(op, me).Events...)
}

// stepOpen: somebody may be asking the model or carrying out a call just now.
func (op *Operation) stepOpen() bool {
	if op.Model.Phase == Open {
		return true
	}
	for i := range op.Calls {
		if op.Calls[i].open() {
			return true
		}
	}
	return false
}

// Fail is the commit by which a driver ends a turn that it cannot go on with,
// such as one whose next commit is too large to be stored.
func Fail(op *Operation, me Situation, err event.Error) Append {
	return failed(op, me, err)
}

// Terminal reports whether the event ends its operation.
func Terminal(p event.Payload) bool {
	switch p.(type) {
	case event.OperationCompleted, event.OperationFailed, event.OperationCancelled:
		return true
	}
	return false
}

// Wakes reports whether something outside the turn may have to start after this event,
// which was just applied: dispatch hears of its commit. A settlement that leaves nobody
// behind is not heard: no operation is next, no parent waits, and no turn was ever parked.
func (s *State) Wakes(p event.Payload) bool {
	if Terminal(p) {
		return len(s.Queue) > 0 || s.Parent != nil || s.Waited
	}
	switch d := p.(type) {
	case event.OperationAccepted, event.OperationCancelRequested, event.SessionDeleted, event.MessageSteered,
		event.ApprovalResolved, event.ChildSettled, event.ChildAbandoned, event.ToolAnswered:
		return true
	case event.OperationResumed:
		return d.Reason == event.ReasonGeneration
	}
	return false
}

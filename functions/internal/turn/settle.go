package turn

import "windlass/eventstore/event"

// settle completes the turn: the answer asks for nothing more.
func settle(op *Operation, me Situation) Append {
	return Append{op.commit(me).add(0, event.OperationCompleted{Output: op.Output, Usage: op.Usage}).events}
}

// failed ends the turn with an error. Before that every open step gets its one
// outcome, so that the transcript stays whole.
func failed(op *Operation, me Situation, err event.Error) Append {
	c := op.commit(me)
	if op.Model.Phase == Open {
		c.add(op.Round, event.ModelFailed{Attempt: op.Model.Attempt, Error: err})
	}
	for _, call := range op.Calls {
		if call.Phase == Done {
			continue
		}
		if out, ok := me.Outcomes[call.Index]; ok {
			c.add(op.Round, out...)
			continue
		}
		c.add(op.Round, refused(call, event.Error{Code: "abandoned", Message: "the turn ended before this call had an outcome: " + err.Code}))
	}
	c.add(0, event.OperationFailed{Error: err, Usage: op.Usage})
	return Append{c.events}
}

// Fail is the commit by which a driver ends a turn that it cannot go on with,
// such as one whose next commit is too large to be stored.
func Fail(op *Operation, me Situation, err event.Error) Append {
	return failed(op, me, err)
}

// Terminal reports whether the event ends its operation.
func Terminal(p event.Payload) bool {
	switch p.(type) {
	case event.OperationCompleted, event.OperationFailed:
		return true
	}
	return false
}

// Wakes reports whether something outside the turn may have to start after this
// event: dispatch hears of its commit.
func Wakes(p event.Payload) bool {
	switch d := p.(type) {
	case event.OperationAccepted, event.OperationCompleted, event.OperationFailed:
		return true
	case event.OperationResumed:
		return d.Reason == event.ReasonGeneration
	}
	return false
}

package turn

import "windlass/eventstore/event"

// act moves a round's calls: results that are held, calls to begin, calls that
// run. All of one round settle before the next begins.
func act(op *Operation, me Situation) Effect {
	r := survey(op, me)
	switch {
	case r.complete:
		return nextRound(op, me, r.held)
	case len(r.starts) > 0:
		return Append{Events: r.starts}
	case len(r.idle) > 0:
		return Act{Calls: r.idle}
	case len(r.held) > 0 && (me.Flush || len(me.Running) == 0):
		return Append{Events: r.held}
	case len(me.Running) > 0:
		return Await{}
	}
	return Yield{} // what remains needs more time than this invocation has
}

// round is where a round's calls stand for this driver.
type round struct {
	complete bool          // every call has a result, in the log or held
	held     []event.Event // results to append, in the model's order
	starts   []event.Event // tool.started of those that may begin now
	idle     []Call        // begun by this driver, not running, and there is time
}

func survey(op *Operation, me Situation) round {
	r := round{complete: true}
	held, starts := op.commit(me), op.commit(me)
	for _, call := range op.Calls {
		if call.Phase == Done {
			continue
		}
		if out, ok := me.Outcomes[call.Index]; ok {
			held.add(op.Round, out...)
			continue
		}
		if me.Running[call.Index] {
			r.complete = false
			continue
		}
		plan := me.Plan(call.ToolCall)
		if plan.Refusal != nil {
			held.add(op.Round, refused(call, *plan.Refusal))
			continue
		}
		r.complete = false
		switch {
		case plan.Timeout > me.TimeLeft: // the next invocation's
		case call.Phase == Pending:
			starts.add(op.Round, startOf(call, plan, me))
		default:
			r.idle = append(r.idle, call)
		}
	}
	r.held, r.starts = held.events, starts.events
	return r
}

// startOf begins a call. Calls of one round begin in one commit and may wait for
// one another, so all of them end at the latest when the invocation's time is up.
func startOf(c Call, p Plan, me Situation) event.ToolStarted {
	return event.ToolStarted{Index: c.Index, Name: c.Name, Effect: p.Effect, Until: event.At(me.Now.Add(me.TimeLeft))}
}

func refused(c Call, e event.Error) event.ToolFailed {
	return event.ToolFailed{Index: c.Index, CallID: c.CallID, Name: c.Name, Error: e}
}

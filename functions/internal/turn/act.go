package turn

import (
	"time"

	"windlass/eventstore/event"
)

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
	idle     []Call        // begun by this driver, not running
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
		if call.Phase == Open {
			r.complete = false
			if !me.Running[call.Index] {
				r.idle = append(r.idle, call)
			}
			continue
		}
		plan := me.Plan(call.ToolCall)
		if plan.Refusal != nil {
			held.add(op.Round, refused(call, *plan.Refusal))
			continue
		}
		r.complete = false
		if plan.Timeout <= me.TimeLeft {
			starts.add(op.Round, startOf(call, plan, me))
		}
	}
	r.held, r.starts = held.events, starts.events
	return r
}

func startOf(c Call, p Plan, me Situation) event.ToolStarted {
	until := event.At(me.Now.Add(min(p.Timeout, max(me.TimeLeft, time.Duration(0)))))
	return event.ToolStarted{Index: c.Index, Name: c.Name, Effect: p.Effect, Until: until}
}

func refused(c Call, e event.Error) event.ToolFailed {
	return event.ToolFailed{Index: c.Index, CallID: c.CallID, Name: c.Name, Error: e}
}

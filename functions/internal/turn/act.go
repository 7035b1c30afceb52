package turn

import "windlass/eventstore/event"

// act moves a round's calls: results that are held, calls to begin, calls that
// run, calls whose outcome has to be found out. All of one round settle before the
// next begins.
func act(op *Operation, me Situation) Effect {
	r := survey(op, me)
	switch {
	case r.complete:
		return nextRound(op, me, r.held)
	case len(r.now) > 0:
		return Append{Events: r.now}
	case len(r.starts) > 0:
		return Append{Events: r.starts}
	case len(r.idle) > 0:
		return Act{Calls: r.idle}
	case len(r.held) > 0 && (me.Flush || len(me.Running) == 0):
		return Append{Events: r.held}
	case r.ask != nil:
		return Reconcile{Call: *r.ask}
	case len(me.Running) > 0:
		return Await{}
	case r.waiting && !r.later && r.until.IsZero():
		return Park{}
	case !r.until.IsZero() && !r.later:
		return Backoff{Until: r.until}
	}
	return Yield{} // what remains needs more time than this invocation has
}

// round is where a round's calls stand for this driver.
type round struct {
	complete bool          // every call has a result, in the log or held
	held     []event.Event // results to append, in the model's order
	starts   []event.Event // tool.started of those that may begin now
	idle     []Call        // begun by this driver, not running, and there is time
	// now is what does not wait for others: what became of a call that must not be
	// repeated, and, in a commit of its own right before the effect, its start.
	now     []event.Event
	ask     *Call      // its outcome may be found out
	until   event.Time // when the next decision about such a call is due
	waiting bool       // for a person
	later   bool       // something needs more time than there is
}

func survey(op *Operation, me Situation) round {
	r := round{complete: true}
	held, starts, now := op.commit(me), op.commit(me), op.commit(me)
	var waits []bool // asked for where a call is pending, which is rare
	mustWait := func(index int) bool {
		if waits == nil {
			_, waits = op.inLine(me)
		}
		return waits[index]
	}
	for i, call := range op.Calls {
		if call.Phase == Done {
			continue
		}
		if out, ok := me.Outcomes[call.Index]; ok && call.Phase == Open && !out.unknown() {
			held.add(op.Round, out...)
			if call.Effect == Once {
				now.add(op.Round, out...)
			}
			continue
		}
		if me.Running[call.Index] {
			r.complete = false
			continue
		}
		plan := me.Plan(call.ToolCall)
		if plan.Refusal != nil && call.Phase == Pending {
			held.add(op.Round, refused(call, *plan.Refusal))
			continue
		}
		r.complete = false
		switch {
		case call.Phase != Pending && call.Effect == Once && r.once(op, me, call, plan, now):
		case plan.Timeout > me.TimeLeft: // the next invocation's
			r.later = true
		case call.Phase == Pending && mustWait(i): // for its turn
		case call.Phase == Pending && plan.Effect == Once:
			if len(now.events) == 0 {
				now.add(op.Round, startOnce(call, plan, me))
			}
		case call.Phase == Pending:
			starts.add(op.Round, startOf(call, plan, me))
		default:
			r.idle = append(r.idle, call)
		}
	}
	r.held, r.starts, r.now = held.events, starts.events, now.events
	if r.complete {
		r.now = nil
	}
	return r
}

// once decides about a begun call that must not be repeated; false if it is this
// driver's to carry out.
func (r *round) once(op *Operation, me Situation, call Call, plan Plan, now *commit) bool {
	switch call.Phase {
	case Open:
		// One whose start took so long to be stored that it cannot be begun any more is
		// like one whose outcome is unclear.
		if _, held := me.Outcomes[call.Index]; !call.Inherited && !held && call.Until.After(me.Now.Time) {
			return false
		}
		if due := event.At(call.Until.Add(UntilMargin)); due.After(me.Now.Time) {
			if r.until.IsZero() || due.Before(r.until.Time) {
				r.until = due
			}
			return true
		}
		now.add(op.Round, event.ToolUnknown{Index: call.Index, Name: call.Name})
	case Unknown:
		found, ok := me.Found[call.Index]
		ok = ok && found.UnknownSeq == call.UnknownSeq
		switch {
		case ok && found.DidNot && plan.Timeout > me.TimeLeft:
			r.later = true
		case ok && found.DidNot:
			if len(now.events) == 0 {
				now.add(op.Round, startOnce(call, plan, me))
			}
		case ok && found.Outcome != nil:
			now.add(op.Round, found.Outcome...)
		case plan.Reconciles && !ok && r.ask == nil:
			r.ask = &call
		case plan.Reconciles && !ok: // one after the other
		default:
			now.add(op.Round, event.ApprovalRequested{Index: call.Index, Name: call.Name, Reason: event.ReasonUnknownOutcome})
		}
	case Asked:
		r.waiting = true
	case Happened:
		now.add(op.Round, happened(call))
	}
	return true
}

// happened is the result of a call that a person found to have taken effect.
func happened(c Call) event.ToolCompleted {
	output := event.Text("A person found out that this call took effect.")
	if c.Output != nil {
		output = *c.Output
	}
	return event.ToolCompleted{Index: c.Index, CallID: c.CallID, Name: c.Name, Output: output}
}

// inLine is how each call would be carried out, and whether it waits: for an earlier
// one on the same target, where one of the two must not be repeated. (Others keep
// their order while they run.) One pass: a round may have thousands.
func (op *Operation) inLine(me Situation) (plans []Plan, waits []bool) {
	type target struct{ any, once bool }
	before := map[string]target{}
	plans, waits = make([]Plan, len(op.Calls)), make([]bool, len(op.Calls))
	for i, c := range op.Calls {
		if c.Phase == Done {
			continue
		}
		plans[i] = me.Plan(c.ToolCall)
		p := plans[i]
		if p.Refusal != nil || p.Target == "" {
			continue
		}
		b := before[p.Target]
		waits[i] = b.once || b.any && p.Effect == Once
		before[p.Target] = target{any: true, once: b.once || p.Effect == Once}
	}
	return plans, waits
}

// startOf begins a call. Calls of one round begin in one commit and may wait for
// one another, so all of them end at the latest when the invocation's time is up.
func startOf(c Call, p Plan, me Situation) event.ToolStarted {
	return event.ToolStarted{Index: c.Index, Name: c.Name, Effect: p.Effect, Until: event.At(me.Now.Add(me.TimeLeft))}
}

// startOnce begins a call that runs at once and alone on its target: until is its
// own.
func startOnce(c Call, p Plan, me Situation) event.ToolStarted {
	return event.ToolStarted{Index: c.Index, Name: c.Name, Effect: p.Effect, Until: event.At(me.Now.Add(min(p.Timeout, me.TimeLeft)))}
}

func refused(c Call, e event.Error) event.ToolFailed {
	return event.ToolFailed{Index: c.Index, CallID: c.CallID, Name: c.Name, Error: e}
}

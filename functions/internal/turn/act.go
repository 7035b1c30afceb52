package turn

import (
	"strings"

	"windlass/eventstore/event"
)

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
		return Park{Until: r.lapses}
	case !r.until.IsZero() && !r.later:
		return Backoff{Until: r.until}
	}
	return Yield{} // what remains needs more time than this invocation has
}

// round is where a round's calls stand for this driver.
type round struct {
	complete bool          // every call has a result, in the log or held
	held     []event.Event // results to append, in the model's order
	starts   []event.Event // of those that may begin now; and questions
	idle     []Call        // begun by this driver, not running, and there is time
	// now is what does not wait for others: what became of a call that must not be
	// repeated, and, in a commit of its own right before the effect, its start.
	now     []event.Event
	ask     *Call      // its outcome may be found out
	until   event.Time // when the next decision about such a call is due
	waiting bool       // for a person, a child or a callback
	lapses  event.Time // when the first wait does; zero for never
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
			if out.deferred() {
				r.complete = false
				now.add(op.Round, out...)
				continue
			}
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
		if call.dueAgain(me.Now) {
			call.Phase = Pending
		}
		plan := me.Plan(call.ToolCall)
		if plan.Refusal != nil && call.Phase == Pending {
			held.add(op.Round, refused(call, *plan.Refusal))
			continue
		}
		switch call.Phase {
		case Denied:
			held.add(op.Round, refused(call, *call.Denial))
			continue
		case Reported:
			held.add(op.Round, report(call))
			continue
		case Deferred:
			if !call.Until.After(me.Now.Time) && call.Effect != Once {
				held.add(op.Round, refused(call, unanswered))
				continue
			}
		}
		r.complete = false
		switch {
		case call.lapsed(me.Now):
			now.add(op.Round, event.ApprovalResolved{Index: call.Index, Decision: event.Expired})
		case call.Phase == Asked && call.Question.Reason == event.ReasonPolicy:
			r.wait(call.Question.ExpiresAt)
		case call.Phase == Pending && call.mustAsk(plan):
			starts.add(op.Round, question(call, plan, me))
		case call.Phase == Deferred && call.Until.After(me.Now.Time):
			r.wait(call.Until)
		case call.Phase == Deferred:
			now.add(op.Round, event.ToolUnknown{Index: call.Index, Name: call.Name})
		case call.Phase == Elsewhere && me.Handed[call.Index]:
			r.wait(event.At(me.Now.Add(recheck)))
		case call.Phase == Elsewhere:
			r.idle = append(r.idle, call)
		case call.Phase == Pending && plan.Delegate != nil:
			starts.add(op.Round, submitted(call, *plan.Delegate))
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
		r.wait(event.Time{})
	case Happened:
		now.add(op.Round, happened(call))
	}
	return true
}

// wait: for somebody's word, not beyond at, if that is not zero.
func (r *round) wait(at event.Time) {
	r.waiting = true
	if !at.IsZero() && (r.lapses.IsZero() || at.Before(r.lapses.Time)) {
		r.lapses = at
	}
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
// one on the same target, where one of the two must not be repeated, or the earlier
// one waits for a person. (Others keep their order while they run.) One pass: a round
// may have thousands.
func (op *Operation) inLine(me Situation) (plans []Plan, waits []bool) {
	before := map[string]queued{}
	var files queued // all calls on files
	plans, waits = make([]Plan, len(op.Calls)), make([]bool, len(op.Calls))
	for i := range op.Calls {
		c := &op.Calls[i]
		if c.Phase == Done || c.Phase == Deferred && !c.dueAgain(me.Now) { // what it began keeps nobody waiting
			continue
		}
		plans[i] = me.Plan(c.ToolCall)
		p := plans[i]
		if p.Refusal != nil || p.Target == "" || c.Phase == Denied || c.Phase == Reported {
			continue
		}
		stops := p.Effect == Once || c.mustAsk(p)
		b := before[p.Target].and(before[everyFile], isFile(p.Target))
		if p.Target == everyFile {
			b = files
		}
		waits[i] = b.stops || b.any && p.Effect == Once
		before[p.Target] = before[p.Target].and(queued{true, stops}, true)
		files = files.and(queued{true, stops}, isFile(p.Target))
	}
	return plans, waits
}

// queued is what stands before a call on its target: anything, and one that those
// behind it wait for.
type queued struct{ any, stops bool }

func (q queued) and(o queued, also bool) queued {
	if !also {
		return q
	}
	return queued{q.any || o.any, q.stops || o.stops}
}

// everyFile is the target of a call that may work on any file; those of one file
// begin like it.
const (
	everyFile  = "file:*"
	filePrefix = "file:"
)

func isFile(target string) bool { return strings.HasPrefix(target, filePrefix) }

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

package proof

import (
	"fmt"

	"windlass/eventstore/event"
)

// tool checks what an event says about a call against what is so.
func (op *account) tool(w *world, plan round, n int, p event.Payload) string {
	i, ok := callOf(p)
	if !ok {
		return "this scenario knows no such event"
	}
	if i >= op.asked || op.model != done {
		return "the round asked for no such call"
	}
	c := &op.call[i]
	if c.step == done {
		return fmt.Sprintf("something follows the result of call %d", i)
	}
	switch d := p.(type) {
	case event.ToolStarted:
		if c.step == open {
			return fmt.Sprintf("call %d is begun while it is open", i)
		}
		if plan[i] == gated && !c.allowed {
			return fmt.Sprintf("call %d is begun, and nobody has allowed it", i)
		}
		*c = callAccount{step: open, allowed: c.allowed}
	case event.ToolUnknown:
		if c.step != open || c.unknown {
			return fmt.Sprintf("the outcome of call %d is called unknown, which was not open", i)
		}
		*c = callAccount{unknown: true}
	case event.ApprovalRequested:
		policy := d.Reason == event.ReasonPolicy && plan[i] == gated && c.step == pending && !c.allowed && !c.refused
		if !policy && !c.unknown || c.inquiry {
			return fmt.Sprintf("a person is asked about call %d for no reason", i)
		}
		c.inquiry = true
	case event.ApprovalResolved:
		if !c.inquiry {
			return fmt.Sprintf("nobody was asked about call %d", i)
		}
		c.inquiry, c.unknown = false, false
		c.allowed, c.refused = d.Decision == event.Approve, d.Decision == event.Deny || d.Decision == event.Expired
	case event.ChildSubmitted, event.ChildSettled, event.ChildAbandoned:
		return c.child(i, w.child[n][i].at, p)
	case event.ToolCompleted:
		if c.away && !c.told {
			return fmt.Sprintf("call %d has a result, and its child's end was not told", i)
		}
		if c.refused {
			return fmt.Sprintf("call %d has a result, and was not allowed", i)
		}
		c.step = done
		return op.did[n][i].says(plan[i], ran)
	case event.ToolFailed:
		c.step = done
		if d.Error.Code == "outcome_unknown" {
			return op.did[n][i].says(plan[i], mayHaveRun)
		}
		return op.did[n][i].says(plan[i], didNotRun)
	}
	return ""
}

func callOf(p event.Payload) (int, bool) {
	switch d := p.(type) {
	case event.ToolStarted:
		return d.Index, true
	case event.ToolUnknown:
		return d.Index, true
	case event.ToolCompleted:
		return d.Index, true
	case event.ToolFailed:
		return d.Index, true
	case event.ApprovalRequested:
		return d.Index, true
	case event.ApprovalResolved:
		return d.Index, true
	case event.ChildSubmitted:
		return d.Index, true
	case event.ChildSettled:
		return d.Index, true
	case event.ChildAbandoned:
		return d.Index, true
	}
	return 0, false
}

// says: the log's word on a call is true, and stays so.
func (d *deed) says(c class, v verdict) string {
	d.said = v
	switch {
	case v == ran && d.times == 0:
		return "a result tells of an effect that did not happen"
	case v == didNotRun && c.once() && d.times > 0:
		return "a result says that an effect did not happen, and it did"
	}
	return ""
}

// happens is one effect outside.
func (d *deed) happens(c class) string {
	if !c.once() {
		d.times = 1
		return ""
	}
	d.times++
	switch {
	case d.times > 1:
		return "an effect of the class once happens twice"
	case d.said == didNotRun:
		return "an effect happens after a result said that it did not"
	}
	return ""
}

// resumed: nobody takes over without any fault, nor twice, nor after it wrote
// anything else.
func (op *account) resumed(x *explorer, c *commit, d event.OperationResumed) string {
	if d.Reason != event.ReasonTakeover {
		return ""
	}
	if x.left.faults() == 0 {
		return "a takeover in a run without any fault"
	}
	for b := c.before; b != nil; b = b.before {
		if b.by == c.by {
			return fmt.Sprintf("%s takes over, and has written seq %d before", c.by, b.last)
		}
	}
	return ""
}

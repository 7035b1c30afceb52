package checker

import "windlass/tests/client"

// child is the session that carries a call out for another agent; no name for none.
type child struct {
	session, operation string
	// end is how it ended, as its parent's log says: a status, or abandoned.
	end string
}

const abandoned = "abandoned"

// child: a call is handed over once, to a session of its own, and that ends once: settled
// before the call's result, or abandoned with the parent's end.
func (c *checker) child(op *Operation, e client.Event, d data) {
	k := c.call(op, e, d)
	switch {
	case k == nil:
	case e.Type == "child.submitted":
		op.Children++
		c.handed(e, k, d)
	case k.child.session == "" || k.child.end != "":
		c.bad(e, "call %d is not another agent's, or no longer", d.Index)
	case e.Type == "child.settled":
		c.settled(e, k, d)
	default:
		op.abandoned = true
		if k.child.session != d.Session || k.child.operation != d.OperationID {
			c.bad(e, "call %d was handed to %q, and %q is abandoned", d.Index, k.child.session, d.Session)
		}
		k.child.end = abandoned
	}
}

func (c *checker) handed(e client.Event, k *call, d data) {
	switch {
	case k.child.session != "":
		c.bad(e, "call %d is handed over twice", d.Index)
	case k.effect != "":
		c.bad(e, "call %d is handed over, and was begun here", d.Index)
	case k.gate != "" && k.gate != "approve":
		c.bad(e, "call %d is handed over, and a person said %q", d.Index, k.gate)
	case d.Session == "" || d.OperationID == "" || c.children[d.Session]:
		c.bad(e, "call %d is handed to %q, which is no session of its own", d.Index, d.Session)
	}
	c.children[d.Session] = true
	k.child = child{session: d.Session, operation: d.OperationID}
}

// settled: what is completed has an output, and anything else an error.
func (c *checker) settled(e client.Event, k *call, d data) {
	switch d.Status {
	case "completed", "failed", "cancelled":
	default:
		c.bad(e, "a child ends as %q", d.Status)
	}
	if done := d.Status == "completed"; done != (d.Output != nil) || done != (d.Error.Code == "") {
		c.bad(e, "a child is %s, with an output: %t, and the error %q", d.Status, d.Output != nil, d.Error.Code)
	}
	k.child.end = d.Status
}

// reported: a call's result says what its child's end does.
func (c *checker) reported(e client.Event, k *call, d data) {
	switch done := e.Type == "tool.completed"; {
	case k.child.end == "":
		c.bad(e, "call %d has a result before its child's end", d.Index)
	case done != (k.child.end == "completed"):
		c.bad(e, "a result of call %d, whose child is %s", d.Index, k.child.end)
	}
}

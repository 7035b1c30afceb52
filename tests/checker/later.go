package checker

import "windlass/tests/client"

// later: what a call began may end later, and is told by a callback, once.
func (c *checker) later(op *Operation, e client.Event, d data) {
	k := c.call(op, e, d)
	switch {
	case k == nil:
	case k.effect == "":
		c.bad(e, "call %d was never begun", d.Index)
	case e.Type == "tool.deferred":
		// Of one whose outcome was lost, its tool may find that it is under way.
		k.again, k.open, k.unknown = d.Again, true, false
	case k.answer != "":
		c.bad(e, "call %d is called back about twice", d.Index)
	case d.Output != nil:
		k.answer = "tool.completed"
	default:
		k.answer = "tool.failed"
	}
}

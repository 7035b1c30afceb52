package proof

import (
	"fmt"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// related notes what a commit says of children.
func (w *world) related(events []event.Event) {
	for _, e := range events {
		switch d := e.Data.(type) {
		case event.ChildSubmitted:
			w.child[e.Round][d.Index].known = true
		case event.ChildAbandoned:
			w.child[e.Round][d.Index].letGo = true
		}
	}
}

// awaited: a waits for this child; what is told of others changes nothing.
func (x *explorer) awaited(w *world, r, c int) bool {
	op := w.state.Find(operationIDs[0])
	if op == nil || x.off(ruleTold) {
		return op != nil
	}
	return op.Round == r && !op.CancelRequested && c < len(op.Calls) && op.Calls[c].Phase == turn.Elsewhere
}

// missed: the turn waits for a child of which it will not hear. A look that finds
// nothing else is no step.
func (x *explorer) missed(w *world, op int) bool {
	for r := range w.child {
		for c, k := range w.child[r] {
			if op == 0 && x.awaited(w, r, c) && (k.at == unborn || k.at == over && !k.unheard) {
				return true
			}
		}
	}
	return false
}

// grown: no child is left that lives, or that is still to be cancelled.
func (w *world) grown() bool {
	for _, r := range w.child {
		for _, k := range r {
			if k.at == lives || k.letGo {
				return false
			}
		}
	}
	return true
}

func (k *child) born(c int) string {
	switch {
	case !k.known:
		return fmt.Sprintf("the child of call %d begins, and no log has it", c)
	case k.at != unborn:
		return fmt.Sprintf("the child of call %d begins twice", c)
	case k.dropped:
		return fmt.Sprintf("the child of call %d begins, and was cancelled", c)
	}
	return ""
}

// child checks what an event says of a call's child against what is so.
func (c *callAccount) child(i int, really age, p event.Payload) string {
	switch p.(type) {
	case event.ChildSubmitted:
		if c.away || c.step != pending {
			return fmt.Sprintf("call %d goes to another agent, and was begun", i)
		}
		c.away = true
	case event.ChildSettled:
		switch {
		case !c.away || c.told:
			return fmt.Sprintf("the end of call %d's child is told again, or is not awaited", i)
		case really != over:
			return fmt.Sprintf("the end of call %d's child is told, and has not come", i)
		}
		c.told = true
	case event.ChildAbandoned:
		if !c.away || c.told {
			return fmt.Sprintf("call %d's child is abandoned, and nobody waits for it", i)
		}
		c.left = true
	}
	return ""
}

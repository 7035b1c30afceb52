package disaster

import (
	"fmt"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// bond is what both logs say of one child, in the order in which it was stored.
type bond struct {
	// Of the parent's log.
	submitted, settled, abandoned, results int
	letGo                                  time.Time // when it was abandoned
	// Of the child's.
	begun, ended int
	status       string
	end          time.Time
}

// kin are the bonds by child, and by the call that each is for.
type kin struct {
	v      *verdict
	bonds  map[string]*bond
	called map[string]*bond
}

// letGoWithin is how long a child may go on after its parent has abandoned it: a dead
// driver, one that nobody has heard of, and the schedule.
const letGoWithin = 2 * time.Minute

// kinship: each child is begun once, and not before its parent's log has it; it has
// ended once it is told, is told once and before the call's result; and whatever is
// abandoned ends.
func kinship(v *verdict, all []told) {
	k := kin{v, map[string]*bond{}, map[string]*bond{}}
	for _, c := range all {
		for _, e := range c.events {
			k.parent(c.of, e)
			k.child(c.of, e)
		}
	}
	for session, b := range k.bonds {
		k.close(session, b)
	}
}

// wrong counts in n what is there too often, or not at all.
func (k kin) wrong(n *int, is bool, format string, args ...any) {
	if is {
		k.v.bad(n, 1, format, args...)
	}
}

// parent takes what an event says of a child, or of its call.
func (k kin) parent(s eventstore.Stream, e event.Event) {
	call := func(index int) string { return fmt.Sprint(s.Session, e.Operation, e.Round, index) }
	switch d := e.Data.(type) {
	case event.ChildSubmitted:
		b := k.bonds[d.Session]
		if b == nil {
			b = &bond{}
			k.bonds[d.Session], k.called[call(d.Index)] = b, b
		}
		b.submitted++
		k.wrong(&k.v.duplicates, b.submitted > 1 || k.called[call(d.Index)] != b, "%s is submitted again", d.Session)
	case event.ChildSettled:
		if b := k.called[call(d.Index)]; b != nil {
			b.settled++
			k.wrong(&k.v.duplicates, b.settled > 1, "the end of call %d's child is told again", d.Index)
			k.wrong(&k.v.duplicates, b.results+b.abandoned > 0, "the end of call %d's child is told after its result", d.Index)
			k.wrong(&k.v.losses, b.ended != 1 || b.status != d.Status, "call %d's child is said to be %s, and is %q", d.Index, d.Status, b.status)
		}
	case event.ChildAbandoned:
		if b := k.called[call(d.Index)]; b != nil {
			b.abandoned++
			b.letGo = e.At.Time
			k.wrong(&k.v.duplicates, b.abandoned+b.settled+b.results > 1, "call %d's child is abandoned after its end", d.Index)
		}
	case event.ToolCompleted:
		k.result(call(d.Index), d.Index)
	case event.ToolFailed:
		k.result(call(d.Index), d.Index)
	}
}

func (k kin) result(call string, index int) {
	if b := k.called[call]; b != nil {
		b.results++
		k.wrong(&k.v.losses, b.settled+b.abandoned != 1, "call %d has a result, and nobody has told what became of its child", index)
	}
}

// child takes what an event says in a child's own log.
func (k kin) child(s eventstore.Stream, e event.Event) {
	b := k.bonds[s.Session]
	if b == nil {
		k.wrong(&k.v.duplicates, s != talk, "%s has a log, and no parent's has it", s)
		return
	}
	if _, ok := e.Data.(event.OperationAccepted); ok {
		b.begun++
		k.wrong(&k.v.duplicates, b.begun > 1, "%s is begun again", s)
	}
	if turn.Terminal(e.Data) {
		b.ended++
		b.status, b.end = e.Data.EventType()[len("operation."):], e.At.Time
	}
}

func (k kin) close(session string, b *bond) {
	k.wrong(&k.v.losses, b.begun == 0 && b.abandoned == 0, "%s was never begun", session)
	k.wrong(&k.v.losses, b.results != 1, "the call of %s has %d results", session, b.results)
	k.wrong(&k.v.stuck, b.ended != 1, "%s has %d ends", session, b.ended)
	k.wrong(&k.v.stuck, b.abandoned > 0 && b.end.Sub(b.letGo) > letGoWithin, "%s went on for %s after it was abandoned", session, b.end.Sub(b.letGo))
}

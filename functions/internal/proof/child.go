package proof

import (
	"fmt"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// child is another session, as its parent can tell: it begins, it ends, and what passes
// between the two may come late, twice, or never.
type child struct {
	at    age
	known bool // its parent's log has it
	// unheard: its end is still to be told. letGo: it is still to be cancelled.
	unheard, letGo bool
	// dropped: it was to be cancelled before it was there, and nobody kept it from coming.
	dropped bool
}

type age uint8

const (
	unborn age = iota
	lives
	over
	barred // cancelled before it was there
)

// children are those of a's calls.
type children [maxRounds + 1][calls]child

// childTask is the one operation of a child, and childOf its session.
const childTask = "task"

func childOf(round string, index int) string { return fmt.Sprintf("child-%s-%d", round, index) }

// delegation says that another agent carries a call out.
func delegation(c event.ToolCall) *turn.Delegation {
	return &turn.Delegation{Session: childOf(c.Arguments.Inline(), c.Index), Operation: childTask, Agent: "demo"}
}

// hands gives a call to its child, whoever has done it before. A driver goes on alike
// when that fails.
func (x *explorer) hands(w *world, i, c int) {
	d := &w.driver[i]
	if w.left.Stray > 0 && !d.doomed {
		t := x.fork(w)
		t.left.Stray--
		t.driver[i].run[c], t.driver[i].handed[c] = false, true
		x.emit(fault, t, "%s: call %d cannot be handed over", d.name, c)
	}
	t := x.fork(w)
	t.driver[i].run[c], t.driver[i].handed[c] = false, true
	x.handed(t, d.round, c)
	x.emit(normal, t, "%s: hands call %d over", d.name, c)
}

// handed is Submit in the child's session: what is there already stays as it is, and
// what has ended is told.
func (x *explorer) handed(t *world, round, c int) {
	k := &t.child[round][c]
	switch {
	case k.at == unborn || x.off(ruleNamed):
		t.ruin(k.born(c))
		k.at = lives
	case k.at == over:
		x.tells(t, round, c)
	}
}

// grows is every step of the children, and of who carries between them and a.
func (x *explorer) grows(w *world) {
	for r := range w.child {
		for c := range w.child[r] {
			x.grow(w, r, c)
		}
	}
}

func (x *explorer) grow(w *world, r, c int) {
	k := w.child[r][c]
	name := childOf(fmt.Sprint(r), c)
	if k.at == lives {
		t := x.fork(w)
		t.ends(r, c)
		x.emit(normal, t, "%s: ends", name)
	}
	if k.unheard && x.awaited(w, r, c) {
		t := x.fork(w)
		t.child[r][c].unheard = false
		x.tells(t, r, c)
		x.emit(normal, t, "dispatch: tells that %s has ended", name)
		if w.left.Stray > 0 {
			t = x.fork(w)
			t.left.Stray--
			t.child[r][c].unheard = false
			x.emit(fault, t, "dispatch: tells nobody that %s has ended", name)
		}
	}
	if k.at == over && w.left.Again > 0 {
		t := x.fork(w)
		t.left.Again--
		if x.tells(t, r, c) {
			x.emit(fault, t, "dispatch: tells that %s has ended, and will again", name)
		} else {
			x.drop(t)
		}
	}
	if k.letGo {
		t := x.fork(w)
		x.cancelsChild(t, r, c)
		x.emit(normal, t, "dispatch: cancels %s", name)
		if w.left.Stray > 0 {
			t = x.fork(w)
			t.left.Stray--
			t.child[r][c].letGo = false
			x.emit(fault, t, "dispatch: does not cancel %s, which goes on", name)
		}
	}
}

// ends: whatever it has done, it has done.
func (w *world) ends(r, c int) {
	w.child[r][c].at, w.child[r][c].unheard = over, true
	w.ledger.op[0].did[r][c].times = 1
}

// cancelsChild is Cancel in the child's session. One that is not there yet never will
// be.
func (x *explorer) cancelsChild(t *world, r, c int) {
	k := &t.child[r][c]
	k.letGo = false
	switch {
	case k.at == lives:
		t.ends(r, c)
	case k.at == unborn && x.off(ruleClaim):
		k.dropped = true
	case k.at == unborn:
		k.at = barred
	}
}

// tells appends a child's end to its parent, if that waits for it.
func (x *explorer) tells(t *world, r, c int) bool {
	of := event.Parent{Session: stream.Session, Operation: operationIDs[0], Round: r, Index: c}
	end := event.ChildSettled{Index: c, Status: "completed", Output: &okText, Usage: event.Usage{CostUSD: event.NoUSD}}
	events := turn.Report(t.state, of, event.ChildSubmitted{Session: childOf(fmt.Sprint(r), c), Operation: childTask}, end, t.now)
	if op := t.state.Find(of.Operation); op != nil && x.off(ruleTold) {
		events = []event.Event{{At: event.At(t.now), Operation: op.ID, Round: r, Data: end}}
	}
	if events == nil {
		return false
	}
	x.append(t, draft(t.state, "", events))
	return true
}

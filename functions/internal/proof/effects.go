package proof

import (
	"fmt"
	"strings"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// effects: a call that runs has its effect, or has not, and its driver holds what it
// learned about it.
func (x *explorer) effects(w *world, i int) {
	d := &w.driver[i]
	for c := range calls {
		if !d.run[c] {
			continue
		}
		class := x.class(int(d.op), d.round)[c]
		switch {
		case class == delegated:
			x.hands(w, i, c)
		case !class.once():
			t := x.fork(w)
			x.happens(t, i, c, outcome)
			x.decides(normal, t, i, fmt.Sprintf("call %d happens; ", c))
		case x.inTime(w, d, c):
			x.once(w, i, c)
		default:
			t := x.fork(w)
			t.hold(i, c, unclear)
			x.decides(normal, t, i, fmt.Sprintf("the time of call %d is over, what came of it is not known; ", c))
			t = x.fork(w)
			t.hold(i, c, nothing)
			x.decides(normal, t, i, fmt.Sprintf("call %d comes too late to begin; ", c))
		}
	}
}

// inTime: the effect's context is open. Clocks differ by up to the margin.
func (x *explorer) inTime(w *world, d *driver, c int) bool {
	return x.off(ruleUntil) || d.until[c].Add(turn.UntilMargin).After(w.now)
}

func (x *explorer) once(w *world, i, c int) {
	name := w.driver[i].name
	t := x.fork(w)
	x.happens(t, i, c, outcome)
	x.emit(normal, t, "%s: call %d happens", name, c)
	if w.left.Ambig == 0 {
		return
	}
	t = x.fork(w)
	t.left.Ambig--
	x.happens(t, i, c, unclear)
	x.emit(fault, t, "%s: call %d happens, and its answer is lost", name, c)
	t = x.fork(w)
	t.left.Ambig--
	t.hold(i, c, unclear)
	x.emit(fault, t, "%s: call %d does not happen, and its error is unclear", name, c)
}

func (x *explorer) happens(w *world, i, c int, held holds) {
	d := &w.driver[i]
	if why := w.ledger.op[d.op].did[d.round][c].happens(x.class(int(d.op), d.round)[c]); why != "" && w.bad == "" {
		w.bad = fmt.Sprintf("call %d of round %d of %q: %s", c, d.round, operationIDs[d.op], why)
	}
	w.hold(i, c, held)
}

func (w *world) hold(i, c int, held holds) {
	w.driver[i].run[c], w.driver[i].out[c] = false, held
}

// rash begins a call before its start is in the log, which a rule forbids.
func (x *explorer) rash(w *world, i int, a turn.Append) {
	for _, e := range a.Events {
		s, ok := e.Data.(event.ToolStarted)
		if !ok || s.Effect != turn.Once || w.driver[i].early[s.Index] {
			continue
		}
		t := x.fork(w)
		t.driver[i].round, t.driver[i].early[s.Index] = e.Round, true
		x.happens(t, i, s.Index, nothing)
		x.emit(normal, t, "%s: call %d happens, and its start is not stored yet", t.driver[i].name, s.Index)
	}
}

// gives hands a call over before that is in the log, which a rule forbids.
func (x *explorer) gives(w *world, i int, a turn.Append) {
	for _, e := range a.Events {
		if s, ok := e.Data.(event.ChildSubmitted); ok && x.off(ruleSubmitted) {
			t := x.fork(w)
			x.handed(t, e.Round, s.Index)
			x.emit(normal, t, "%s: hands call %d over, and that is not stored yet", t.driver[i].name, s.Index)
		}
	}
}

// reconciles asks the call's tool, which tells the truth or does not know.
func (x *explorer) reconciles(w *world, i int, c turn.Call) {
	d := &w.driver[i]
	op := d.view.Head()
	says := []truth{x.truth(w, int(d.op), op.Round, c.Index)}
	if x.doubts {
		says = append(says, unknown)
	}
	for _, what := range says {
		t := x.fork(w)
		t.driver[i].found[c.Index] = finding{what, c.UnknownSeq}
		x.emit(normal, t, "%s: asks what became of call %d: %s", d.name, c.Index, truthNames[what])
	}
}

var truthNames = map[truth]string{didNot: "it did not happen", happened: "it happened", unknown: "nobody knows"}

func (x *explorer) truth(w *world, op, round, c int) truth {
	if w.ledger.op[op].did[round][c].times > 0 {
		return happened
	}
	return didNot
}

func effectName(e turn.Effect) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", e), "turn."))
}

package proof

import "windlass/functions/internal/turn"

// drives is every step that an invocation of Drive may take.
func (x *explorer) drives(w *world) {
	for i := range w.driver {
		d := &w.driver[i]
		if !d.on {
			continue
		}
		// One that wrote nothing yet might as well not have come.
		if w.left.Crash > 0 && d.attached && d.read && !d.first {
			t := x.fork(w)
			t.left.Crash--
			t.leave(i, ready)
			x.emit(fault, t, "%s: dies", d.name)
		}
		if !d.attached { // a Lambda has its own end
			t := x.fork(w)
			t.leave(i, ready)
			x.emit(normal, t, "%s: its Lambda's time is up", d.name)
		}
		switch {
		case d.doomed:
			x.ends(w, i)
		case !d.read:
			x.opens(w, i)
		case d.thinking:
			x.thinks(w, i)
		default:
			x.works(w, i)
		}
	}
}

// leave ends an invocation. Its execution, if it still waits for it, goes on.
func (w *world) leave(i int, to place) {
	d := &w.driver[i]
	if d.attached {
		w.exec[d.op][d.gen-1] = execution{at: to}
	}
	*d = driver{}
}

// opens is the first look. What needs no append is answered at once: nothing is
// read in between.
func (x *explorer) opens(w *world, i int) {
	t := x.fork(w)
	d := &t.driver[i]
	d.read, d.first, d.at, d.view = true, true, w.log, w.state
	switch e := x.next(t, d).(type) {
	case turn.Backoff, turn.Finish, turn.Fenced, turn.Yield, turn.Park:
		name, what, to := d.name, effectName(e), after(e)
		t.leave(i, to)
		x.emit(normal, t, "%s: reads the log → %s", name, what)
	default:
		x.emit(normal, t, "%s: reads the log", d.name)
	}
}

// thinks: the model answers, fails, or the log moves on meanwhile.
func (x *explorer) thinks(w *world, i int) {
	t := x.fork(w)
	t.driver[i].thinking, t.driver[i].answer = false, outcome
	x.decides(normal, t, i, "the model answers; ")
	if w.left.ModelFail > 0 {
		t = x.fork(w)
		t.left.ModelFail--
		t.driver[i].thinking, t.driver[i].answer = false, unclear
		x.decides(fault, t, i, "the model fails; ")
	}
	x.looks(w, i)
}

// looks: while effects run, a driver looks at the head.
func (x *explorer) looks(w *world, i int) {
	if !w.driver[i].overtaken(w) {
		return
	}
	t := x.fork(w)
	d := &t.driver[i]
	others := d.catchUp(x, t)
	d.lost, d.thinking = d.lost || others, false
	x.emit(normal, t, "%s: looks, and sees that the log has moved on", d.name)
}

func (x *explorer) works(w *world, i int) {
	d := &w.driver[i]
	if w.left.Short > 0 && !d.short {
		t := x.fork(w)
		t.left.Short--
		t.driver[i].short = true
		x.emit(fault, t, "%s: its time runs short", d.name)
	}
	x.effects(w, i)
	switch e := x.next(w, d).(type) {
	case turn.Await:
		x.looks(w, i)
		if d.holding() && !d.flush {
			t := x.fork(w)
			t.driver[i].flush = true
			x.decides(normal, t, i, "holds results for long enough; ")
		}
	case turn.Reconcile:
		x.reconciles(w, i, e.Call)
	default:
		if a, ok := e.(turn.Append); ok && x.off(ruleDurable) {
			x.rash(w, i, a)
		}
		x.decides(normal, x.fork(w), i, "")
	}
}

// decides is what a driver does about what it has just learned: one decision and what
// it leads to. An append that lost is folded and decided again, as often as it takes.
// Nothing of that is seen by others, so it is one step.
func (x *explorer) decides(k kind, t *world, i int, why string) {
	d := &t.driver[i]
	name := d.name
	for {
		switch e := x.next(t, d).(type) {
		case turn.Append:
			x.gives(t, i, e)
			if d.at != t.log {
				d.lost = d.catchUp(x, t)
				why += "lost an append; "
				if !x.off(ruleRedecide) || d.lost {
					continue
				}
			}
			x.append(t, draft(t.state, name, x.events(e.Events)))
			d.appended(x, t)
			x.belated(t, i, why)
			x.emit(k, x.begins(t, i), "%s: %s", name, why)
		case turn.Await, turn.Reconcile:
			x.emit(k, t, "%s: %s", name, why)
		case turn.Think, turn.Compact, turn.Act:
			x.emit(k, x.begins(t, i), "%s: %s%s", name, why, effectName(e))
		default:
			t.leave(i, after(e))
			x.emit(k, t, "%s: %s→ %s", name, why, effectName(e))
		}
		return
	}
}

// belated: an invocation's time runs short between a start and its effect.
func (x *explorer) belated(t *world, i int, why string) {
	if t.left.Short == 0 || t.driver[i].short {
		return
	}
	wrote, mark := x.wrote, x.mark
	u := x.fork(t)
	x.wrote, x.mark = wrote, mark
	u.left.Short--
	u.driver[i].short = true
	x.emit(fault, u, "%s: %sits time runs short", u.driver[i].name, why)
	x.wrote, x.mark = wrote, mark
}

// begins: an effect whose start is in the log begins right away; nobody can tell
// when.
func (x *explorer) begins(t *world, i int) *world {
	d := &t.driver[i]
	switch e := x.next(t, d).(type) {
	case turn.Think, turn.Compact:
		d.thinking = true
	case turn.Act:
		d.round = d.view.Head().Round
		for _, c := range e.Calls {
			d.run[c.Index] = true
			if c.Effect == turn.Once { // of others nobody asks
				d.until[c.Index] = c.Until.Time
				x.mark = x.mark || !x.inTime(t, d, c.Index)
			}
			if d.early[c.Index] {
				d.run[c.Index], d.early[c.Index], d.out[c.Index] = false, false, outcome
			}
		}
	}
	return t
}

// after is where an execution goes when its driver ends like this.
func after(e turn.Effect) place {
	switch e.(type) {
	case turn.Park:
		return entering
	case turn.Backoff, turn.Fenced:
		return waiting
	case turn.Finish:
		return closed
	}
	return ready
}

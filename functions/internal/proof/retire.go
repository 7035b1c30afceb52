package proof

import "windlass/functions/internal/turn"

// retire lets go of drivers that can do no more: another driver has appended, and
// whatever they hold and learn, the code will stop them. Only an effect of theirs
// that must not be repeated may still come, and a child.
func (x *explorer) retire(t *world) {
	for i := range t.driver {
		d := &t.driver[i]
		if !d.on || !d.read {
			continue
		}
		if !d.doomed && d.at != t.log && x.loses(t, d) && x.stopped(t, *d) {
			*d = driver{
				on: true, op: d.op, gen: d.gen, name: d.name, attached: d.attached, read: true, doomed: true, lost: true,
				at: d.at, view: d.view, run: d.run, round: d.round, until: d.until, rounds: d.rounds,
			}
		}
		if d.doomed && !d.attached && !x.mayAct(t, d) {
			*d = driver{}
		}
	}
}

// loses: the next that the driver does is to append. Of one that nobody waits for, it
// does not matter how it ends.
func (x *explorer) loses(t *world, d *driver) bool {
	if !d.attached || d.thinking {
		return true
	}
	_, ok := x.next(t, d).(turn.Append)
	return ok && !d.running()
}

// stopped asks the code, for all that the driver may have learned by then.
func (x *explorer) stopped(t *world, d driver) bool {
	if d.lost = d.catchUp(x, t) || d.lost; !d.lost && t.state.Find(operationIDs[d.op]) != nil {
		return false
	}
	for _, learned := range []holds{nothing, outcome, unclear} {
		c := d
		c.answer = learned
		for i := range c.run {
			if c.run[i] {
				c.run[i], c.out[i] = learned == nothing, learned
				c.handed[i] = c.handed[i] || learned != nothing
			}
		}
		switch x.next(t, &c).(type) {
		case turn.Fenced, turn.Finish:
		default:
			return false
		}
	}
	return true
}

// mayAct: an effect of its calls that must not be repeated may still happen, or a
// child begin.
func (x *explorer) mayAct(t *world, d *driver) bool {
	for c := range calls {
		if x.mayHappen(t, d, c) {
			return true
		}
	}
	return false
}

func (x *explorer) mayHappen(t *world, d *driver, c int) bool {
	class := x.class(int(d.op), d.round)[c]
	return d.run[c] && (class == delegated || class.once() && x.inTime(t, d, c))
}

// ends is what is left of such a driver.
func (x *explorer) ends(w *world, i int) {
	name := w.driver[i].name
	if w.driver[i].attached {
		t := x.fork(w)
		t.driver[i].catchUp(x, t)
		e := x.next(t, &t.driver[i])
		t.leave(i, after(e))
		x.emit(normal, t, "%s: loses an append → %s", name, effectName(e))
	}
	for c := range calls {
		switch {
		case w.driver[i].run[c] && x.class(int(w.driver[i].op), w.driver[i].round)[c] == delegated:
			x.hands(w, i, c)
		case x.mayHappen(w, &w.driver[i], c):
			t := x.fork(w)
			x.happens(t, i, c, nothing)
			x.emit(normal, t, "%s: call %d happens", name, c)
		}
	}
}

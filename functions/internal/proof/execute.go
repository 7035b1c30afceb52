package proof

import (
	"strconv"
	"windlass/functions/internal/turn"
)

// executes is every step that Step Functions may take.
func (x *explorer) executes(w *world) {
	for op := range w.exec {
		for g := range w.exec[op] {
			e := w.exec[op][g]
			if !e.at.open() {
				continue
			}
			if w.left.ExecFail > 0 && e.at != ready {
				t := x.fork(w)
				t.left.ExecFail--
				t.detach(e)
				t.exec[op][g] = execution{at: closed}
				x.emit(fault, t, "execution %s/%d: fails", operationIDs[op], g+1)
			}
			x.executesOne(w, op, g, e)
		}
	}
}

// detach: nobody waits for the execution's driver any more. It goes on.
func (w *world) detach(e execution) {
	if e.at == driving {
		w.driver[e.slot].attached = false
	}
}

func (x *explorer) executesOne(w *world, op, g int, e execution) {
	id := operationIDs[op]
	switch e.at {
	case ready:
		x.invokes(w, op, g, false)
		if w.left.Roll > 0 {
			x.invokes(w, op, g, true)
		}
	case driving:
		if w.left.Timeout > 0 {
			t := x.fork(w)
			t.left.Timeout--
			t.detach(e)
			t.exec[op][g] = execution{at: ready}
			x.emit(fault, t, "execution %s/%d: its task times out, and %s lives on", id, g+1, w.driver[e.slot].name)
		}
	case waiting:
		t := x.fork(w)
		t.exec[op][g].at = ready
		x.emit(normal, t, "execution %s/%d: has waited", id, g+1)
	case entering:
		x.parks(w, op, g)
	case parked:
		if w.left.Day > 0 {
			t := x.fork(w)
			t.left.Day--
			t.exec[op][g] = execution{at: ready}
			x.emit(choice, t, "execution %s/%d: a day has passed in Park", id, g+1)
		}
		if !x.off(ruleRecheck) && x.missed(w, op) {
			t := x.fork(w)
			t.exec[op][g] = execution{at: ready}
			x.emit(normal, t, "execution %s/%d: looks after its children", id, g+1)
		}
		if w.lapsed(id) {
			t := x.fork(w)
			t.exec[op][g] = execution{at: ready}
			x.emit(normal, t, "execution %s/%d: its question has lapsed", id, g+1)
		}
	}
}

func (x *explorer) invokes(w *world, op, g int, full bool) {
	for i := range w.driver {
		if w.driver[i].on {
			continue
		}
		t := x.fork(w)
		t.born++
		t.exec[op][g] = execution{at: driving, slot: uint8(i)}
		t.driver[i] = driver{on: true, op: uint8(op), gen: uint8(g + 1), name: "D" + strconv.Itoa(t.born), attached: true, rounds: x.perTask(), full: full}
		if full {
			t.left.Roll--
			x.emit(choice, t, "execution %s/%d: invokes %s, with a full history", operationIDs[op], g+1, t.driver[i].name)
		} else {
			x.emit(normal, t, "execution %s/%d: invokes %s", operationIDs[op], g+1, t.driver[i].name)
		}
		return
	}
}

func (x *explorer) perTask() uint8 {
	if x.rounds > 0 {
		return x.rounds
	}
	return maxRounds + 1
}

func (x *explorer) parks(w *world, op, g int) {
	for i := range w.park {
		if w.park[i].on {
			continue
		}
		t := x.fork(w)
		t.tokens++
		t.exec[op][g] = execution{at: parked, token: t.tokens}
		t.park[i] = parking{on: true, op: uint8(op), gen: uint8(g + 1), token: t.tokens}
		x.emit(normal, t, "execution %s/%d: parks with token %d", operationIDs[op], g+1, t.tokens)
		return
	}
}

// lapsed: the wait for a person is over, as Park was told when it began.
func (w *world) lapsed(id string) bool {
	op := w.state.Find(id)
	for i := 0; op != nil && i < len(op.Calls); i++ {
		c := &op.Calls[i]
		if at := c.Question.ExpiresAt; c.Phase == turn.Asked && !at.IsZero() && !at.After(w.now) {
			return true
		}
	}
	return false
}

package proof

import "windlass/functions/internal/turn"

// wakes is every step of whoever keeps turns under way.
func (x *explorer) wakes(w *world) {
	for i := 0; i < x.wakers; i++ {
		k := w.waker[i]
		if k.at == idle {
			if i == 0 || w.waker[i-1].at != idle { // alike: the first idle one comes
				x.comes(w, i)
			}
			continue
		}
		x.wakerFails(w, i)
		switch k.at {
		case reads:
			t := x.fork(w)
			t.look(x, i, w.log)
			x.emit(normal, t, "%s: reads the head again", k)
		case starts:
			x.starts(w, i)
		case revives:
			x.revives(w, i)
		case answers:
			t := x.fork(w)
			awaited := x.answersAll(t, i)
			x.emit(normal, t, "%s: answers tokens, awaited: %v", k, awaited)
		}
	}
}

func (k waker) String() string {
	if k.dispatch {
		return "dispatch"
	}
	return "recover"
}

// comes: a record arrives, or recover's schedule does. A run of recover that finds
// nothing to do is no step.
func (x *explorer) comes(w *world, i int) {
	if w.unhandled && x.dispatch {
		t := x.fork(w)
		t.unhandled, t.waker[i] = false, waker{dispatch: true}
		seen := w.log
		if x.off(ruleStrong) {
			seen = w.log.before
		}
		t.look(x, i, seen)
		x.emit(normal, t, "dispatch: hears of a commit, reads the head")
	}
	if !x.recover && w.left.Spont == 0 {
		return
	}
	t := x.fork(w)
	if !x.recover {
		t.left.Spont--
	}
	t.look(x, i, w.log)
	if !x.recover || x.useful(t, t.waker[i]) {
		x.emit(normal, t, "recover: comes, reads the head")
	} else {
		x.drop(t)
	}
}

// look reads the head's summary.
func (w *world) look(x *explorer, i int, seen *commit) {
	k := &w.waker[i]
	sum := seen.digest()
	h := sum.Head
	k.at, k.op, k.gen = answers, 0, 0
	for op := range k.answer {
		k.answer[op] = (sum.Waited || !k.dispatch) && !waits(h, op)
	}
	if x.off(ruleHead) && h != nil && w.ledger.op[operations-1].accepted && !w.ledger.op[operations-1].ended {
		h = &turn.HeadSummary{Operation: operationIDs[operations-1], Generation: 1}
	}
	if h == nil || h.NotBefore != nil && h.NotBefore.After(w.now) && !h.CancelRequested {
		return
	}
	k.at, k.op, k.gen = starts, uint8(indexOf(h.Operation)), uint8(h.Generation)
}

func (x *explorer) useful(w *world, k waker) bool {
	if k.at == starts && !(w.exec[k.op][k.gen-1].at != none && w.exec[k.op][k.gen-1].at != closed) {
		return true
	}
	for op, r := range w.row {
		if r.token != 0 && k.answer[op] && x.answering(k, op) {
			return true
		}
	}
	return false
}

func (x *explorer) wakerFails(w *world, i int) {
	k := w.waker[i]
	if w.left.Crash > 0 {
		t := x.fork(w)
		t.left.Crash--
		t.waker[i] = waker{}
		t.unhandled = t.unhandled || k.dispatch
		x.emit(fault, t, "%s: dies", k)
		if k.at == answers {
			t = x.fork(w)
			t.left.Crash--
			t.waker[i] = waker{}
			t.unhandled = t.unhandled || k.dispatch
			rows := t.row
			if x.answerTokens(t, k) {
				t.row = rows
				x.emit(fault, t, "%s: answers tokens, and dies before it forgets them", k)
			} else {
				x.drop(t)
			}
		}
	}
	if w.left.Drop > 0 && k.dispatch {
		t := x.fork(w)
		t.left.Drop--
		t.waker[i] = waker{}
		x.emit(fault, t, "dispatch: fails every time, the record goes to the failure queue")
	}
}

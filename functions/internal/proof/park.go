package proof

import "windlass/functions/internal/turn"

// parkings is every step that an invocation of Park may take: it keeps its token
// first and reads the head second.
func (x *explorer) parkings(w *world) {
	for i := range w.park {
		p := w.park[i]
		if !p.on {
			continue
		}
		if w.left.Crash > 0 {
			t := x.fork(w)
			t.left.Crash--
			t.park[i] = parking{}
			if t.awaits(p) {
				t.exec[p.op][p.gen-1] = execution{at: entering}
			}
			x.emit(fault, t, "park %d: dies", p.token)
		}
		t := x.fork(w)
		if t.park[i].second = true; p.second {
			t.park[i] = parking{}
		}
		if p.second == x.off(ruleParkReads) {
			x.parkKeeps(t, p)
		} else {
			x.parkReads(t, i, p)
		}
	}
}

// awaits: the execution waits for this very token.
func (w *world) awaits(p parking) bool {
	e := w.exec[p.op][p.gen-1]
	return e.at == parked && e.token == p.token
}

func (x *explorer) parkKeeps(t *world, p parking) {
	if t.row[p.op].newer(p.gen, p.token) && !x.off(ruleNewest) {
		x.emit(normal, t, "park %d: a newer token is kept", p.token)
		return
	}
	t.row[p.op] = row{p.gen, p.token}
	x.emit(normal, t, "park %d: keeps its token", p.token)
}

func (x *explorer) parkReads(t *world, i int, p parking) {
	if h := t.log.digest().Head; waits(h, int(p.op)) && h.Generation == int(p.gen) {
		x.emit(normal, t, "park %d: reads the head, which waits", p.token)
		return
	}
	t.park[i] = parking{}
	t.answerToken(p)
	x.emit(normal, t, "park %d: reads the head, and answers its own token", p.token)
}

// waits reports whether the head is this operation and waits for a person, as the
// log's summary says.
func waits(h *turn.HeadSummary, op int) bool {
	return h != nil && h.Operation == operationIDs[op] && h.Phase == turn.Waiting
}

// answerToken ends the wait of whoever waits for this token.
func (w *world) answerToken(p parking) (awaited bool) {
	if !w.awaits(p) {
		return false
	}
	w.exec[p.op][p.gen-1] = execution{at: ready}
	return true
}

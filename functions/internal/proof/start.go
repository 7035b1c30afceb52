package proof

import "windlass/functions/internal/turn"

// starts is StartExecution, and DescribeExecution if that name is taken; then it
// answers tokens, which are better read too early than too late.
func (x *explorer) starts(w *world, i int) {
	k := w.waker[i]
	t := x.fork(w)
	x.answersAll(t, i)
	switch w.exec[k.op][k.gen-1].at {
	case none:
		t.exec[k.op][k.gen-1] = execution{at: ready}
		x.emit(normal, t, "%s: starts execution %s/%d", k, operationIDs[k.op], k.gen)
	case closed:
		x.emit(choice, t, "%s: execution %s/%d exists, and is said to run still", k, operationIDs[k.op], k.gen)
		t = x.fork(w)
		t.waker[i].at = revives
		x.emit(normal, t, "%s: execution %s/%d has ended", k, operationIDs[k.op], k.gen)
	default:
		x.emit(normal, t, "%s: execution %s/%d runs", k, operationIDs[k.op], k.gen)
	}
}

// revives gives the head a new generation, unless the log has moved on.
func (x *explorer) revives(w *world, i int) {
	k := w.waker[i]
	t := x.fork(w)
	t.waker[i].at = reads
	op := w.state.Head()
	if op == nil || op.ID != operationIDs[k.op] || op.Generation != int(k.gen) {
		x.emit(normal, t, "%s: the log has moved on", k)
		return
	}
	x.append(t, draft(t.state, "", turn.Revive(op, t.now)))
	x.emit(normal, t, "%s:", k)
}

func (x *explorer) answersAll(t *world, i int) (awaited bool) {
	awaited = x.answerTokens(t, t.waker[i])
	t.waker[i] = waker{}
	return awaited
}

// answering: whether it answers the operation's token at all.
func (x *explorer) answering(k waker, op int) bool {
	switch {
	case k.dispatch && x.off(ruleAnswer), !k.dispatch && x.off(ruleRecoverTokens):
		return false
	case k.dispatch && x.off(ruleSettled):
		return int(k.op) == op && k.gen > 0
	}
	return true
}

// answerTokens ends every wait that is over, as far as the waker saw, and forgets
// the tokens.
func (x *explorer) answerTokens(t *world, k waker) (awaited bool) {
	for op, r := range t.row {
		if r.token == 0 || !k.answer[op] || !x.answering(k, op) {
			continue
		}
		awaited = t.answerToken(parking{op: uint8(op), gen: r.gen, token: r.token}) || awaited
		t.row[op] = row{}
	}
	return awaited
}

package proof

import (
	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// clients is every step that comes from outside: it appends, and a waker that comes
// for no reason is what it does afterwards.
func (x *explorer) clients(w *world) {
	if x.second && !w.ledger.op[1].accepted {
		t := x.fork(w)
		x.accept(t, 1)
		x.emit(normal, t, "client: submits b")
	}
	for op, id := range operationIDs {
		x.cancels(w, op, id)
	}
	x.steers(w)
	x.resolves(w)
}

// accept is Submit's commit: its summary comes from the one before, not from a fold.
func (x *explorer) accept(w *world, op int) {
	at := event.At(w.now)
	sum := w.log.digest()
	var d eventstore.Draft
	if w.log == nil {
		sum.Version, sum.StreamID, sum.Agent = 1, "stream", "demo"
		d.Events = append(d.Events, event.Event{At: at, Data: event.SessionOpened{StreamID: sum.StreamID, Agent: sum.Agent}})
	}
	d.Events = append(d.Events, event.Event{At: at, Operation: operationIDs[op], Data: event.OperationAccepted{Prompt: event.Text("prompt of " + operationIDs[op])}})
	d.Wake, d.Summary = true, sum.Accept(operationIDs[op], w.log.seq()+uint64(len(d.Events))).Encode()
	x.append(w, d)
}

func (x *explorer) cancels(w *world, op int, id string) {
	if w.left.Cancel&(1<<op) == 0 {
		return
	}
	events := turn.Cancel(w.state, id, w.now)
	if events == nil {
		return
	}
	t := x.fork(w)
	t.left.Cancel &^= 1 << op
	x.append(t, draft(t.state, "", x.events(events)))
	x.emit(choice, t, "client: cancels %s", id)
}

// steers says more to a, if there will be a round that reads it.
func (x *explorer) steers(w *world) {
	op := w.state.Find(operationIDs[0])
	if w.left.Steer == 0 || op == nil || op.Round >= maxRounds || op.CancelRequested && !x.off(ruleRefuse) {
		return
	}
	t := x.fork(w)
	t.left.Steer--
	x.append(t, draft(t.state, "", []event.Event{{At: event.At(t.now), Operation: op.ID, Data: event.MessageSteered{Text: more}}}))
	x.emit(choice, t, "client: says more to %s", op.ID)
}

var more = event.Text("more")

// resolves: a person who was asked looks, and tells the truth.
func (x *explorer) resolves(w *world) {
	op := w.state.Head()
	if op == nil || op.CancelRequested {
		return
	}
	for i := range op.Calls {
		if op.Calls[i].Phase != turn.Asked {
			continue
		}
		if op.Calls[i].Question.Reason == event.ReasonPolicy {
			x.allows(w, op, i)
			continue
		}
		p := event.ApprovalResolved{Index: i, Decision: event.DidNotHappen}
		if x.truth(w, indexOf(op.ID), op.Round, i) == happened {
			p.Decision = event.Happened
		}
		t := x.fork(w)
		x.append(t, draft(t.state, "", []event.Event{{At: event.At(t.now), Operation: op.ID, Round: op.Round, Data: p}}))
		x.emit(normal, t, "person: finds out what became of call %d", i)
	}
}

// allows: a person who was asked allows a call, or does not. It may be too late.
func (x *explorer) allows(w *world, op *turn.Operation, i int) {
	for _, d := range []string{event.Approve, event.Deny} {
		events, verdict := turn.Resolve(w.state, op.ID, op.Round, event.ApprovalResolved{Index: i, Decision: d}, w.now)
		if events == nil {
			continue
		}
		t := x.fork(w)
		x.append(t, draft(t.state, "", events))
		x.emit(choice, t, "person: says %s to call %d: %s", d, i, verdict)
	}
}

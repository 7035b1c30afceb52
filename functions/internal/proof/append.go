package proof

import (
	"fmt"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

var stream = eventstore.Stream{Tenant: "t", Session: "s"}

// draft is a commit on the fold, which is copied: what a draft does to it must not
// reach the worlds that share it.
func draft(s *turn.State, by string, events []event.Event) eventstore.Draft {
	return index.Draft(stream, s.Copy(), by, events)
}

// append is the log's side of an append at its end.
func (x *explorer) append(w *world, d eventstore.Draft) {
	c := w.log.after(d)
	s := w.state.Copy()
	for _, e := range c.events {
		s.Apply(e)
		if r, ok := e.Data.(event.OperationResumed); ok && r.Reason == event.ReasonTakeover {
			x.mark = true
		}
	}
	if w.bad == "" {
		w.bad = w.ledger.commit(x, w, c)
	}
	w.log, w.state = c, s
	w.related(c.events)
	if op := s.Head(); op != nil && op.Generation > generations {
		w.bad = fmt.Sprintf("generation %d is beyond what is explored", op.Generation)
	}
	if w.bad == "" {
		w.bad = transcripts(c)
	}
	w.unhandled = w.unhandled || c.wake
	x.goesOn(w)
	x.wrote = true
}

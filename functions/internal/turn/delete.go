package turn

import (
	"time"

	"windlass/eventstore/event"
)

// Delete is what whoever deletes a session appends, as its last commit: the end of each
// operation that is not settled, whoever is at work on it, and session.deleted. A driver
// that is at work loses its next append. Nothing for a session that is deleted.
func Delete(s *State, now time.Time) []event.Event {
	if s.Deleted {
		return nil
	}
	var all []event.Event
	for _, op := range s.Queue {
		all = append(all, op.forsaken(now)...)
	}
	return append(all, event.Event{At: event.At(now), Data: event.SessionDeleted{}})
}

// DeleteHead is the part of [Delete] that ends the head, for a commit of its own where
// all of it is too large for one.
func DeleteHead(s *State, now time.Time) []event.Event {
	if op := s.Head(); op != nil {
		return op.forsaken(now)
	}
	return nil
}

// forsaken cancels the operation with its steps open. These events outlive the session,
// so they hold nothing of what it was about: no report of a call, no output.
func (op *Operation) forsaken(now time.Time) []event.Event {
	me := Situation{Now: event.At(now)}
	bare := *op
	bare.Calls = append([]Call(nil), op.Calls...)
	for i := range bare.Calls {
		if c := &bare.Calls[i]; c.Phase == Reported || c.Phase == Happened {
			c.Phase = Pending
		}
	}
	ended := cancelled(&bare, me).Events
	if op.CancelRequested {
		return ended
	}
	return append(op.commit(me).add(0, event.OperationCancelRequested{}).events, ended...)
}

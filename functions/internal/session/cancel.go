package session

import (
	"context"
	"errors"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// cancelledUnseen is the fingerprint of an id that was cancelled before it was
// submitted. It is stored.
const cancelledUnseen = "cancelled"

// Cancel ends an operation, wherever it is, and returns its snapshot: cancelled, or
// about to be, if a step is open that its driver has to end first. An operation that
// is settled stays as it is. An id that is not there yet is claimed, so that the
// submission that is on its way finds itself cancelled.
func (s *Service) Cancel(ctx context.Context, stream eventstore.Stream, id string) (view.Operation, error) {
	switch {
	case !eventstore.ValidID(stream.Session):
		return view.Operation{}, badID("session", stream.Session)
	case !eventstore.ValidID(id):
		return view.Operation{}, badID("operationId", id)
	}
	for {
		c, err := s.Journal.Claim(ctx, stream, id)
		if eventstore.CodeOf(err) == eventstore.NotFound {
			err = s.cancelUnseen(ctx, stream, id)
		} else if err == nil {
			err = s.cancel(ctx, stream, id)
		}
		var lost *eventstore.Conflict
		var claimed *eventstore.Claimed
		switch {
		case (errors.As(err, &lost) || errors.As(err, &claimed)) && ctx.Err() == nil:
			continue // others append to this session too: decide again
		case err != nil:
			return view.Operation{}, err
		case c.First > 0:
			return s.operationOf(ctx, stream, id, c)
		}
		return s.Operation(ctx, stream, id)
	}
}

// operationOf is the snapshot; an id that a message was sent under names none.
func (s *Service) operationOf(ctx context.Context, stream eventstore.Stream, id string, c eventstore.Claim) (view.Operation, error) {
	o, err := s.operation(ctx, stream, c)
	if eventstore.CodeOf(err) == eventstore.NotFound {
		return o, noOperation(stream, id)
	}
	return o, err
}

func (s *Service) cancel(ctx context.Context, stream eventstore.Stream, id string) error {
	var at eventstore.Position
	var d *eventstore.Draft
	err := s.open(ctx, stream, func(now *fold.Session) error {
		at = now.At
		if events := turn.Cancel(&now.State, id, s.Now()); events != nil {
			draft := index.Draft(stream, &now.State, "", events)
			d = &draft
		}
		return nil
	})
	if err == nil && d != nil {
		_, _, err = s.Journal.Append(ctx, at, *d)
	}
	if err == nil { // the next one starts, or somebody settles this one; again, if that was lost
		late(ctx, stream, s.Turns.Wake(ctx, stream))
	}
	return err
}

// cancelUnseen claims an id that nobody has submitted.
func (s *Service) cancelUnseen(ctx context.Context, stream eventstore.Stream, id string) error {
	var at eventstore.Position
	var d *eventstore.Draft
	err := s.open(ctx, stream, func(now *fold.Session) (err error) {
		at = now.At
		when, none := event.At(s.Now()), event.Usage{CostUSD: event.NoUSD}
		d, err = s.fileDraft(ctx, stream, now,
			event.Event{Operation: id, Data: event.OperationCancelRequested{}}, event.Event{Operation: id, Data: event.OperationCancelled{Usage: none}})
		if err != nil {
			return err
		}
		first := len(d.Events) - 2
		d.Claim = &eventstore.Claim{Key: id, Fingerprint: cancelledUnseen, Event: first}
		seq := at.Seq() + uint64(first) + 1
		d.Rows = append(d.Rows, index.OperationRow(stream, index.Operation{
			ID: id, Status: index.Cancelled, FirstSeq: seq, LastSeq: seq + 1, AcceptedAt: when, SettledAt: &when, Usage: none,
		}))
		return nil
	})
	if err == nil {
		_, _, err = s.Journal.Append(ctx, at, *d)
	}
	return err
}

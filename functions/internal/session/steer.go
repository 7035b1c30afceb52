package session

import (
	"context"
	"errors"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/trace"
	"windlass/functions/internal/turn"
)

// Message is something more for an operation.
type Message struct {
	Text string
	// ID makes sending it again safe, and is its operationId if it becomes an
	// operation; made if empty.
	ID string
	// Trace is the caller's place in a trace, which it joins if it becomes an operation.
	Trace trace.Context
}

// Steer says more to an operation: its model reads it with the next round. Where
// there will be no next round, because the operation is settled, being cancelled or
// in its last round, the message becomes an operation of its own, and the receipt
// says so. Sent again with the same id it changes nothing.
func (s *Service) Steer(ctx context.Context, stream eventstore.Stream, operation string, m Message) (Receipt, error) {
	target, err := s.Operation(ctx, stream, operation)
	if err != nil {
		return Receipt{}, err
	}
	sub := Submission{Prompt: m.Text, OperationID: m.ID, Agent: target.Agent, Trace: m.Trace}
	if err = s.check(stream, &sub); err == nil {
		sub.prompt, err = textPrompt(m.Text)
	}
	if err == nil {
		err = sub.prompt.keep(ctx, s.Journal, stream)
	}
	for err == nil {
		r, done, err := s.steer(ctx, stream, operation, &sub)
		var lost *eventstore.Conflict
		var claimed *eventstore.Claimed
		switch {
		case errors.As(err, &lost) && ctx.Err() == nil:
			continue // decide again
		case errors.As(err, &claimed):
			return s.again(ctx, stream, sub, claimed.Existing)
		case err != nil:
			return Receipt{OperationID: sub.OperationID}, err
		case done:
			return r, nil
		}
		sub.IfBusy = agent.Enqueue
		return s.Submit(ctx, stream, sub) // too late: the next operation
	}
	return Receipt{OperationID: sub.OperationID}, err
}

// steer appends the message to the operation, if there will be a round that reads it.
func (s *Service) steer(ctx context.Context, stream eventstore.Stream, operation string, sub *Submission) (r Receipt, done bool, err error) {
	var at eventstore.Position
	var d *eventstore.Draft
	err = s.open(ctx, stream, func(now *fold.Session) error {
		at = now.At
		if op := now.State.Find(operation); steerable(op) {
			draft := s.steerDraft(stream, &now.State, operation, sub)
			d = &draft
		}
		return nil
	})
	if err != nil || d == nil {
		return Receipt{}, false, err
	}
	commit, _, err := s.Journal.Append(ctx, at, *d)
	if err != nil {
		return Receipt{}, false, err
	}
	r, err = s.steered(ctx, stream, eventstore.Claim{First: commit.Last}, operation, true, nil)
	return r, true, err
}

// steerable: the operation will have another round.
func steerable(op *turn.Operation) bool {
	if op == nil || op.CancelRequested {
		return false
	}
	def, err := agent.Pinned(op.Agent)
	return err == nil && op.Round < def.Limits.MaxRounds
}

func (s *Service) steerDraft(stream eventstore.Stream, state *turn.State, operation string, sub *Submission) eventstore.Draft {
	print := sub.fingerprint()
	d := index.Draft(stream, state, "", []event.Event{{At: event.At(s.Now()), Operation: operation, Data: event.MessageSteered{Text: *sub.prompt.kept, Fingerprint: print}}})
	d.Claim = &eventstore.Claim{Key: sub.OperationID, Fingerprint: print}
	return d
}

// steeredInto reads what a claim was made by: a message to an operation, or not.
func (s *Service) steeredInto(ctx context.Context, stream eventstore.Stream, c eventstore.Claim) (operation string, ok bool, err error) {
	for commit, err := range s.Journal.Read(ctx, stream, c.First-1) {
		if err != nil {
			return "", false, err
		}
		for _, e := range commit.Events {
			if _, steered := e.Data.(event.MessageSteered); steered && e.Seq == c.First {
				return e.Operation, true, nil
			}
		}
		break
	}
	return "", false, nil
}

// steered is the receipt of a message to an operation.
func (s *Service) steered(ctx context.Context, stream eventstore.Stream, c eventstore.Claim, operation string, accepted bool, err error) (Receipt, error) {
	if err != nil {
		return Receipt{}, err
	}
	o, err := s.Operation(ctx, stream, operation)
	return Receipt{OperationID: operation, SessionID: stream.Session, StreamID: o.StreamID, Accepted: accepted, Status: o.Status, After: c.First - 1, Steered: true}, err
}

func queueFull(n int, stream eventstore.Stream) error {
	return fault.New(fault.QueueFull, "%d operations wait in session %s; submit again when some have settled", n, stream.Session)
}

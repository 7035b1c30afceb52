package session

import (
	"context"
	"errors"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// CallResult is what a callback says became of a call: an output, or an error.
type CallResult struct {
	Output string
	Error  *event.Error
}

// CalledBack takes what became of a call that ended elsewhere, once: the same again
// changes nothing and is no error, and accepted is false. Errors are callback_resolved, for
// a call that has another answer or waits for none any more, not_found and unavailable.
func (s *Service) CalledBack(ctx context.Context, at callback.Step, r CallResult) (accepted bool, err error) {
	answer := event.ToolAnswered{Index: at.Index, Error: r.Error}
	if r.Error == nil {
		v, err := s.Journal.Keep(ctx, at.Stream, r.Output, "text/plain; charset=utf-8")
		if err != nil {
			return false, err
		}
		answer.Output = &v
	}
	for {
		taken, err := s.report(ctx, at, answer)
		var lost *eventstore.Conflict
		switch {
		case errors.As(err, &lost) && ctx.Err() == nil: // others append to this session too: decide again
		case err != nil || taken:
			return taken, err
		default:
			return false, s.reported(ctx, at, answer)
		}
	}
}

func (s *Service) report(ctx context.Context, at callback.Step, answer event.ToolAnswered) (taken bool, err error) {
	var position eventstore.Position
	var d eventstore.Draft
	err = s.open(ctx, at.Stream, func(now *fold.Session) error {
		position = now.At
		if events := turn.CalledBack(&now.State, at.Operation, at.Round, answer, s.Now()); events != nil {
			d, taken = index.Draft(at.Stream, &now.State, "", events), true
		}
		return nil
	})
	if err == nil && taken {
		_, _, err = s.Journal.Append(ctx, position, d)
	}
	if err == nil && taken {
		late(ctx, at.Stream, s.Turns.Wake(ctx, at.Stream))
	}
	return taken && err == nil, err
}

// reported looks for the answer that the log has: the same one is no error, and wakes the
// turn again, if that was lost.
func (s *Service) reported(ctx context.Context, at callback.Step, answer event.ToolAnswered) error {
	c, err := s.claim(ctx, at.Stream, at.Operation)
	if err != nil {
		return err
	}
	for commit, err := range s.Journal.Read(ctx, at.Stream, c.First-1) {
		if err != nil {
			return err
		}
		for _, e := range commit.Events {
			before, ok := e.Data.(event.ToolAnswered)
			if !ok || e.Operation != at.Operation || e.Round != at.Round || before.Index != at.Index {
				continue
			}
			if sameAnswer(before, answer) {
				late(ctx, at.Stream, s.Turns.Wake(ctx, at.Stream))
				return nil
			}
			return fault.New(fault.CallbackResolved, "something else was reported about this call before; nothing was changed")
		}
	}
	return fault.New(fault.CallbackResolved, "this call waits for no report: it was cancelled, is too late, or has a result already")
}

func sameAnswer(a, b event.ToolAnswered) bool {
	if a.Error != nil && b.Error != nil {
		return *a.Error == *b.Error
	}
	return a.Output != nil && b.Output != nil && a.Output.Equal(*b.Output)
}

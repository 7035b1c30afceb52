package session

import (
	"context"
	"errors"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/sweep"
	"windlass/functions/internal/turn"
)

// Delete ends a session for good: one commit cancels whatever is under way in it and
// closes its log, and what it consists of is erased in the background. From that commit
// on every request about the session is session_deleted, but for this one, which may be
// sent again. not_found if there never was such a session.
func (s *Service) Delete(ctx context.Context, stream eventstore.Stream) error {
	if !eventstore.ValidID(stream.Session) {
		return noSession(stream)
	}
	for {
		done, err := s.delete(ctx, stream, func(*turn.State) bool { return true })
		var lost *eventstore.Conflict
		switch {
		case errors.As(err, &lost) && ctx.Err() == nil: // others append to this session too: decide again
		case err != nil || done:
			return err
		}
	}
}

// delete appends the last commit or, where that would be too large, one that cancels some
// of what it would have to cancel. What it would be appended to must be wanted gone: else
// it is done with nothing.
func (s *Service) delete(ctx context.Context, stream eventstore.Stream, wanted func(*turn.State) bool) (done bool, err error) {
	_, at, err := s.Journal.Head(ctx, stream)
	switch {
	case err != nil || at.Closed():
		return true, err
	case at.Seq() == 0:
		return true, noSession(stream)
	}
	opened, err := s.openedAt(ctx, stream)
	if err != nil {
		return true, err
	}
	var last, less eventstore.Draft
	stays := false
	err = s.Opened.Read(ctx, s.Journal, stream, func(now *fold.Session) error {
		if at = now.At; at.Closed() {
			return nil
		}
		if stays = !wanted(&now.State); !stays {
			last, less = s.lastDraft(stream, &now.State, opened), s.lessDraft(stream, &now.State)
		}
		return nil
	})
	if err != nil || at.Closed() || stays {
		return true, err
	}
	_, _, err = s.Journal.Append(ctx, at, last)
	if eventstore.CodeOf(err) == eventstore.TooLarge && len(less.Events) > 0 {
		_, _, err = s.Journal.Append(ctx, at, less)
		return false, err
	}
	if err == nil { // who is parked need not wait any longer; dispatch does it too
		late(ctx, stream, s.Turns.Wake(ctx, stream))
	}
	return true, err
}

func (s *Service) openedAt(ctx context.Context, stream eventstore.Stream) (event.Time, error) {
	for c, err := range s.Journal.Read(ctx, stream, 0) {
		if err != nil {
			return event.Time{}, err
		}
		return c.Events[0].At, nil
	}
	return event.Time{}, noSession(stream)
}

// lastDraft moves no row of an operation: they all go with what is erased. That by which
// recover finds what expires goes at once.
func (s *Service) lastDraft(stream eventstore.Stream, state *turn.State, opened event.Time) eventstore.Draft {
	now := s.Now()
	d := index.Draft(stream, state, "", turn.Delete(state, now))
	d.Closes, d.Rows = true, append(sweep.Rows(stream, opened, now), index.ExpiringRows(stream, state.Seq, state.ExpiresAt(), 0, event.Time{})...)
	return d
}

// lessDraft cancels those who wait, the last ones first so that none of them starts, and
// then the one at the head; it is empty if there is none.
func (s *Service) lessDraft(stream eventstore.Stream, state *turn.State) eventstore.Draft {
	if n := len(state.Queue); n > 1 {
		return s.cancelDraft(stream, state, state.Queue[max(1, n-maxCancelled):])
	}
	return index.Draft(stream, state, "", turn.DeleteHead(state, s.Now()))
}

// open shows a session, which need not exist, but must not be deleted.
func (s *Service) open(ctx context.Context, stream eventstore.Stream, see func(*fold.Session) error) error {
	return s.Opened.Read(ctx, s.Journal, stream, func(now *fold.Session) error {
		if now.State.Deleted {
			return deleted(stream)
		}
		return see(now)
	})
}

// head is what the newest commit says of such a session.
func (s *Service) head(ctx context.Context, stream eventstore.Stream) (turn.Summary, eventstore.Position, error) {
	head, at, err := s.Journal.Head(ctx, stream)
	if err != nil {
		return turn.Summary{}, at, err
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err == nil && sum.Deleted {
		err = deleted(stream)
	}
	return sum, at, err
}

func deleted(stream eventstore.Stream) error {
	return fault.New(fault.SessionDeleted, "session %.140q was deleted, and its name is not given again for a year; use another one", stream.Session)
}

func isDeleted(err error) bool { return err != nil && fault.Of(err).Code == fault.SessionDeleted }

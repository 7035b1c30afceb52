package session

import (
	"context"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/view"
)

// Session is what is known of a session without folding it: its first commit says when
// it was opened, its last one all the rest.
func (s *Service) Session(ctx context.Context, stream eventstore.Stream) (view.Session, error) {
	if !eventstore.ValidID(stream.Session) {
		return view.Session{}, noSession(stream)
	}
	for c, err := range s.Journal.Read(ctx, stream, 0) {
		if err != nil {
			return view.Session{}, err
		}
		return s.sessionAt(ctx, stream, c.Events[0].At)
	}
	return view.Session{}, noSession(stream)
}

func (s *Service) sessionAt(ctx context.Context, stream eventstore.Stream, opened event.Time) (view.Session, error) {
	sum, at, err := s.head(ctx, stream)
	if err != nil {
		return view.Session{}, err
	}
	return view.SessionOf(stream.Session, sum, at.Seq(), opened), nil
}

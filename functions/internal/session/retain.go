package session

import (
	"context"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// tenants is the retention that takes a session back to its tenant's.
const tenants = "default"

// Retain says how long a session is kept after the last thing that happened in it, from
// now on: as [turn.ParseRetention] reads it, or "default" for what its tenant has. It is
// nothing that happens in it: a time that is over by then is over at once. The same again
// changes nothing.
func (s *Service) Retain(ctx context.Context, stream eventstore.Stream, text string) (view.Session, error) {
	if !eventstore.ValidID(stream.Session) {
		return view.Session{}, noSession(stream)
	}
	wanted, err := s.wanted(ctx, stream.Tenant, text)
	if err != nil {
		return view.Session{}, err
	}
	_, err = s.change(ctx, stream, func(now *fold.Session) (event.Payload, error) {
		switch {
		case now.At.Seq() == 0:
			return nil, noSession(stream)
		case now.State.Retention == wanted:
			return nil, nil
		}
		return event.SessionRetained{Seconds: wanted.Seconds, Own: wanted.Own}, nil
	})
	if err != nil {
		return view.Session{}, err
	}
	return s.Session(ctx, stream)
}

func (s *Service) wanted(ctx context.Context, tenant, text string) (turn.Retention, error) {
	if text == tenants {
		seconds, _, err := s.tenantRetention(ctx, tenant)
		return turn.Retention{Seconds: seconds}, err
	}
	seconds, err := turn.ParseRetention(text)
	if err != nil {
		return turn.Retention{}, fault.New(fault.InvalidRequest, "%v, or default for the tenant's", err)
	}
	return turn.Retention{Seconds: seconds, Own: true}, nil
}

// renewed is what a session is told with what a client appends, if its tenant's retention
// is another one than it has, and it has none of its own.
func (s *Service) renewed(ctx context.Context, stream eventstore.Stream, has turn.Retention, at event.Time) ([]event.Event, error) {
	seconds, known, err := s.tenantRetention(ctx, stream.Tenant)
	if err != nil || !known || has.Own || has.Seconds == seconds {
		return nil, err
	}
	return []event.Event{{At: at, Data: event.SessionRetained{Seconds: seconds}}}, nil
}

func (s *Service) tenantRetention(ctx context.Context, tenant string) (seconds int64, known bool, err error) {
	if s.Retention == nil {
		return 0, false, nil
	}
	seconds, err = s.Retention(ctx, tenant)
	return seconds, err == nil, err
}

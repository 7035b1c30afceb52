package session

import (
	"context"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// Bounds of a page of events.
const (
	DefaultLimit = 200
	MaxLimit     = 1000
	// pageBytes ends a page once it holds as much, in the events' own bytes.
	pageBytes = 1 << 20
	// scanBytes ends a page that finds little of its operation.
	scanBytes = 8 << 20
)

// EventQuery asks for events behind After, in order.
type EventQuery struct {
	After uint64
	// Limit is from 1 to [MaxLimit].
	Limit int
	// Operation leaves out all others, if given.
	Operation string
}

// EventPage is a page. It ends at the session's end as it was when it was asked
// for, so reading page after page comes to an end also while a turn runs.
type EventPage struct {
	Events []event.Stored
	// LastSeq is the session's last seq.
	LastSeq uint64
	// Next is the After of the next page; 0 if this is the last one.
	Next uint64
}

// Events reads a page.
func (s *Service) Events(ctx context.Context, stream eventstore.Stream, q EventQuery) (EventPage, error) {
	if !eventstore.ValidID(stream.Session) {
		return EventPage{}, noSession(stream)
	}
	if q.Operation != "" {
		c, err := s.claim(ctx, stream, q.Operation)
		if err != nil {
			return EventPage{}, err
		}
		q.After = max(q.After, c.First-1)
	}
	_, end, err := s.head(ctx, stream)
	if err != nil {
		return EventPage{}, err
	}
	if end.Seq() == 0 {
		return EventPage{}, noSession(stream)
	}
	p := EventPage{Events: []event.Stored{}, LastSeq: end.Seq()}
	if q.After >= end.Seq() {
		return p, nil
	}
	err = s.fill(ctx, stream, q, &p)
	return p, err
}

// Head is the session's last seq; not_found if there is no such session. A deleted one
// has a last seq too: who follows it, and missed that, has to hear of something new.
func (s *Service) Head(ctx context.Context, stream eventstore.Stream) (uint64, error) {
	if !eventstore.ValidID(stream.Session) {
		return 0, noSession(stream)
	}
	_, at, err := s.Journal.Head(ctx, stream)
	if err == nil && at.Seq() == 0 {
		err = noSession(stream)
	}
	return at.Seq(), err
}

// Followed is [Service.Events], answered when there is something behind q.After
// or after wait, whichever is first.
func (s *Service) Followed(ctx context.Context, stream eventstore.Stream, q EventQuery, wait time.Duration) (p EventPage, err error) {
	err = await(ctx, wait, func(ctx context.Context) (bool, error) {
		p, err = s.Events(ctx, stream, q)
		q.After = max(q.After, p.LastSeq) // what was looked through had none of the operation
		return len(p.Events) > 0 || p.Next > 0, err
	})
	return p, err
}

func (s *Service) fill(ctx context.Context, stream eventstore.Stream, q EventQuery, p *EventPage) error {
	kept, scanned := 0, 0
	for events, err := range s.Journal.ReadStored(ctx, stream, q.After) {
		if err != nil {
			return err
		}
		for _, e := range events {
			each := len(e.JSON)
			if e.Seq <= q.After {
				continue
			}
			if e.Seq > p.LastSeq {
				return nil
			}
			mine := q.Operation == "" || e.Operation == q.Operation
			if len(p.Events) > 0 && (len(p.Events) == q.Limit || mine && kept+each > pageBytes) || scanned > scanBytes {
				p.Next = e.Seq - 1
				return nil
			}
			scanned += each
			if mine {
				kept += each
				p.Events = append(p.Events, e)
			}
		}
	}
	return nil
}

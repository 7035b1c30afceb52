package eventbridge

import (
	"context"
	"time"

	"go.etcd.io/bbolt"
)

// loop runs what is due and sleeps until the next thing is.
func (s *Service) loop(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next := s.runSchedules()
		if at, more := s.launch(ctx); more && at.Before(next) {
			next = at
		}
		timer.Reset(next.Sub(s.opts.Now()))
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		case <-timer.C:
		}
	}
}

// launch starts every due delivery for which a worker is free, and returns when
// the next one is due. A worker that ends wakes the loop.
func (s *Service) launch(ctx context.Context) (next time.Time, more bool) {
	now := s.opts.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range s.pending {
		switch {
		case s.flying[id]:
		case at.After(now):
			if !more || at.Before(next) {
				next, more = at, true
			}
		case len(s.flying) < workers:
			s.flying[id] = true
			s.done.Go(func() { s.deliver(ctx, id) })
		}
	}
	return next, more
}

// deliver makes one attempt and stores what it came to.
func (s *Service) deliver(ctx context.Context, id uint64) {
	defer func() {
		s.mu.Lock()
		delete(s.flying, id)
		s.mu.Unlock()
		s.poke()
	}()
	d, err := s.read(id)
	if err != nil {
		s.opts.Log.Error("an event cannot be read", "error", err)
		s.forget(id)
		return
	}
	failure, err := s.opts.Invoke(ctx, d.Target, d.Event)
	if ctx.Err() != nil {
		return // closing: the attempt's outcome is unknown, so it is made again
	}
	if failure == nil && err == nil {
		s.settle(id, func(tx *bbolt.Tx) error { return tx.Bucket(deliveries).Delete(number(id)) })
		return
	}
	reason := err
	if failure != nil {
		reason = failure
	}
	log := s.opts.Log.With("rule", d.Rule, "function", d.Target, "error", reason)
	if !d.retry(failure != nil, s.opts.Now(), s.opts.Minute) {
		log.Error("event dropped: every attempt failed", "failures", d.Failures, "attempts", d.Attempts)
		s.settle(id, func(tx *bbolt.Tx) error { return tx.Bucket(deliveries).Delete(number(id)) })
		return
	}
	log.Warn("event not delivered: trying again", "at", time.UnixMilli(d.Next))
	s.settle(id, func(tx *bbolt.Tx) error { return s.store(tx, id, d) })
}

// settle stores an attempt's outcome. If that fails the delivery stays as it
// was, and comes again a minute later.
func (s *Service) settle(id uint64, write func(*bbolt.Tx) error) {
	s.forget(id)
	if err := s.db.Update(write); err != nil {
		s.opts.Log.Error("an event's delivery cannot be stored", "error", err)
		s.due(id, s.opts.Now().Add(s.opts.Minute))
	}
}

func (s *Service) forget(id uint64) {
	s.mu.Lock()
	delete(s.pending, id)
	s.mu.Unlock()
}

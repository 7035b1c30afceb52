package eventbridge

import (
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"
)

// idle is how long the loop sleeps when nothing is planned.
const idle = time.Hour

// loadSchedules reads each schedule's last run. One that is new counts from now
// on, durably, so that restarts do not put its first run off for ever.
func (s *Service) loadSchedules(b *bbolt.Bucket) error {
	planned := map[string]bool{}
	for _, r := range s.opts.Schedules {
		planned[r.Name] = true
		if v := b.Get([]byte(r.Name)); len(v) == 8 {
			s.last[r.Name] = time.UnixMilli(int64(binary.BigEndian.Uint64(v)))
			continue
		}
		s.last[r.Name] = s.opts.Now()
		if err := b.Put([]byte(r.Name), number(uint64(s.last[r.Name].UnixMilli()))); err != nil {
			return err
		}
	}
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if !planned[string(k)] {
			if err := c.Delete(); err != nil {
				return err
			}
		}
	}
	return nil
}

// runSchedules puts an event for every schedule that is due and returns when the
// next one is.
func (s *Service) runSchedules() time.Time {
	now := s.opts.Now()
	next := now.Add(idle)
	for _, r := range s.opts.Schedules {
		period := time.Duration(r.Minutes) * s.opts.Minute
		at := s.last[r.Name].Add(period)
		if !at.After(now) {
			if err := s.runSchedule(r, s.slot(at, now, period), now); err != nil {
				s.opts.Log.Error("a schedule's run cannot be stored", "schedule", r.Name, "error", err)
				at = now.Add(period)
			} else {
				at = s.last[r.Name].Add(period)
			}
		}
		if at.Before(next) {
			next = at
		}
	}
	return next
}

// slot keeps the cadence, and forgets the runs that were missed.
func (s *Service) slot(at, now time.Time, period time.Duration) time.Time {
	if now.Sub(at) < period {
		return at
	}
	return now
}

func (s *Service) runSchedule(r Schedule, run, now time.Time) error {
	event, err := s.encode(s.scheduled(r.Name))
	if err != nil {
		return err
	}
	err = s.db.Update(func(tx *bbolt.Tx) error {
		if err := tx.Bucket(schedules).Put([]byte(r.Name), number(uint64(run.UnixMilli()))); err != nil {
			return err
		}
		return s.enqueue(tx, r.Name, r.Target, event, now)
	})
	if err == nil {
		s.last[r.Name] = run
	}
	return err
}

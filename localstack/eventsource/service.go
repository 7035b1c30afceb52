package eventsource

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"
)

// A Service runs all mappings.
type Service struct {
	opts    Options
	db      database
	pollers []*poller
	cancel  context.CancelFunc
	done    sync.WaitGroup
	unsaved chan struct{} // a checkpoint has to be stored
}

// Open reads the checkpoints, and makes one for a mapping that is new and starts
// at the latest record. A filter that is not modelled is refused here.
func Open(db database, o Options) (*Service, error) {
	o.setDefaults()
	s := &Service{opts: o, db: db, unsaved: make(chan struct{}, 1)}
	for _, m := range o.Mappings {
		m.setDefaults()
		filters, err := m.filters()
		if err != nil {
			return nil, err
		}
		start := ""
		if m.FromLatest {
			if start, err = m.Stream.Latest(); err != nil {
				return nil, fmt.Errorf("mapping %s: %w", m.Name, err)
			}
		}
		p := &poller{service: s, Mapping: m, patterns: filters, wake: make(chan struct{}, 1)}
		p.lanes = make([]queue, m.Parallelization)
		if p.window.head, err = s.checkpoint(m.Name, start); err != nil {
			return nil, fmt.Errorf("mapping %s: %w", m.Name, err)
		}
		s.pollers = append(s.pollers, p)
	}
	return s, nil
}

// checkpoint returns a mapping's place, which is start if it has none yet.
func (s *Service) checkpoint(mapping, start string) (place string, err error) {
	err = s.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(checkpoints)
		if err != nil {
			return err
		}
		if v := b.Get([]byte(mapping)); v != nil {
			place = string(v)
			return nil
		}
		place = start
		return b.Put([]byte(mapping), []byte(start))
	})
	return place, err
}

// Start begins to read. It returns at once.
func (s *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	for _, p := range s.pollers {
		s.done.Go(func() { p.run(ctx) })
	}
	s.done.Go(func() { s.keepSaving(ctx) })
}

// keepSaving stores the checkpoints a little after they have moved.
func (s *Service) keepSaving(ctx context.Context) {
	for {
		select {
		case <-s.unsaved:
		case <-ctx.Done():
			return
		}
		if !sleep(ctx, saveAfter) {
			return // Close stores them
		}
		for _, p := range s.pollers {
			if p.window.pending() > 0 {
				p.save()
			}
		}
	}
}

// Settled reports whether everything that the streams hold now was delivered, or given up.
func (s *Service) Settled() (bool, error) {
	for _, p := range s.pollers {
		latest, err := p.Stream.Latest()
		if err != nil || p.window.place() != latest {
			return false, err
		}
	}
	return true, nil
}

// Close stops reading and stores the checkpoints. A batch under way is delivered
// again after the next start: its function may be running still.
func (s *Service) Close() error {
	if s.cancel != nil {
		s.cancel()
	}
	s.done.Wait()
	var errs []error
	for _, p := range s.pollers {
		errs = append(errs, p.window.save(s.db, p.Name))
	}
	return errors.Join(errs...)
}

package eventbridge

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// workers bounds how many deliveries are under way at once.
const workers = 16

// A Service is the bus. Its methods are safe for concurrent use.
type Service struct {
	opts  Options
	db    database
	rules []rule
	last  map[string]time.Time // of each schedule; used by the loop alone

	wake   chan struct{}
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex
	pending map[uint64]time.Time // when each delivery is next due
	flying  map[uint64]bool
}

// Open reads what is still to be delivered. What belongs to a rule or schedule
// that is no more is dropped.
func Open(db database, o Options) (*Service, error) {
	o.setDefaults()
	rules, err := compile(o.Rules)
	if err != nil {
		return nil, err
	}
	s := &Service{
		opts: o, db: db, rules: rules,
		last: map[string]time.Time{}, wake: make(chan struct{}, 1),
		pending: map[uint64]time.Time{}, flying: map[uint64]bool{},
	}
	if err := db.Update(s.load); err != nil {
		return nil, fmt.Errorf("eventbridge: %w", err)
	}
	return s, nil
}

func (s *Service) load(tx *bbolt.Tx) error {
	for _, name := range [][]byte{deliveries, schedules} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	if err := s.loadSchedules(tx.Bucket(schedules)); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, r := range s.opts.Rules {
		known[r.Name] = true
	}
	for _, r := range s.opts.Schedules {
		known[r.Name] = true
	}
	c := tx.Bucket(deliveries).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		var d delivery
		if err := json.Unmarshal(v, &d); err != nil {
			return fmt.Errorf("a delivery is damaged: %w", err)
		}
		if !known[d.Rule] {
			s.opts.Log.Warn("event dropped: its rule is no more", "rule", d.Rule)
			if err := c.Delete(); err != nil {
				return err
			}
			continue
		}
		s.pending[binary.BigEndian.Uint64(k)] = time.UnixMilli(d.Next)
	}
	return nil
}

// Put writes an event's deliveries into tx: one for each rule that matches.
func (s *Service) Put(tx *bbolt.Tx, e Event) error {
	event, err := s.encode(e)
	if err != nil {
		return err
	}
	now := s.opts.Now()
	for _, r := range s.rules {
		if !r.pattern.Match(event) {
			continue
		}
		if err := s.enqueue(tx, r.Name, r.Target, event, now); err != nil {
			return err
		}
	}
	return nil
}

// due is called when a delivery has been committed.
func (s *Service) due(id uint64, at time.Time) {
	s.mu.Lock()
	s.pending[id] = at
	s.mu.Unlock()
	s.poke()
}

func (s *Service) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Start begins to deliver. It returns at once.
func (s *Service) Start() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.done.Go(func() { s.loop(ctx) })
}

// Close stops delivering. An attempt under way is made again after the next
// start: its function may be running still.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	s.done.Wait()
}

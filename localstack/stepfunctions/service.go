package stepfunctions

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"

	"go.etcd.io/bbolt"
	"windlass/localstack/disk"
)

// Service is the embedded Step Functions. All methods are safe for concurrent
// use.
type Service struct {
	db                             *disk.DB
	opts                           Options
	machinePrefix, executionPrefix string
	random                         func() float64
	definitions                    definitionCache

	// gate is held for reading by everything that moves executions, and for
	// writing by Start and Close, which must see none on the move.
	gate    sync.RWMutex
	started bool
	closed  bool
	ctx     context.Context // of the functions; cancelled by Close
	cancel  context.CancelFunc

	mu    sync.Mutex
	lives map[uint64]*live // running executions that anything was done with
}

// Open prepares the service on db. Until Start, requests are answered but no
// execution moves.
func Open(db *disk.DB, opts Options) (*Service, error) {
	if opts.Invoke == nil {
		return nil, errors.New("stepfunctions: Options.Invoke is required")
	}
	opts.setDefaults()
	if err := db.Update(createBuckets); err != nil {
		return nil, fmt.Errorf("open stepfunctions: %w", err)
	}
	arn := "arn:aws:states:" + opts.Region + ":" + opts.Account
	return &Service{
		db: db, opts: opts,
		machinePrefix: arn + ":stateMachine:", executionPrefix: arn + ":execution:",
		random: rand.Float64,
		lives:  map[uint64]*live{},
	}, nil
}

// Start resumes every running execution. Call it once, when the functions can be
// invoked. A task whose function was running when the last process ended has
// failed that attempt with Lambda.Unknown.
//
// The context hands its values to the functions, but not its end: an
// interrupted process must not look to them like a failed attempt.
func (s *Service) Start(ctx context.Context) error {
	found, err := s.begin(ctx)
	if err != nil {
		return err
	}
	if err := s.finishDeletions(); err != nil {
		return err
	}
	if err := s.purge(purgeOnStart); err != nil {
		return err
	}
	for _, f := range found {
		switch f.phase {
		case entering:
			go s.drive(f.seq, proceed{})
		case invoking:
			go s.drive(f.seq, answer{attempt: f.attempt, outcome: lost()})
		default:
			s.watch(f.seq, f.due)
		}
	}
	return nil
}

type found struct {
	seq     uint64
	phase   phase
	attempt uint64
	due     millis
}

// begin lists the running executions while none can move, so that an invocation
// that is made from here on is not taken for a lost one.
func (s *Service) begin(ctx context.Context) (all []found, err error) {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if s.started {
		return nil, errors.New("stepfunctions: started twice")
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.started = true
	err = s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(progressBucket).ForEach(func(k, text []byte) error {
			c, err := readCursor(text)
			if err != nil {
				return err
			}
			all = append(all, found{seq: seqOf(k), phase: c.Phase, attempt: c.Attempt, due: c.earliest()})
			return nil
		})
	})
	return all, err
}

// Close stops moving executions and leaves them as they are: to what is stored,
// a clean stop and a kill look the same. It cancels the functions' context and
// does not wait for them; their answers count no more.
func (s *Service) Close() {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if s.cancel != nil {
		s.cancel()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lives {
		l.stopTimer()
	}
}

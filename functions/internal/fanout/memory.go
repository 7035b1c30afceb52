package fanout

import (
	"context"
	"sync"
	"time"

	"windlass/functions/internal/fault"
)

// maxRemembered bounds each of the memories below, in entries. A full one is
// emptied: it only saves work.
const maxRemembered = 10_000

// slow remembers connections to which a post took too long. Without it each batch
// would wait for them again, and the batches behind it with it.
type slow struct {
	mu    sync.Mutex
	until map[string]time.Time
	now   func() time.Time
}

// passOver is how long such a connection is left out. It misses what comes, and
// its client asks for that.
const passOver = 10 * time.Second

func newSlow(now func() time.Time) *slow { return &slow{until: map[string]time.Time{}, now: now} }

func (s *slow) mark(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.until) >= maxRemembered {
		clear(s.until)
	}
	s.until[id] = s.now().Add(passOver)
}

func (s *slow) skip(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	until, ok := s.until[id]
	if ok && !s.now().Before(until) {
		delete(s.until, id)
		return false
	}
	return ok
}

// validity remembers for a while that a key held, so that a revoked one stops
// its connections within that time without a read for each commit.
type validity struct {
	keys keys
	now  func() time.Time
	mu   sync.Mutex
	seen map[string]verdict
}

type verdict struct {
	until   time.Time
	refused bool
}

// Trusted is how long a key may still be followed with after it was revoked.
const Trusted = 15 * time.Second

func newValidity(k keys, now func() time.Time) *validity {
	return &validity{keys: k, now: now, seen: map[string]verdict{}}
}

func (v *validity) refused(ctx context.Context, key string) bool {
	if known, ok := v.known(key); ok {
		return known
	}
	err := v.keys.Valid(ctx, key)
	refused := err != nil && fault.Of(err).Code == fault.Unauthorized
	if err == nil || refused {
		v.remember(key, refused)
	}
	return refused
}

func (v *validity) known(key string) (refused, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	k, ok := v.seen[key]
	return k.refused, ok && v.now().Before(k.until)
}

func (v *validity) remember(key string, refused bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.seen) >= maxRemembered {
		clear(v.seen)
	}
	v.seen[key] = verdict{v.now().Add(Trusted), refused}
}

package fanout

import (
	"sync"
	"time"
)

// maxRemembered bounds the memory below, in entries. A full one is emptied: it only
// saves work.
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

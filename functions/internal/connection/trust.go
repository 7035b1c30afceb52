package connection

import (
	"context"
	"sync"
	"time"

	"windlass/functions/internal/fault"
)

// keys says whether a key still holds.
type keys interface {
	Valid(ctx context.Context, key string) error
}

// Trusted is how long a key may still be followed with after it was revoked.
const Trusted = 15 * time.Second

// maxTrusted bounds the keys that are remembered. A full memory is emptied: it only
// saves work.
const maxTrusted = 10_000

// Trust remembers for a while that a key held, so that a revoked one stops its
// connections within that time without a read for each post. It is safe for
// concurrent use.
type Trust struct {
	keys keys
	now  func() time.Time
	mu   sync.Mutex
	seen map[string]verdict
}

type verdict struct {
	until   time.Time
	refused bool
}

// NewTrust makes a Trust that knows of no key yet.
func NewTrust(k keys, now func() time.Time) *Trust {
	return &Trust{keys: k, now: now, seen: map[string]verdict{}}
}

// Refused reports whether a key holds no more. One that cannot be checked now is
// trusted: it was valid when its connection was opened, and the next call looks again.
func (t *Trust) Refused(ctx context.Context, key string) bool {
	if known, ok := t.known(key); ok {
		return known
	}
	err := t.keys.Valid(ctx, key)
	refused := err != nil && fault.Of(err).Code == fault.Unauthorized
	if err == nil || refused {
		t.remember(key, refused)
	}
	return refused
}

func (t *Trust) known(key string) (refused, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok := t.seen[key]
	return k.refused, ok && t.now().Before(k.until)
}

func (t *Trust) remember(key string, refused bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.seen) >= maxTrusted {
		clear(t.seen)
	}
	t.seen[key] = verdict{t.now().Add(Trusted), refused}
}

package fold

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"

	"windlass/eventstore"
	"windlass/functions/internal/turn"
)

// Sessions opens sessions and keeps the last few, as a warm function may: each is
// brought up to the log's head before it is looked at. It is safe for concurrent use; a
// nil one keeps none.
type Sessions struct {
	// Most is about how many bytes of sessions are kept; 0 for [DefaultMost].
	Most int64
	// MostSessions is how many are; 0 for [DefaultMostSessions].
	MostSessions int

	mu   sync.Mutex
	kept []*kept // the one used last is last
}

// Bounds of what is kept: sessions, and about how many bytes of them.
const (
	DefaultMost         = 64 << 20
	DefaultMostSessions = 8
)

type kept struct {
	stream eventstore.Stream
	mu     sync.Mutex
	s      *Session
	weight atomic.Int64
	seq    atomic.Uint64
}

func (c *Sessions) weight() (n int64) {
	for _, k := range c.kept {
		n += k.weight.Load()
	}
	return n
}

// Read shows the session, as it is now, to see, which must only read it and keep
// nothing of it.
func (c *Sessions) Read(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream, see func(*Session) error) error {
	k := &kept{stream: stream}
	if c != nil {
		k = c.find(stream)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.weigh()
	if err := k.refresh(ctx, j); err != nil {
		return err // what is folded so far are whole commits: the next one goes on from there
	}
	return see(k.s)
}

// Take gives a session, as it is now, to a driver: it is nobody else's until it comes
// back by [Sessions.Give]. One that does not is opened anew the next time.
func (c *Sessions) Take(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream) (*Session, error) {
	var k *kept
	if c != nil {
		c.mu.Lock()
		k = c.out(stream)
		c.mu.Unlock()
	}
	if k == nil {
		return Open(ctx, j, stream)
	}
	k.mu.Lock() // whoever reads it finishes first
	defer k.mu.Unlock()
	err := k.refresh(ctx, j)
	return k.s, err
}

// Give keeps a session that nobody works on any more, unless it is too large, or a driver
// that came later has given a newer copy; without what its driver made of it, if both
// together are too large.
func (c *Sessions) Give(s *Session) {
	if c == nil {
		return
	}
	k := &kept{stream: s.Stream, s: s}
	if k.weigh(); k.weight.Load() > c.most() {
		s.Beside, s.BesideBytes = nil, 0
		k.weigh()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if other := c.out(s.Stream); other != nil && other.seq.Load() > k.seq.Load() {
		k = other
	}
	if k.weight.Load() <= c.most() {
		c.keep(k)
	}
}

func (c *Sessions) most() int64 { return cmp.Or(c.Most, DefaultMost) }

func (k *kept) weigh() {
	if k.s != nil {
		k.weight.Store(int64(k.s.Weight) + k.s.BesideBytes)
		k.seq.Store(k.s.seq)
	}
}

func (k *kept) refresh(ctx context.Context, j *eventstore.Journal) (err error) {
	if k.s == nil {
		k.s, err = Open(ctx, j, k.stream)
		return err
	}
	head, at, err := j.Head(ctx, k.stream)
	if err != nil {
		return err
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err != nil {
		return err
	}
	switch {
	case at.Seq() < k.s.seq || sum.StreamID != k.s.State.StreamID:
		k.s, err = Open(ctx, j, k.stream) // another log under the same name
	case at.Seq() > k.s.seq:
		err = k.s.catchUp(ctx, j, head, at)
	}
	return err
}

func (c *Sessions) find(stream eventstore.Stream) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.out(stream)
	if k == nil {
		k = &kept{stream: stream}
	}
	c.keep(k)
	return k
}

// out removes a session and returns it; nil if it is not kept.
func (c *Sessions) out(stream eventstore.Stream) *kept {
	for i, k := range c.kept {
		if k.stream == stream {
			c.kept = append(c.kept[:i:i], c.kept[i+1:]...)
			return k
		}
	}
	return nil
}

// keep adds the one used last, at the cost of those that were not for longest.
func (c *Sessions) keep(k *kept) {
	c.kept = append(c.kept, k)
	for len(c.kept) > 1 && (len(c.kept) > cmp.Or(c.MostSessions, DefaultMostSessions) || c.weight() > c.most()) {
		c.kept = append([]*kept(nil), c.kept[1:]...)
	}
}

package fold

import (
	"context"
	"sync"
	"sync/atomic"

	"windlass/eventstore"
	"windlass/functions/internal/turn"
)

// Sessions opens sessions for reading and keeps the last few, as a warm function
// may: each is brought up to the log's head before it is looked at. It is safe for
// concurrent use.
type Sessions struct {
	Journal *eventstore.Journal

	mu   sync.Mutex
	kept []*kept // the one used last is last
}

// Bounds of what is kept: sessions, and about how many bytes of them.
const (
	maxKept   = 8
	maxWeight = 64 << 20
)

type kept struct {
	stream eventstore.Stream
	mu     sync.Mutex
	s      *Session
	weight atomic.Int64
}

func (c *Sessions) weight() (n int64) {
	for _, k := range c.kept {
		n += k.weight.Load()
	}
	return n
}

// Read shows the session, as it is now, to see, which must only read it and keep
// nothing of it.
func (c *Sessions) Read(ctx context.Context, stream eventstore.Stream, see func(*Session) error) error {
	k := c.find(stream)
	k.mu.Lock()
	defer k.mu.Unlock()
	defer func() {
		if k.s != nil {
			k.weight.Store(int64(k.s.Weight))
		}
	}()
	if err := k.refresh(ctx, c.Journal); err != nil {
		return err // what is folded so far are whole commits: the next one goes on from there
	}
	return see(k.s)
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
		err = k.s.CatchUp(ctx, j, nil)
	}
	return err
}

func (c *Sessions) find(stream eventstore.Stream) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, k := range c.kept {
		if k.stream == stream {
			c.kept = append(append(c.kept[:i:i], c.kept[i+1:]...), k)
			return k
		}
	}
	k := &kept{stream: stream}
	c.kept = append(c.kept, k)
	for len(c.kept) > 1 && (len(c.kept) > maxKept || c.weight() > maxWeight) {
		c.kept = append([]*kept(nil), c.kept[1:]...)
	}
	return k
}

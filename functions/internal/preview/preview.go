package preview

import (
	"context"
	"slices"
	"sync"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
)

// rows, followers, posts and keys are what previews need of others.
type rows interface {
	Put(context.Context, eventstore.Stream, Row) (stored bool, err error)
}

type followers interface {
	SomeSubscribers(ctx context.Context, s eventstore.Stream, most int32) ([]connection.Subscriber, error)
}

type posts interface {
	Post(ctx context.Context, id string, frame []byte) error
}

type keys interface {
	Valid(ctx context.Context, key string) error
}

// Previews shows answers. It is safe for concurrent use. A nil one shows nothing.
type Previews struct {
	rows      rows
	followers followers
	posts     posts
	trust     *connection.Trust
	now       func() time.Time
}

// New makes Previews that keep rows in r, find followers in f and post with p. k says
// whether the key that a follower came with still holds.
func New(r rows, f followers, p posts, k keys, now func() time.Time) *Previews {
	return &Previews{r, f, p, connection.NewTrust(k, now), now}
}

// Preview is one answer that is shown. It is safe for concurrent use. A nil one shows
// nothing.
type Preview struct {
	*Previews
	stream eventstore.Stream
	step   Step
	ctx    context.Context // to its end
	end    context.CancelFunc

	mu    sync.Mutex // of what follows; never held over I/O
	said  [2]said
	begun bool

	posting sync.Mutex // of what follows; never held over I/O
	known   map[string]*follower
	// held is how much of each text the row is known to hold.
	held [2]int
}

// Begin shows what is added from now on to those who follow the stream, until End is
// called or ctx ends. Nothing is read, written or posted before something is added.
func (p *Previews) Begin(ctx context.Context, s eventstore.Stream, step Step) *Preview {
	if p == nil {
		return nil
	}
	ctx, end := context.WithCancel(ctx)
	return &Preview{Previews: p, stream: s, step: step, ctx: ctx, end: end, known: map[string]*follower{}}
}

// Add takes what the model says next: of a kind, "text" or "reasoning" (others are
// passed over). A chunk may end within a character. It never waits for I/O and never
// fails.
func (v *Preview) Add(kind, chunk string) {
	k := slices.Index(kinds[:], kind)
	if v == nil || k < 0 || chunk == "" {
		return
	}
	v.mu.Lock()
	v.said[k].add(chunk)
	first := !v.begun
	v.begun = true
	v.mu.Unlock()
	if first {
		go v.run()
	}
}

// End stops all of it soon. It waits for nothing: posts that are under way are
// cancelled, and the row stays as it was last written.
func (v *Preview) End() {
	if v != nil {
		v.end()
	}
}

// Times. An answer that is there at once is no preview's business; AWS lets one
// connection take ten frames a second without harm to the others.
const (
	patience = 50 * time.Millisecond
	tick     = 100 * time.Millisecond
	reading  = time.Second
	within   = time.Second // bounds one call of others
)

func (v *Preview) run() {
	defer v.end()
	if !v.wait(patience) {
		return
	}
	go v.keep()
	go v.follow()
	for v.wait(tick) {
		v.post()
	}
}

// wait reports false when it is over.
func (v *Preview) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return v.ctx.Err() == nil
	case <-v.ctx.Done():
		return false
	}
}

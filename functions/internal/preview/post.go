package preview

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/frame"
)

// follower is one connection, and how far it has got.
type follower struct {
	id string
	at [2]int
	// last is the kind that it was sent last: the other one is next.
	last int
	// busy: a post to it is under way. gone: there is no such connection any more.
	busy, gone bool
	// until is when it may be posted to again.
	until time.Time
}

// backOff is how long a connection is left alone that took no frame.
const backOff = time.Second

// next is what a post carries: the same for all who are at the same place.
type next struct {
	kind  int
	frame []byte
	end   int
}

type place struct{ kind, at int }

// post begins a post to each connection that has something to get and can take it.
func (v *Preview) post() {
	v.posting.Lock()
	defer v.posting.Unlock()
	now, made := v.now(), map[place]next{}
	for _, f := range v.known {
		if f.busy || f.gone || now.Before(f.until) {
			continue
		}
		if n, ok := v.next(f, made); ok {
			f.busy = true
			go v.send(f, n)
		}
	}
}

func (v *Preview) next(f *follower, made map[place]next) (next, bool) {
	for _, kind := range [2]int{1 - f.last, f.last} {
		at := place{kind, f.at[kind]}
		n, ok := made[at]
		if !ok {
			n = v.piece(at)
			made[at] = n
		}
		if n.frame != nil {
			return n, true
		}
	}
	return next{}, false
}

// piece is the frame that goes on at a place; none if nothing follows.
func (v *Preview) piece(at place) next {
	v.mu.Lock()
	p := v.said[at.kind].after(at.at, frame.MaxPreview)
	v.mu.Unlock()
	if p.Text == "" {
		return next{}
	}
	b, end := v.step.preview(v.stream.Session, at.kind, p).First()
	return next{at.kind, b, end}
}

// send posts one frame. If it may not have arrived, the next one has it again.
func (v *Preview) send(f *follower, n next) {
	ctx, cancel := context.WithTimeout(v.ctx, within)
	defer cancel()
	err := v.posts.Post(ctx, f.id, n.frame)
	v.posting.Lock()
	defer v.posting.Unlock()
	f.busy = false
	switch {
	case err == nil:
		f.at[n.kind], f.last = n.end, n.kind
	case errors.Is(err, connection.ErrGone):
		f.gone = true
	default:
		f.until = v.now().Add(backOff)
		slog.DebugContext(ctx, "a preview was not posted", "session", v.stream.Session, "connection", f.id, "error", err)
	}
}

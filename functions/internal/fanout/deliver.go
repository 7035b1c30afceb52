package fanout

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/frame"
)

// deliver posts to one connection, one frame after the other. At the first that
// fails it stops: what follows would only be a gap to the client.
func (b *batch) deliver(ctx context.Context, id string, subs []connection.Subscriber, frames map[string][][]byte) {
	if b.slow.skip(id) {
		return
	}
	if code := b.over(subs[0]); code != "" {
		b.end(ctx, id, subs, code)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	for _, s := range subs {
		for _, f := range frames[s.Operation] {
			if err := b.posts.Post(ctx, id, f); err != nil {
				b.lost(ctx, id, err)
				return
			}
		}
	}
}

// budget is how long one connection may hold up a batch, and what comes behind it: a
// post takes a second at most, and many that take nearly as long are no better.
const budget = 2 * time.Second

// over says why a connection must end, if it must.
func (b *batch) over(s connection.Subscriber) string {
	switch {
	case b.refused[s.Key]:
		return frame.Unauthorized
	case !b.now().Before(s.ClosesAt):
		return frame.Lifetime
	}
	return ""
}

// end closes a connection. The frames that it was to get are for the next one to
// ask for.
func (b *batch) end(ctx context.Context, id string, subs []connection.Subscriber, code string) {
	c := frame.Closing{Code: code, Resume: []frame.Resume{}}
	for _, s := range subs {
		if n := len(b.runs); n > 0 {
			c.Resume = append(c.Resume, frame.Resume{Session: b.stream.Session, Operation: s.Operation, Head: b.runs[n-1].to})
		}
	}
	if err := b.posts.Post(ctx, id, frame.Encode(c)); err != nil {
		b.lost(ctx, id, err)
	}
	if err := b.posts.Close(ctx, id); err != nil {
		slog.WarnContext(ctx, "a connection could not be closed", "connection", id, "error", err)
	}
	b.forget(ctx, id)
}

// lost decides about a post that failed. Its client finds the gap and asks again,
// if it is still there.
func (b *batch) lost(ctx context.Context, id string, err error) {
	ctx = context.WithoutCancel(ctx) // the connection's time may be over
	switch {
	case errors.Is(err, connection.ErrGone):
		b.forget(ctx, id)
	case errors.Is(err, connection.ErrBusy): // it has more than it can read already
	default:
		b.slow.mark(id)
		slog.WarnContext(ctx, "a post failed; the connection is passed over for a while", "connection", id, "error", err)
	}
}

func (b *batch) forget(ctx context.Context, id string) {
	if err := b.registry.Forget(ctx, id); err != nil {
		slog.WarnContext(ctx, "a connection's rows remain until they expire", "connection", id, "error", err)
	}
}

package wsapi

import (
	"context"
	"errors"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/frame"
	"windlass/functions/internal/session"
)

// subscribe sends what the client has not got yet. The order is the promise: the
// subscription stands before the head is read, so a commit is either behind the
// head, and in the backlog, or after the subscription, and posted live. Many are
// both; the client takes each seq once.
func (a *API) subscribe(ctx context.Context, c connection.Connection, stream eventstore.Stream, r request) error {
	if !eventstore.ValidID(r.Session) || r.Operation != "" && !eventstore.ValidID(r.Operation) {
		return nowhere(r)
	}
	sub := connection.Subscription{Session: r.Session, Operation: r.Operation}
	if err := a.Subscriptions.Subscribe(ctx, c, sub); err != nil {
		return err
	}
	b := backlog{api: a, connection: c.ID, stream: stream, request: r, sent: *r.After}
	err := b.send(ctx)
	var lost *undelivered
	if errors.As(err, &lost) {
		if errors.Is(err, connection.ErrGone) {
			err = a.Forgetter.Forget(ctx, c.ID)
		}
		logged(ctx, "a backlog was not delivered; the client asks again", c.ID, err)
		return nil
	}
	return err // it stays, whatever the error: another subscribe, for the same, may have been answered meanwhile
}

// A backlog is one answer to one subscribe.
type backlog struct {
	api        *API
	connection string
	stream     eventstore.Stream
	request    request
	// sent is the last seq that was posted.
	sent uint64
}

// maxPages bounds one answer, and with it how much a client is sent unasked. A
// page is 1 MiB at most.
const maxPages = 16

// send posts pages up to the head and says that it is reached, or how far it is.
func (b *backlog) send(ctx context.Context) error {
	first, last, head := uint64(1), uint64(0), uint64(0)
	var err error
	if b.request.Operation != "" {
		if first, last, err = b.api.Replay.Span(ctx, b.stream, b.request.Operation); err != nil {
			return err
		}
	}
	for range maxPages {
		if b.sent+1 < first { // what came before the operation has nothing of it
			if err := b.pass(ctx, first-1); err != nil {
				return err
			}
		}
		p, err := b.api.Replay.Events(ctx, b.stream, session.EventQuery{After: b.sent, Limit: session.MaxLimit})
		if err != nil {
			return err
		}
		if head = p.LastSeq; b.sent > head {
			return fault.New(fault.InvalidRequest, "after is %d, and the session ends at %d; begin again after 0", b.sent, head)
		}
		if err := b.page(ctx, p); err != nil {
			return err
		}
		if last > 0 && b.sent >= last {
			if err := b.pass(ctx, head); err != nil {
				return err
			}
		}
		if b.sent >= head {
			break
		}
	}
	err = b.post(ctx, frame.Encode(frame.CaughtUp{ID: b.request.ID, Session: b.stream.Session, Operation: b.request.Operation, Seq: b.sent, Head: head}))
	if err != nil || b.sent < head {
		return err
	}
	return b.preview(ctx)
}

func (b *backlog) page(ctx context.Context, p session.EventPage) error {
	if len(p.Events) == 0 {
		return nil
	}
	to := p.Events[len(p.Events)-1].Seq
	frames, err := frame.Events(b.stream.Session, b.request.Operation, b.sent+1, to, p.Events)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := b.post(ctx, f); err != nil {
			return err
		}
	}
	b.sent = to
	return nil
}

// pass covers seqs that have nothing of the operation.
func (b *backlog) pass(ctx context.Context, to uint64) error {
	if b.sent >= to {
		return nil
	}
	frames, err := frame.Events(b.stream.Session, b.request.Operation, b.sent+1, to, nil)
	if err == nil {
		err = b.post(ctx, frames[0])
	}
	if err == nil {
		b.sent = to
	}
	return err
}

// undelivered means that the client did not get everything, and was not told.
type undelivered struct{ error }

func (e *undelivered) Unwrap() error { return e.error }

// Pauses after which a post is tried again that the connection had no room for.
const (
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// post sends a frame of the backlog. A client that reads slowly gets time: what
// it has no room for would only be asked for again. Eight tries, then it has to ask.
func (b *backlog) post(ctx context.Context, f []byte) error {
	for pause := firstPause; ; pause *= 2 {
		err := b.api.Posts.Post(ctx, b.connection, f)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, connection.ErrGone) || pause > lastPause*2:
			return &undelivered{err}
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return &undelivered{err}
		}
	}
}

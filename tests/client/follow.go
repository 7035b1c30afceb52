package client

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Follower follows a session's log over sockets: it brings each event once, in
// order, whatever becomes of the sockets. It is used once.
type Follower struct {
	// Client is asked for before each connection: a deployment may move.
	Client func() Client
	// Operation leaves out the events of others, if given.
	Session, Operation string
	// After is the last seq that the caller has.
	After uint64
	// See takes an event, and the event as it came. Its error ends the following.
	See func(e Event, raw []byte) error
	// Frame, if given, is shown every frame before it counts, and may kill the
	// socket that it came on.
	Frame func(*Socket, Frame)
	// Preview, if given, is shown what a model has said so far, each time that more of
	// it came.
	Preview func(Preview)
	// Apart shows an event that is too large for a frame as it came, without its data,
	// instead of fetching it.
	Apart bool
	// Quiet is how long nothing may come before it asks whether there is more; 0
	// means a second.
	Quiet time.Duration

	cursor Cursor
	shown  Previews
	n      int       // subscribes sent
	asking bool      // the last one is not answered
	live   int       // events taken while none was out
	heard  time.Time // when the last frame came
	moved  time.Time // when the cursor last moved, or asked
}

// Follow follows a session, or one operation of it, with one key. It returns what
// see returned, the context's error, or why the server refuses.
func (c Client) Follow(ctx context.Context, session, operation string, after uint64, see func(Event) error) error {
	f := Follower{
		Client: func() Client { return c }, Session: session, Operation: operation, After: after,
		See: func(e Event, _ []byte) error { return see(e) },
	}
	return f.Run(ctx)
}

// Live counts the events that came without being asked for: while no subscribe was
// on its way. Read it after Run.
func (f *Follower) Live() int { return f.live }

// Pauses between connections that brought nothing.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// final is an error that another connection would not mend.
type final struct{ error }

// Run follows until See returns an error, ctx ends or the server refuses.
func (f *Follower) Run(ctx context.Context) error {
	f.cursor.At = f.After
	if f.Quiet == 0 {
		f.Quiet = time.Second
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		at := f.cursor.At
		err := f.connection(ctx)
		var end final
		switch {
		case errors.As(err, &end):
			return end.error
		case ctx.Err() != nil:
			return ctx.Err()
		case f.cursor.At > at:
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// connection follows on one socket, until that is lost.
func (f *Follower) connection(ctx context.Context) error {
	s, err := f.Client().Dial(ctx, "")
	if err != nil {
		return refused(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer s.Kill()
	defer cancel()
	frames := make(chan Frame)
	reader.Go(func() { s.read(ctx, frames) })
	if err := f.ask(ctx, s); err != nil {
		return err
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case fr, ok := <-frames:
			if !ok {
				return errLost
			}
			err = f.frame(ctx, s, fr)
		case <-tick.C:
			err = f.look(ctx, s)
		}
		if err != nil {
			return err
		}
	}
}

var errLost = errors.New("client: the socket is lost")

// read hands frames over until there are no more. It waits for whoever takes
// them, and so does the server in the end.
func (s *Socket) read(ctx context.Context, frames chan<- Frame) {
	defer close(frames)
	for {
		f, err := s.Next(ctx)
		if err != nil {
			return
		}
		select {
		case frames <- f:
		case <-ctx.Done():
			return
		}
	}
}

// refused makes a refusal final; what passes by itself is tried again.
func refused(err error) error {
	var p *Problem
	if errors.As(err, &p) && p.Code != "" && !p.Retryable {
		return final{err}
	}
	return err
}

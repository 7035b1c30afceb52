package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"windlass/tests/client"
)

// A watch is a client that follows one session over its socket, and tells when
// operations end.
type watch struct {
	ends   chan ending
	lost   chan error
	cancel context.CancelFunc
}

// ending is a terminal event, at the instant when the client has it.
type ending struct {
	operation, kind string
	at              time.Time
}

// maxEndings bounds those that nobody has taken; the follower waits for whoever does.
const maxEndings = 4096

// watched follows a session, which must be there, and returns once it has caught up:
// what comes from now on is live. see, if given, is shown every event.
func watched(ctx context.Context, c client.Client, session string, see func(client.Event, time.Time)) (*watch, error) {
	ctx, cancel := context.WithCancel(ctx)
	w := &watch{make(chan ending, maxEndings), make(chan error, 1), cancel}
	caught := make(chan struct{}, 1)
	f := client.Follower{
		Client: func() client.Client { return c }, Session: session, Apart: true,
		Frame: func(_ *client.Socket, f client.Frame) {
			if f.Type == "caught_up" {
				select {
				case caught <- struct{}{}:
				default:
				}
			}
		},
		See: func(e client.Event, _ []byte) error {
			at := time.Now()
			if see != nil {
				see(e, at)
			}
			switch e.Type {
			case "operation.completed", "operation.failed", "operation.cancelled":
				w.ends <- ending{e.OperationID, e.Type, at}
			}
			return nil
		},
	}
	go func() { w.lost <- f.Run(ctx) }()
	select {
	case <-caught:
		return w, nil
	case err := <-w.lost:
		cancel()
		return nil, fmt.Errorf("follow %s: %w", session, err)
	}
}

// settled waits for the end of an operation; ends of others are passed over.
func (w *watch) settled(ctx context.Context, id string) (time.Time, error) {
	for {
		select {
		case e := <-w.ends:
			if e.operation != id {
				continue
			}
			if e.kind != "operation.completed" {
				return e.at, fmt.Errorf("%s: %s", id, e.kind)
			}
			return e.at, nil
		case err := <-w.lost:
			return time.Time{}, errors.Join(errors.New("the socket's follower ended"), err)
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("%s did not settle: %w", id, ctx.Err())
		}
	}
}

// close ends the following. It does not wait for the socket.
func (w *watch) close() { w.cancel() }

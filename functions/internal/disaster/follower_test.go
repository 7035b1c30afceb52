package disaster

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fanout"
	"windlass/functions/internal/frame"
	"windlass/tests/client"
)

// follower is a client on a socket. It takes frames by its cursor, asks again at a
// gap, and hears of the head with its ping.
type follower struct {
	w *world

	mu     sync.Mutex
	cursor client.Cursor
	got    []client.Event
	broken string
}

func (f *follower) take(b []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read(b)
	if f.cursor.Gap() {
		f.ask()
	}
}

func (f *follower) read(b []byte) {
	var fr client.Frame
	if err := json.Unmarshal(b, &fr); err != nil {
		f.broken = err.Error()
		return
	}
	f.got = append(f.got, f.cursor.Take(fr)...)
}

// ask gets the backlog after the follower's own place.
func (f *follower) ask() {
	var run []event.Stored
	for events, err := range f.w.clean.ReadStored(context.Background(), talk, f.cursor.At) {
		if err != nil {
			return
		}
		run = append(run, events...)
	}
	if len(run) == 0 {
		return
	}
	frames, err := frame.Events(talk.Session, "", run[0].Seq, run[len(run)-1].Seq, run)
	if err != nil {
		f.broken = err.Error()
	}
	for _, b := range frames {
		f.read(b)
	}
}

func (f *follower) ping() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ask()
}

// compare counts what it saw twice and what it missed of the log.
func (f *follower) compare(log []client.Event) (doubled, missed int, why string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken != "" {
		return 0, len(log), f.broken
	}
	seen := map[uint64]bool{}
	for _, e := range f.got {
		if seen[e.Seq] {
			doubled++
		}
		seen[e.Seq] = true
	}
	for i, e := range log {
		if i < len(f.got) && f.got[i].Seq == e.Seq && string(f.got[i].Data) != string(e.Data) {
			why = fmt.Sprintf("seq %d is %s, and in the log %s", e.Seq, f.got[i].Data, e.Data)
		}
		if !seen[e.Seq] {
			missed++
		}
	}
	return doubled, missed, why
}

// publish is the function, with one follower who is connected all the time.
func publish(p *process, e events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	sockets := sockets{p}
	return fanout.New(sockets, sockets, sockets, p.journal(), p.w.record, time.Now).Publish(p.ctx, e)
}

// record reads a commit of the stream.
func (w *world) record(r events.DynamoDBEventRecord) (eventstore.Record, error) {
	var n int
	_, err := fmt.Sscan(r.EventID, &n)
	return w.stored(n), err
}

// sockets is the gateway and its table, as a process reaches them.
type sockets struct{ p *process }

func (s sockets) Subscribers(ctx context.Context, of eventstore.Stream) (all []connection.Subscriber, err error) {
	err = s.p.call(ctx, aRead, func() error {
		if of != talk { // nobody follows a child
			return nil
		}
		all = []connection.Subscriber{{Connection: "c", Key: "key", ClosesAt: time.Now().Add(time.Hour)}}
		return nil
	})
	return all, err
}

func (sockets) Forget(context.Context, string) error { return nil }
func (sockets) Close(context.Context, string) error  { return nil }
func (sockets) Valid(context.Context, string) error  { return nil }

func (s sockets) Post(ctx context.Context, _ string, b []byte) error {
	return s.p.call(ctx, aPost, func() error { s.p.w.follower.take(b); return nil })
}

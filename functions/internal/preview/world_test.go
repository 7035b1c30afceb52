package preview_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/frame"
	"windlass/functions/internal/preview"
	"windlass/tests/client"
)

// world is what previews reach, in memory: followers, their connections and the row.
// Use it within synctest.
type world struct {
	*preview.Previews
	t testing.TB

	mu      sync.Mutex
	row     preview.Row
	written []time.Time
	subs    []connection.Subscriber
	revoked map[string]bool
	looked  int // keys that were looked up
	posted  map[string][]client.Frame
	at      map[string][]time.Time
	busy    map[string]bool
	// answer, if set, decides what becomes of a post; row's and list's the others.
	answer func(ctx context.Context, id string) error
	put    func() error
	list   func() error
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, revoked: map[string]bool{}, posted: map[string][]client.Frame{}, at: map[string][]time.Time{}, busy: map[string]bool{}}
	w.Previews = preview.New(w, w, w, w, time.Now)
	return w
}

func (w *world) Put(_ context.Context, _ eventstore.Stream, r preview.Row) (bool, error) {
	if w.put != nil {
		if err := w.put(); err != nil {
			return false, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Operation == w.row.Operation && (r.Run < w.row.Run || r.Round < w.row.Round) {
		return false, nil
	}
	w.row, w.written = r, append(w.written, time.Now())
	return true, nil
}

// writes counts those of the row.
func (w *world) writes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.written)
}

func (w *world) SomeSubscribers(_ context.Context, s eventstore.Stream, most int32) ([]connection.Subscriber, error) {
	if w.list != nil {
		if err := w.list(); err != nil {
			return nil, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s != stream {
		w.t.Errorf("the followers of %v are asked for", s)
	}
	return append([]connection.Subscriber(nil), w.subs[:min(len(w.subs), int(most))]...), nil
}

func (w *world) Post(ctx context.Context, id string, b []byte) error {
	w.mu.Lock()
	if w.busy[id] {
		w.t.Errorf("two posts to %s at once", id)
	}
	w.busy[id] = true
	w.at[id] = append(w.at[id], time.Now())
	w.mu.Unlock()
	var err error
	if w.answer != nil {
		err = w.answer(ctx, id)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.busy[id] = false
	if err == nil || errors.Is(err, errStored) {
		w.posted[id] = append(w.posted[id], decode(w.t, b))
	}
	return err
}

// errStored: the post arrived, and its answer did not.
var errStored = errors.New("no answer")

func (w *world) Valid(_ context.Context, key string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looked++
	if w.revoked[key] {
		return fault.New(fault.Unauthorized, "revoked")
	}
	return nil
}

func decode(t testing.TB, b []byte) (f client.Frame) {
	t.Helper()
	if err := json.Unmarshal(b, &f); err != nil || f.V != 1 || f.Type != "preview" || f.Session != "s" || len(b) > frame.Max {
		t.Errorf("%v: %d bytes, %.200s", err, len(b), b)
	}
	return f
}

func follower(id, operation string) connection.Subscriber {
	return connection.Subscriber{Connection: id, Key: "key-of-" + id, Operation: operation, ClosesAt: time.Now().Add(time.Hour)}
}

func (w *world) join(all ...connection.Subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subs = append(w.subs, all...)
}

// shown is what a connection's client has: frames of a run that another one has replaced
// it passes over.
func (w *world) shown(id string) (last client.Preview) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var p client.Previews
	for _, f := range w.posted[id] {
		if now, ok := p.Take(f); ok {
			last = now
		}
	}
	return last
}

func (w *world) times(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.at[id])
}

// bubble runs a test whose time is synctest's.
func bubble(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t)) })
}

// pass lets time go by, and everything happen that is due.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

var step = preview.Step{Operation: "op", Round: 3, Attempt: 2, Run: 1}

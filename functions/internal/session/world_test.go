package session_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

var stream = eventstore.Stream{Tenant: "acme", Session: "s"}

var at = time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)

// world is a service over a log, with ids that count and a clock that stands.
type world struct {
	*session.Service
	t     *testing.T
	turns *turns
	round int // of what append adds; 1 if 0
	blobs *memory.Blobs
}

// door signs nothing: what it would let in is put into the blobs by hand.
type door struct{ *memory.Blobs }

func (d door) Stat(ctx context.Context, key eventstore.BlobKey) (int64, string, error) {
	b, err := d.GetBlob(ctx, key, 0, 1<<40)
	return int64(len(b)), "text/plain", err
}

func (d door) FetchURL(_ context.Context, key eventstore.BlobKey, method, mediaType, disposition string, _ time.Duration) (string, error) {
	return fmt.Sprint("fetch:", key, method, mediaType, disposition), nil
}

func (d door) StoreURL(_ context.Context, key eventstore.BlobKey, bytes int64, mediaType string, _ time.Duration) (string, map[string]string, error) {
	return fmt.Sprint("store:", key, bytes, mediaType), nil, nil
}

// turns notes who was started and woken.
type turns struct {
	mu      sync.Mutex
	started []execution.Turn
	woken   int
	err     error
}

func (f *turns) Start(_ context.Context, t execution.Turn) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, t)
	return f.err == nil, f.err
}

func (f *turns) Wake(context.Context, eventstore.Stream) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.woken++
	return f.err
}

func newWorld(t *testing.T) *world { return over(t, memory.New()) }

func over(t *testing.T, d eventstore.Driver) *world {
	t.Helper()
	w := &world{t: t, turns: &turns{}}
	var mu sync.Mutex
	n := 0
	w.blobs = memory.NewBlobs()
	j := eventstore.New(d, eventstore.WithBlobs(w.blobs))
	w.Service = &session.Service{
		Door: door{w.blobs}, Journal: j, Opened: &fold.Sessions{}, Agents: catalog(t, "demo", "other"), Turns: w.turns, Now: func() time.Time { return at },
		NewID: func(time.Time) string { mu.Lock(); defer mu.Unlock(); n++; return fmt.Sprint("id-", n) },
	}
	return w
}

// catalog deploys agents by name; the first is the default.
func catalog(t *testing.T, names ...string) *agent.Catalog {
	t.Helper()
	files := fstest.MapFS{}
	for _, n := range names {
		files[n+".yaml"] = &fstest.MapFile{Data: []byte("name: " + n + "\nmodel: {provider: scripted, name: demo}")}
	}
	c, err := agent.Read(files, names[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w *world) submit(id, prompt string) session.Receipt {
	w.t.Helper()
	r, err := w.Submit(w.t.Context(), stream, session.Submission{OperationID: id, Prompt: prompt})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// code submits and returns the public code of what went wrong.
func (w *world) code(sub session.Submission) fault.Code {
	w.t.Helper()
	r, err := w.Submit(w.t.Context(), stream, sub)
	if err == nil {
		w.t.Fatalf("submitting was answered with %+v; want an error", r)
	}
	return fault.Of(err).Code
}

func (w *world) events() (all []event.Event) {
	w.t.Helper()
	for c, err := range w.Journal.Read(w.t.Context(), stream, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, c.Events...)
	}
	return all
}

// accepted are the ids of operation.accepted in the log's order.
func (w *world) accepted() (ids []string) {
	w.t.Helper()
	for _, e := range w.events() {
		if _, ok := e.Data.(event.OperationAccepted); ok {
			ids = append(ids, e.Operation)
		}
	}
	return ids
}

// append adds one commit of the head operation's, as a driver would, and moves
// its row if that settles it.
func (w *world) append(payloads ...event.Payload) {
	w.t.Helper()
	state := turn.Fold(w.events())
	op := *state.Head()
	_, pos, err := w.Journal.Head(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	d := eventstore.Draft{By: "driver"}
	for i, p := range payloads {
		e := event.Event{Seq: pos.Seq() + uint64(i) + 1, At: event.At(at), Operation: op.ID, Round: max(w.round, 1), Data: p}
		d.Events = append(d.Events, e)
		state.Apply(e)
		row := index.Operation{ID: op.ID, Agent: op.Agent.Name, FirstSeq: op.FirstSeq, LastSeq: e.Seq, AcceptedAt: op.AcceptedAt, TraceID: op.TraceID}
		switch p := p.(type) {
		case event.OperationCompleted:
			row.Status = index.Completed
		case event.OperationFailed:
			row.Status, row.Error = index.Failed, &p.Error
		default:
			continue
		}
		d.Rows = []eventstore.Row{index.OperationRow(stream, row), index.SettledRow(stream, op.FirstSeq)}
	}
	d.Summary = state.Summary().Encode()
	if _, _, err := w.Journal.Append(w.t.Context(), pos, d); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) start() {
	w.append(event.OperationStarted{}, event.ModelStarted{Attempt: 1, Model: "scripted/demo"})
}
func (w *world) complete(out string) { w.append(event.OperationCompleted{Output: event.Text(out)}) }

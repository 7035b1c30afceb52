// Package sockets loses sockets, and the process behind them, in every way there
// is, and compares what followers saw with the log.
package sockets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// deployment is a stack whose address changes when its process is started again.
type deployment struct {
	published int
	*embedded.Stack
	at atomic.Pointer[client.Client]
}

func start(t *testing.T, env ...string) (context.Context, *deployment) {
	t.Helper()
	ctx := embedded.Context(t)
	d := &deployment{Stack: embedded.Start(t, env...)}
	d.moved()
	return ctx, d
}

func (d *deployment) moved() {
	c := d.Stack.Client()
	d.at.Store(&c)
}

// Client may be asked for while the process is replaced.
func (d *deployment) Client() client.Client { return *d.at.Load() }

// replace kills the process and starts another one on the same data.
func (d *deployment) replace() {
	d.Kill()
	d.Restart()
	d.moved()
}

// load is a stress prompt whose rounds have n calls of so many bytes.
func load(rounds, n, bytes, latency int) string {
	return fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":%d,"answerBytes":64,"latencyMs":%d}`, rounds, n, bytes, latency)
}

func submit(ctx context.Context, t *testing.T, c client.Client, session, id, prompt string) {
	t.Helper()
	if _, err := c.Submit(ctx, session, client.Submission{Prompt: prompt, OperationID: id, Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
}

func put(ctx context.Context, t *testing.T, c client.Client, session, path string) {
	t.Helper()
	if _, _, err := c.PutFile(ctx, session, path, []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
}

var errEnough = errors.New("enough")

// A following runs beside the test.
type following struct {
	client.Follower
	seen []json.RawMessage // read it after wait
	last atomic.Uint64     // the last seq of those seen
	done chan error
}

// follow begins to follow until an event is the last.
func follow(ctx context.Context, f client.Follower, last func(client.Event) bool) *following {
	g := &following{Follower: f, done: make(chan error, 1)}
	see := f.See
	g.See = func(e client.Event, raw []byte) error {
		g.seen = append(g.seen, raw)
		g.last.Store(e.Seq)
		if see != nil {
			_ = see(e, raw) // watches only
		}
		if last(e) {
			return errEnough
		}
		return nil
	}
	go func() { g.done <- g.Run(ctx) }()
	return g
}

// wait returns when the following has seen its last event, and compares what it saw
// with the log.
func (g *following) wait(ctx context.Context, t *testing.T) {
	t.Helper()
	if err := <-g.done; !errors.Is(err, errEnough) {
		t.Errorf("the following ended after %d events: %v", len(g.seen), err)
		return
	}
	log, err := g.Client().RawEvents(ctx, g.Session, g.Operation)
	if err != nil {
		t.Fatal(err)
	}
	for i := range max(len(log), len(g.seen)) {
		if i >= len(log) || i >= len(g.seen) || !bytes.Equal(log[i], g.seen[i]) {
			t.Errorf("the follower saw %d events, the log has %d; they differ from number %d on", len(g.seen), len(log), i+1)
			return
		}
	}
}

// calm is a follower's Quiet where it is to get by without asking. It is far longer
// than a turn here takes, and within the test's time if something was lost after all.
const calm = 30 * time.Second

// came looks, after wait, whether most events came by themselves.
func (g *following) came(t *testing.T) {
	t.Helper()
	if n := g.Live(); 2*n <= len(g.seen) {
		t.Errorf("%d of %d events came live", n, len(g.seen))
	}
}

// verify looks at the whole log of a session.
func verify(ctx context.Context, t *testing.T, c client.Client, session string) checker.Report {
	t.Helper()
	events, err := c.Events(ctx, session, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := checker.Check(events)
	for _, v := range r.Violations {
		t.Error(v)
	}
	return r
}

func completed(id string) func(client.Event) bool {
	return func(e client.Event) bool { return e.Type == "operation.completed" && e.OperationID == id }
}

// written is true of the write of a file by a client.
func written(path string) func(client.Event) bool {
	return func(e client.Event) bool {
		var d struct{ Path string }
		return e.Type == "workspace.written" && json.Unmarshal(e.Data, &d) == nil && d.Path == path
	}
}

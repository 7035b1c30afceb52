package crash

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

func cancel(ctx context.Context, t *testing.T, s *embedded.Stack, session, id string) (o client.Operation) {
	t.Helper()
	if _, err := s.Client().Do(ctx, http.MethodPost, "/v1/sessions/"+session+"/operations/"+id+"/cancel", nil, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// failures 5: a cancel ends the turn within two seconds, wherever it is, and the
// session takes the next prompt as if nothing had been.
func TestACancelEndsTheTurnWhereverItIs(t *testing.T) {
	ctx := embedded.Context(t)
	// A provider that is not there: each attempt fails, and the next one waits.
	s := embedded.Start(t, synced, "OPENAI_BASE_URL=http://127.0.0.1:1/v1", "OPENAI_API_KEY=none")
	for name, c := range map[string]struct {
		agent, prompt, until string
		before               int // operations before it in the queue
	}{
		"queued":             {"stress", load(0, 0, 0), "operation.started", 1},
		"model":              {"stress", load(1, 1, 40_000), "model.started", 0},
		"between-the-tries":  {"coder", "hello", "model.failed", 0},
		"rounds":             {"stress", load(100, 4, 5), "tool.completed", 0},
		"just-accepted":      {"stress", load(100, 4, 5), "operation.accepted", 0},
		"as-its-turn-begins": {"stress", load(100, 4, 5), "operation.started", 0},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range c.before {
				submit(ctx, t, s, name, fmt.Sprint("before-", i), load(1, 1, 3_000))
			}
			if _, err := s.Client().Submit(ctx, name, client.Submission{Prompt: c.prompt, OperationID: "op", Agent: c.agent}); err != nil {
				t.Fatal(err)
			}
			until(ctx, t, s, name, c.until, 1)
			cancel(ctx, t, s, name, "op")
			if o := ends(ctx, t, s, name, "op"); o.Status != "cancelled" {
				t.Fatalf("%+v", o)
			}
			submit(ctx, t, s, name, "next", load(1, 2, 0))
			if o := ends(ctx, t, s, name, "next"); o.Status != "completed" {
				t.Fatalf("the next one: %+v", o)
			}
			wantCancelled(t, log(ctx, t, s, name), settled)
		})
	}
}

// wantCancelled: the log says that op was cancelled in time.
func wantCancelled(t *testing.T, events []client.Event, within time.Duration) {
	t.Helper()
	asked, done := events[of(t, events, "op", "operation.cancel_requested", 1)], events[of(t, events, "op", "operation.cancelled", 1)]
	took := done.At.Sub(asked.At)
	if took > within {
		t.Errorf("cancelled %s after it was asked, want it within %s", took, within)
	}
	t.Logf("cancelled %s after it was asked", took.Round(time.Millisecond))
}

// failures 29: the driver is dead when the cancel comes, or dies of a kill right
// after it. The operation does not stay in between, nor does the queue behind it.
func TestACancelOutlivesTheDriver(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	for _, session := range []string{"killed-before", "killed-after"} {
		t.Run(session, func(t *testing.T) {
			submit(ctx, t, s, session, "op", load(1, 1, 40_000))
			submit(ctx, t, s, session, "next", load(1, 2, 0))
			until(ctx, t, s, session, "model.started", 1)
			if session == "killed-after" {
				cancel(ctx, t, s, session, "op")
			}
			s.Kill()
			s.Restart()
			up := time.Now()
			if session == "killed-before" {
				cancel(ctx, t, s, session, "op")
			}
			if o := ends(ctx, t, s, session, "op"); o.Status != "cancelled" {
				t.Fatalf("%+v", o)
			}
			if o := ends(ctx, t, s, session, "next"); o.Status != "completed" {
				t.Fatalf("the next one: %+v", o)
			}
			events := log(ctx, t, s, session)
			wantSoon(t, events[of(t, events, "op", "operation.cancelled", 1)], up)
		})
	}
}

// A cancel that overtakes its submission, and one that comes too late.
func TestACancelBeforeTheSubmissionAndAfterTheEnd(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	if o := cancel(ctx, t, s, "s", "op"); o.Status != "cancelled" {
		t.Errorf("before it came: %+v", o)
	}
	s.Kill()
	s.Restart()
	submit(ctx, t, s, "s", "op", load(1, 1, 0))
	submit(ctx, t, s, "s", "done", load(1, 1, 0))
	ends(ctx, t, s, "s", "done")
	if o := cancel(ctx, t, s, "s", "done"); o.Status != "completed" {
		t.Errorf("after the end: %+v", o)
	}
	if r := verify(t, log(ctx, t, s, "s")); r.Operations["op"].Accepted != 0 || r.Operations["op"].Status != "cancelled" {
		t.Errorf("%+v", r.Operations["op"])
	}
}

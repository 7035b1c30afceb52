package sockets

import (
	"context"
	"net/http"
	"testing"
	"time"

	"windlass/tests/client"
)

type process struct {
	PID       int
	StartedAt time.Time
}

// The process replaces itself in mid-turn: to its caller a restart, to everyone
// else a kill.
func TestARestartInMidTurnLosesNothing(t *testing.T) {
	ctx, d := start(t)
	c := d.Client()
	submit(ctx, t, c, "s", "op", load(60, 2, 64, 30))
	before, err := described(ctx, c)
	if err != nil || before.PID != d.Endpoints.PID {
		t.Fatalf("%+v, %v", before, err)
	}
	reached := make(chan client.Event, 1)
	f := follow(ctx, client.Follower{Client: d.Client, Session: "s", Quiet: calm, See: func(e client.Event, _ []byte) error {
		if e.Seq == 100 {
			reached <- e
		}
		return nil
	}}, completed("op"))
	select {
	case <-reached:
	case err := <-f.done:
		t.Fatal(err)
	}
	var answer process
	if _, err := c.Do(ctx, http.MethodPost, "/_local/restart", nil, &answer); err != nil || answer.PID != before.PID {
		t.Fatalf("%+v, %v", answer, err)
	}
	after := before
	for !after.StartedAt.After(before.StartedAt) { // it is away for a moment
		if got, err := described(ctx, c); err == nil {
			after = got
		} else if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	if after.PID != before.PID {
		t.Errorf("pid %d became %d", before.PID, after.PID)
	}
	f.wait(ctx, t)
	f.came(t)
	op := verify(ctx, t, c, "s").Operations["op"]
	if op.Status != "completed" || op.Rounds != 61 || op.ModelAnswers != 61 || op.Results != 120 {
		t.Errorf("%+v", op)
	}
	if o, err := c.Operation(ctx, "s", "op", 0); err != nil || o.SettledAt == nil || !o.SettledAt.After(after.StartedAt) {
		t.Errorf("settled at %v, and the process began at %v: nothing was tested; %v", o.SettledAt, after.StartedAt, err)
	}
}

func described(ctx context.Context, c client.Client) (p process, err error) {
	_, err = c.Do(ctx, http.MethodGet, "/_local", nil, &p)
	return p, err
}

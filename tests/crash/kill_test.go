// Package crash kills the real process, at the worst moments, and looks at the
// log afterwards.
package crash

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// synced: each commit is on the disk before it is acknowledged, as it would be
// where power can fail.
const synced = "WINDLASS_SYNC=1"

// load is a stress prompt.
func load(rounds, calls, latency int) string {
	return fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":64,"answerBytes":16,"reasoningBytes":8,"latencyMs":%d}`, rounds, calls, latency)
}

// progress waits until the session has more than n events, and returns them.
func progress(ctx context.Context, t *testing.T, c client.Client, session string, n int) []client.Event {
	t.Helper()
	for {
		var page struct{ Events []client.Event }
		if _, err := c.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/events?after=%d&limit=1&wait=20", session, n), nil, &page); err != nil {
			t.Fatal(err)
		}
		if len(page.Events) == 0 {
			continue
		}
		events, err := c.Events(ctx, session, 0)
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
}

// samePrefix: a log only ever grows.
func samePrefix(t *testing.T, before, after []client.Event) {
	t.Helper()
	if len(after) < len(before) {
		t.Fatalf("%d events are left of %d", len(after), len(before))
	}
	for i := range before {
		a, _ := json.Marshal(before[i])
		b, _ := json.Marshal(after[i])
		if !bytes.Equal(a, b) {
			t.Fatalf("event %d was changed:\n%s\n%s", i+1, a, b)
		}
	}
}

func verify(t *testing.T, events []client.Event) checker.Report {
	t.Helper()
	r := checker.Check(events)
	for _, v := range r.Violations {
		t.Error(v)
	}
	return r
}

func TestKillingTheProcessManyTimesInOneTurn(t *testing.T) {
	const kills, rounds, calls = 10, 127, 3 // 128 rounds, with the answer
	const apart = 10 * rounds / (kills + 1) // a round is ten events
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: load(rounds, calls, 20), OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	var seen []client.Event
	for i := range kills {
		events := progress(ctx, t, s.Client(), "s", i*apart+rand.N(apart))
		samePrefix(t, seen, events)
		seen = events
		s.Kill()
		t.Logf("kill %d at seq %d", i+1, len(seen))
		s.Restart()
	}
	o, err := s.Client().Wait(ctx, "s", "op")
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Client().Events(ctx, "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	samePrefix(t, seen, events)
	op := verify(t, events).Operations["op"]
	if o.Status != "completed" || op.Rounds != rounds+1 || op.ModelAnswers != rounds+1 || op.Results != rounds*calls {
		t.Fatalf("%s %+v", o.Status, op)
	}
	if op.Takeovers+op.Generations == 0 {
		t.Error("no kill hit the turn: nothing was tested")
	}
	t.Logf("%d takeovers, %d generations, %d model calls for %d rounds", op.Takeovers, op.Generations, o.Usage.ModelCalls, op.Rounds)
}

// The process dies right after it acknowledged: whether the start came through
// or was lost, the turn is driven without anyone asking.
func TestKillRightAfterTheReceipt(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	for i := range 6 {
		id := fmt.Sprint("op-", i)
		if _, err := s.Client().Submit(ctx, id, client.Submission{Prompt: load(2, 2, 0), OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
		s.Kill()
		s.Restart()
	}
	for i := range 6 {
		id := fmt.Sprint("op-", i)
		o, err := s.Client().Wait(ctx, id, id)
		if err != nil || o.Status != "completed" {
			t.Fatalf("%s: %+v, %v", id, o, err)
		}
		events, err := s.Client().Events(ctx, id, 0)
		if err != nil {
			t.Fatal(err)
		}
		verify(t, events)
	}
}

func TestQueueGoesOnByItselfThroughKills(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	const operations = 6
	for i := range operations {
		if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: load(5, 2, 10), OperationID: fmt.Sprint("op-", i), Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
	}
	seen := 0
	for range 3 {
		seen = len(progress(ctx, t, s.Client(), "s", seen+20))
		s.Kill()
		s.Restart()
	}
	for i := range operations {
		if o, err := s.Client().Wait(ctx, "s", fmt.Sprint("op-", i)); err != nil || o.Status != "completed" {
			t.Fatalf("op-%d: %+v, %v", i, o, err)
		}
	}
	events, err := s.Client().Events(ctx, "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(verify(t, events).Operations); n != operations {
		t.Errorf("%d operations in the log", n)
	}
}

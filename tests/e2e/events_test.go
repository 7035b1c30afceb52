package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
)

func TestEventsAreDenseAndFiniteWhileATurnRuns(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":30,"callsPerRound":2,"toolBytes":50,"latencyMs":5}`, OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	for settled := false; !settled; {
		o, err := l.Operation(ctx, s, "op", 0)
		if err != nil {
			t.Fatal(err)
		}
		settled = o.Settled()
		events, err := l.Events(ctx, s, 0) // comes to an end each time
		if err != nil {
			t.Fatal(err)
		}
		if uint64(len(events)) < o.AsOfSeq {
			t.Fatalf("the snapshot was as of %d, the log has %d events", o.AsOfSeq, len(events))
		}
		for _, v := range checker.Check(events).Violations {
			t.Error(v)
		}
	}
	all, err := l.Events(ctx, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{1, 7, len(all) - 1, len(all), len(all) + 5} {
		part, err := l.Events(ctx, s, uint64(after))
		if err != nil || len(part) != max(0, len(all)-after) || len(part) > 0 && part[0].Seq != uint64(after+1) {
			t.Errorf("after %d of %d: %d events, %v", after, len(all), len(part), err)
		}
	}
}

func TestEventsOfOneOperation(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for _, id := range []string{"a", "b"} {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Wait(ctx, s, "b"); err != nil {
		t.Fatal(err)
	}
	var page struct{ Events []client.Event }
	if _, err := l.Do(ctx, http.MethodGet, "/v1/sessions/"+s+"/events?operationId=b&limit=1000", nil, &page); err != nil {
		t.Fatal(err)
	}
	if n := len(page.Events); n != 14 {
		t.Errorf("%d events of b", n)
	}
	for _, e := range page.Events {
		if e.OperationID != "b" {
			t.Errorf("an event of %q", e.OperationID)
		}
	}
	for _, query := range []string{"after=-1", "after=x", "limit=0", "limit=1001", "after=1&after=2"} {
		_, err := l.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/events?%s", s, query), nil, nil)
		problem(t, err, http.StatusBadRequest, "invalid_request")
	}
}

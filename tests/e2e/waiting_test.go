package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"windlass/tests/client"
)

// HTTP's way to follow: the answer waits until there is something.
func TestWaitingForEvents(t *testing.T) {
	ctx, l := open(t)
	s := session()
	put(ctx, t, l.Client, s, "/a")
	type page struct {
		Events  []client.Event
		LastSeq uint64
	}
	wait := func(after, seconds int, query string) (p page) {
		t.Helper()
		if _, err := l.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/events?after=%d&wait=%d%s", s, after, seconds, query), nil, &p); err != nil {
			t.Error(err)
		}
		return p
	}
	if p := wait(0, 20, ""); len(p.Events) != 2 || p.LastSeq != 2 {
		t.Errorf("with a backlog: %+v", p)
	}
	if p := wait(2, 1, ""); p.Events == nil || len(p.Events) != 0 || p.LastSeq != 2 {
		t.Errorf("with nothing: %+v", p)
	}
	answered := make(chan page, 1)
	go func() { answered <- wait(2, 20, "") }()
	put(ctx, t, l.Client, s, "/b")
	if p := <-answered; len(p.Events) != 1 || p.Events[0].Seq != 3 {
		t.Errorf("%+v", p)
	}
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":0,"latencyMs":200}`, OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	for after, last := 3, ""; last != "operation.completed"; {
		p := wait(after, 20, "&operationId=op")
		for _, e := range p.Events {
			if e.OperationID != "op" || int(e.Seq) <= after {
				t.Fatalf("after %d: %+v", after, e)
			}
			after, last = int(e.Seq), e.Type
		}
		if len(p.Events) == 0 {
			t.Fatalf("twenty seconds passed after seq %d", after)
		}
	}
	for _, query := range []string{"wait=-1", "wait=21", "wait=x", "wait=1&wait=2"} {
		_, err := l.Do(ctx, http.MethodGet, "/v1/sessions/"+s+"/events?"+query, nil, nil)
		problem(t, err, http.StatusBadRequest, "invalid_request")
	}
}

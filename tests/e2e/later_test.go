package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"windlass/tests/client"
)

// A schedule waits for its time and then submits its prompt, once; it is cancelled like
// any other operation.
func TestAScheduleSubmitsItsPrompt(t *testing.T) {
	t.Parallel()
	ctx, l := open(t)
	ctx, cancel := context.WithTimeout(ctx, 40*time.Second) // a wait that does not end is known soon
	defer cancel()
	s := session()
	schedule := func(at time.Time, operation string) string {
		t.Helper()
		b, err := json.Marshal(map[string]string{"at": at.UTC().Format(time.RFC3339), "session": s, "operationId": operation, "agent": "demo", "prompt": "write a poem to /poem.md"})
		if err != nil {
			t.Fatal(err)
		}
		waits := s + "." + operation
		if _, err := l.Submit(ctx, waits, client.Submission{Prompt: string(b), OperationID: "wait", Agent: "schedule"}); err != nil {
			t.Fatal(err)
		}
		return waits
	}
	at := time.Now().Add(4 * time.Second)
	waits, never := schedule(at, "later"), schedule(time.Now().Add(24*time.Hour), "never")
	parked := errors.New("it waits")
	if err := l.Follow(ctx, never, "wait", 0, func(e client.Event) error {
		if e.Type == "tool.deferred" {
			return parked
		}
		return nil
	}); !errors.Is(err, parked) {
		t.Fatal(err)
	}
	if o, err := l.Cancel(ctx, never, "wait"); err != nil || o.Status != "cancelled" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := l.Wait(ctx, waits, "wait"); err != nil || o.Status != "completed" || !strings.Contains(*o.Output, "Submitted to session "+s) {
		t.Fatalf("%+v, %v", o, err)
	}
	events, err := l.Events(ctx, waits, 0)
	if err != nil {
		t.Fatal(err)
	}
	var began []time.Time
	for _, e := range events {
		if e.Type == "tool.started" {
			began = append(began, e.At)
		}
	}
	// Some seconds are a machine's; a wait that is retried as a failure would be many times itself.
	if len(began) != 3 || began[1].Sub(at) > 10*time.Second {
		t.Errorf("it waited until %s, for %s", began, at)
	}
	o, err := l.Wait(ctx, s, "later")
	if err != nil || o.Status != "completed" || o.AcceptedAt.Before(at.Truncate(time.Second)) {
		t.Errorf("%+v, %v; not before %s", o, err, at)
	}
	_, err = l.Operation(ctx, s, "never", 0)
	problem(t, err, http.StatusNotFound, "not_found")
}

// A callback URL that is none opens nothing, and says nothing.
func TestACallbackURLThatIsNone(t *testing.T) {
	t.Parallel()
	ctx, l := open(t)
	for _, token := range []string{"x", "e30.AAAA", strings.Repeat("a", 2000)} {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.URL+"/v1/callbacks/"+token, strings.NewReader(`{"output":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != http.StatusNotFound {
			t.Errorf("%.20s: %d", token, res.StatusCode)
		}
	}
}

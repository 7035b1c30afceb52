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

// soon is within which a turn goes on by itself, and settled within which a cancel is
// done where a driver lives. Both are compared with the times that the log keeps.
const (
	soon    = 3 * time.Second
	settled = 2 * time.Second
)

// log is a session's log, verified.
func log(ctx context.Context, t *testing.T, s *embedded.Stack, session string) []client.Event {
	t.Helper()
	events, err := s.Client().Events(ctx, session, 0)
	if err != nil {
		t.Fatal(err)
	}
	verify(t, events)
	return events
}

// until waits for the n-th event of a type, and returns it.
func until(ctx context.Context, t *testing.T, s *embedded.Stack, session, kind string, n int) client.Event {
	t.Helper()
	for after := uint64(0); ; {
		var page struct{ Events []client.Event }
		if _, err := s.Client().Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/%s/events?after=%d&wait=10", session, after), nil, &page); err != nil {
			t.Fatalf("while waiting for %s after seq %d: %v", kind, after, err)
		}
		for _, e := range page.Events {
			after = e.Seq
			if e.Type != kind {
				continue
			}
			if n--; n == 0 {
				return e
			}
		}
	}
}

// of finds an operation's n-th event of a type in a log.
func of(t *testing.T, events []client.Event, operation, kind string, n int) (i int) {
	t.Helper()
	for i, e := range events {
		if e.OperationID == operation && e.Type == kind {
			if n--; n == 0 {
				return i
			}
		}
	}
	t.Fatalf("%s has no %s in the log", operation, kind)
	return 0
}

// ends waits until an operation has ended in any way.
func ends(ctx context.Context, t *testing.T, s *embedded.Stack, session, id string) client.Operation {
	t.Helper()
	for {
		o, err := s.Client().Operation(ctx, session, id, 20)
		if err != nil {
			t.Fatal(err)
		}
		if o.Settled() || o.Status == "cancelled" {
			return o
		}
	}
}

func submit(ctx context.Context, t *testing.T, s *embedded.Stack, session, id, prompt string) {
	t.Helper()
	if _, err := s.Client().Submit(ctx, session, client.Submission{Prompt: prompt, OperationID: id, Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
}

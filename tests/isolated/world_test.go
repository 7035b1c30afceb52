//go:build unix

// Package isolated runs the functions' real executables as processes of their own,
// and kills them one by one, where tests/crash kills everything at once.
package isolated

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

func TestMain(m *testing.M) {
	code := m.Run()
	embedded.Remove()
	os.Exit(code)
}

func start(t *testing.T) (context.Context, *embedded.Stack) {
	t.Helper()
	env := embedded.Isolated(t) // before the clock runs: it builds
	return embedded.Context(t), embedded.Start(t, env...)
}

// load is a stress prompt.
func load(rounds, calls, latency int) client.Submission {
	prompt := fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":64,"answerBytes":16,"latencyMs":%d}`, rounds, calls, latency)
	return client.Submission{Prompt: prompt, OperationID: "op", Agent: "stress"}
}

// A process is what /_local says of the stack.
type process struct {
	PID       int
	StartedAt time.Time
	Children  []child
}

type child struct {
	Function string
	PID      int
	Busy     bool
}

func described(ctx context.Context, t *testing.T, s *embedded.Stack) process {
	t.Helper()
	var p process
	if _, err := s.Client().Do(ctx, http.MethodGet, "/_local", nil, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// busy is the number of a process of a function that has an invocation, or 0 if
// the function's work ended before there was one.
func busy(ctx context.Context, t *testing.T, s *embedded.Stack, function string, ended <-chan error) (pid int) {
	t.Helper()
	find(ctx, t, s, func(c child) bool {
		if c.Function == "windlass-"+function && c.Busy {
			pid = c.PID
		}
		return pid != 0 || len(ended) > 0
	})
	return pid
}

// find looks at the stack's processes until it is enough.
func find(ctx context.Context, t *testing.T, s *embedded.Stack, enough func(child) bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !slices.ContainsFunc(described(ctx, t, s).Children, enough) {
		<-tick.C
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		t.Fatal(err)
	}
}

// progress waits until the session's log goes on after a seq, and returns all of it.
func progress(ctx context.Context, t *testing.T, c client.Client, after int) []client.Event {
	t.Helper()
	for {
		var page struct{ LastSeq int }
		if _, err := c.Do(ctx, http.MethodGet, fmt.Sprintf("/v1/sessions/s/events?after=%d&limit=1&wait=20", after), nil, &page); err != nil {
			t.Fatal(err)
		}
		if page.LastSeq > after {
			return events(ctx, t, c, "s")
		}
	}
}

func events(ctx context.Context, t *testing.T, c client.Client, session string) []client.Event {
	t.Helper()
	all, err := c.Events(ctx, session, 0)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// verified waits for op, and checks the whole log of its session.
func verified(ctx context.Context, t *testing.T, c client.Client, session string) *checker.Operation {
	t.Helper()
	o, err := c.Wait(ctx, session, "op")
	if err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	r := checker.Check(events(ctx, t, c, session))
	for _, v := range r.Violations {
		t.Error(v)
	}
	return r.Operations["op"]
}

// samePrefix: a log only ever grows.
func samePrefix(t *testing.T, before, after []client.Event) {
	t.Helper()
	if len(after) < len(before) {
		t.Fatalf("%d events are left of %d", len(after), len(before))
	}
	if diff := cmp.Diff(before, after[:len(before)], cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("the log was changed: %s", diff)
	}
}

//go:build unix

package isolated

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

var errSeen = errors.New("seen")

// follow follows the session over sockets until op has settled. Read the events
// when it has ended.
func follow(ctx context.Context, s *embedded.Stack) (seen *[]client.Event, ended chan error) {
	seen, ended = &[]client.Event{}, make(chan error, 1)
	go func() {
		ended <- s.Client().Follow(ctx, "s", "", 0, func(e client.Event) error {
			*seen = append(*seen, e)
			if e.Type == "operation.completed" || e.Type == "operation.failed" {
				return errSeen
			}
			return nil
		})
	}()
	return seen, ended
}

// sawAll: over sockets a client sees the log, each event once and in order.
func sawAll(ctx context.Context, t *testing.T, c client.Client, seen *[]client.Event, ended chan error) {
	t.Helper()
	if err := <-ended; !errors.Is(err, errSeen) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(events(ctx, t, c, "s"), *seen); diff != "" {
		t.Error(diff)
	}
}

// One prompt's whole way: every function is a process, and the console's page,
// the files and the sockets are there.
func TestTheDemoRunsInProcesses(t *testing.T) {
	ctx, s := start(t)
	c := s.Client()
	const prompt = "write a short README to /codex/result.txt and read it back"
	first, err := c.Submit(ctx, "s", client.Submission{Prompt: prompt, OperationID: "op"})
	if err != nil || !first.Accepted {
		t.Fatalf("%+v, %v", first, err)
	}
	seen, ended := follow(ctx, s)
	if op := verified(ctx, t, c, "s"); op.Rounds != 3 || op.Writes != 1 {
		t.Errorf("%+v", op)
	}
	sawAll(ctx, t, c, seen, ended)
	if again, err := c.Submit(ctx, "s", client.Submission{Prompt: prompt, OperationID: "op"}); err != nil || again.Accepted || again.OperationID != first.OperationID {
		t.Errorf("%+v, %v", again, err)
	}
	file, err := c.GetFile(ctx, "s", "/codex/result.txt")
	if err != nil || !strings.Contains(string(file.Body), "README") {
		t.Errorf("%q, %v", file.Body, err)
	}
	p := described(ctx, t, s)
	for _, function := range []string{"api", "socket", "drive", "dispatch", "publish"} { // recover's minute has not come
		if !slices.ContainsFunc(p.Children, func(c child) bool { return c.Function == "windlass-"+function && c.PID != p.PID }) {
			t.Errorf("there is no process of %s: %+v", function, p)
		}
	}
}

// What is large goes past the functions, in and out; a socket takes a submission
// as HTTP does.
func TestUploadsAndSubmissionsOverASocket(t *testing.T) {
	ctx, s := start(t)
	c := s.Client()
	data := []byte(strings.Repeat("x", 3<<20))
	id, err := c.Upload(ctx, "s", "big.txt", data)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := c.PutUpload(ctx, "s", "/big.txt", id); err != nil || f.Bytes != int64(len(data)) {
		t.Fatalf("%+v, %v", f, err)
	}
	if got, err := c.GetFile(ctx, "s", "/big.txt"); err != nil || len(got.Body) != len(data) {
		t.Errorf("%d bytes, %v", len(got.Body), err)
	}
	socket, err := c.Dial(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	l := load(2, 2, 0)
	if err := socket.Send(ctx, map[string]any{"type": "submit", "id": "1", "session": "s", "prompt": l.Prompt, "operationId": "op", "agent": l.Agent}); err != nil {
		t.Fatal(err)
	}
	if f, err := socket.Until(ctx, "result"); err != nil || f.Receipt == nil || !f.Receipt.Accepted {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	if op := verified(ctx, t, c, "s"); op.Rounds != 3 || op.Results != 4 {
		t.Errorf("%+v", op)
	}
}

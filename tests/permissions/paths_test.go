package permissions

import (
	"net/http"
	"strings"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// What no other suite does, so that a recording has it: a turn that waits for a person
// is cancelled over a socket.
func TestAWaitingTurnIsCancelledOverASocket(t *testing.T) {
	ctx := embedded.Context(t)
	c := embedded.Start(t).Client()
	if _, err := c.Submit(ctx, "s", client.Submission{OperationID: "o", Agent: "careful", Prompt: "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	if o, err := c.Waiting(ctx, "s", "o"); err != nil || o.Status != "waiting" {
		t.Fatalf("%+v, %v", o, err)
	}
	socket, err := c.Dial(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := socket.Send(ctx, map[string]any{"type": "cancel", "id": "1", "session": "s", "operationId": "o"}); err != nil {
		t.Fatal(err)
	}
	if f, err := socket.Until(ctx, "result"); err != nil || f.ID != "1" {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	if o, err := c.Wait(ctx, "s", "o"); err != nil || o.Status != "cancelled" {
		t.Errorf("%+v, %v", o, err)
	}
}

// A session that has a retention goes on, over HTTP and over a socket.
func TestRetainedSessionsGoOn(t *testing.T) {
	ctx := embedded.Context(t)
	c := embedded.Start(t).Client()
	settled := func(id string) {
		t.Helper()
		if o, err := c.Wait(ctx, "s", id); err != nil || o.Status != "completed" {
			t.Fatalf("%+v, %v", o, err)
		}
	}
	if _, err := c.Submit(ctx, "s", client.Submission{OperationID: "first", Prompt: "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	settled("first")
	a, err := c.Send(ctx, http.MethodPut, "/v1/sessions/s/retention", nil, []byte(`{"retention":"30d"}`))
	if err != nil || a.Status != http.StatusOK || !strings.Contains(string(a.Body), `"expiresAt"`) {
		t.Fatalf("%d %s, %v", a.Status, a.Body, err)
	}
	if _, err := c.Submit(ctx, "s", client.Submission{OperationID: "second", Prompt: "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	settled("second")
	socket, err := c.Dial(ctx, "s")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := socket.Send(ctx, map[string]any{"type": "submit", "id": "1", "session": "s", "operationId": "third", "prompt": "write a poem to /poem.md and read it back"}); err != nil {
		t.Fatal(err)
	}
	if f, err := socket.Until(ctx, "result"); err != nil || f.ID != "1" {
		t.Fatalf("%s, %v", f.Raw, err)
	}
	settled("third")
}

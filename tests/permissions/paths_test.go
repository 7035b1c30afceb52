package permissions

import (
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

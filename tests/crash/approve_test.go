package crash

import (
	"strings"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// A turn that waits for a person waits through kills, and goes on by their word.
func TestAnApprovalIsWaitedForThroughKills(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: "write a poem to /poem.md and read it back", OperationID: "op", Agent: "careful"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if o, err := s.Client().Waiting(ctx, "s", "op"); err != nil || o.Status != "waiting" || len(o.Approvals) != 1 {
			t.Fatalf("%+v, %v", o, err)
		}
		s.Kill()
		s.Restart()
	}
	if _, err := s.Client().Decide(ctx, "s", "op", "1.0", map[string]any{"decision": "approve"}); err != nil {
		t.Fatal(err)
	}
	s.Kill() // right behind the answer
	s.Restart()
	o, err := s.Client().Wait(ctx, "s", "op")
	if err != nil || o.Status != "completed" || !strings.Contains(*o.Output, "# poem") {
		t.Errorf("%+v, %v", o, err)
	}
	events := log(ctx, t, s, "s")
	for _, v := range checker.Check(events).Violations {
		t.Error(v)
	}
	asked := 0
	for _, e := range events {
		if e.Type == "approval.requested" {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

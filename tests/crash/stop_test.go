package crash

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// Somebody stops the execution from outside, again and again: the turn goes on
// in a new one each time, and the driver that still runs is fenced.
func TestExecutionStoppedFromOutside(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	steps := turns{sfn.NewFromConfig(s.AWS(ctx)), s.Endpoints.StateMachines["TurnStateMachine"]}
	if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: load(40, 2, 20), OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	seen := 2
	for i := range 3 {
		progress(ctx, t, s.Client(), "s", seen+10)
		e := steps.execution(ctx, t, types.ExecutionStatusRunning)
		if _, err := steps.StopExecution(ctx, &sfn.StopExecutionInput{ExecutionArn: e.ExecutionArn}); err != nil {
			t.Fatal(err)
		}
		seen = goneOn(ctx, t, s.Client(), "s", i+1)
	}
	o, err := s.Client().Wait(ctx, "s", "op")
	if err != nil || o.Status != "completed" {
		t.Fatalf("%+v, %v", o, err)
	}
	events, err := s.Client().Events(ctx, "s", 0)
	if err != nil {
		t.Fatal(err)
	}
	op := verify(t, events).Operations["op"]
	if op.Generations < 3 || op.ModelAnswers != 41 || op.Results != 80 {
		t.Errorf("%+v", op)
	}
	t.Logf("%d generations, %d takeovers, settled %s after the first stop's prompt was accepted", op.Generations, op.Takeovers, o.SettledAt.Sub(o.AcceptedAt).Round(time.Millisecond))
}

// goneOn waits until the n-th new execution has made progress: those that make none
// are spaced by minutes. It returns how long the log is then.
func goneOn(ctx context.Context, t *testing.T, c client.Client, session string, n int) int {
	t.Helper()
	for seen := 0; ; {
		events := progress(ctx, t, c, session, seen)
		seen = len(events)
		generations := 0
		for _, e := range events {
			switch {
			case e.Type == "operation.resumed" && strings.Contains(string(e.Data), `"generation"`) && !strings.Contains(string(e.Data), `"takeover"`):
				generations++
			case e.Type == "model.completed" && generations == n:
				return seen
			}
		}
	}
}

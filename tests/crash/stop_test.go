package crash

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
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
	steps := sfn.NewFromConfig(s.AWS(ctx))
	if _, err := s.Client().Submit(ctx, "s", client.Submission{Prompt: load(40, 2, 20), OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	seen := 2
	for range 3 {
		seen = len(progress(ctx, t, s.Client(), "s", seen+10))
		list, err := steps.ListExecutions(ctx, &sfn.ListExecutionsInput{
			StateMachineArn: aws.String(s.Endpoints.StateMachines["TurnStateMachine"]), StatusFilter: types.ExecutionStatusRunning,
		})
		if err != nil || len(list.Executions) != 1 {
			t.Fatalf("running executions: %+v, %v", list, err)
		}
		if _, err := steps.StopExecution(ctx, &sfn.StopExecutionInput{ExecutionArn: list.Executions[0].ExecutionArn}); err != nil {
			t.Fatal(err)
		}
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

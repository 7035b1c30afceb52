package e2e

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// How many rounds one invocation runs is a matter of cost, not of meaning.
func TestRoundsPerTaskLeavesTheSameEvents(t *testing.T) {
	if os.Getenv("WINDLASS_TEST_URL") != "" {
		t.Skip("compares two settings of a stack that the test starts itself")
	}
	var logs [2][]client.Event
	for i, env := range []string{"ROUNDS_PER_TASK=0", "ROUNDS_PER_TASK=1"} {
		ctx := embedded.Context(t)
		s := embedded.Start(t, env)
		c := s.Client()
		if _, err := c.Submit(ctx, "s", client.Submission{Prompt: `{"rounds":20,"callsPerRound":3,"toolBytes":100,"answerBytes":9,"reasoningBytes":20}`, OperationID: "op", Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
		if o, err := c.Wait(ctx, "s", "op"); err != nil || o.Status != "completed" {
			t.Fatalf("%s: %+v, %v", env, o, err)
		}
		events, err := c.Events(ctx, "s", 0)
		if err != nil {
			t.Fatal(err)
		}
		logs[i] = withoutTimes(t, events)
		if n, want := drives(ctx, t, s), []int{1, 21}[i]; n != want {
			t.Errorf("%s: %d invocations, want %d", env, n, want)
		}
	}
	if d := cmp.Diff(logs[0], logs[1]); d != "" {
		t.Errorf("events differ (-as many as time allows +one):\n%s", d)
	}
}

// drives counts the state machine's entries of Drive, over all executions.
func drives(ctx context.Context, t *testing.T, s *embedded.Stack) (n int) {
	t.Helper()
	steps := sfn.NewFromConfig(s.AWS(ctx))
	list, err := steps.ListExecutions(ctx, &sfn.ListExecutionsInput{StateMachineArn: aws.String(s.Endpoints.StateMachines["TurnStateMachine"])})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Executions {
		history, err := steps.GetExecutionHistory(ctx, &sfn.GetExecutionHistoryInput{ExecutionArn: e.ExecutionArn, MaxResults: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range history.Events {
			if h.Type == types.HistoryEventTypeTaskStateEntered {
				n++
			}
		}
	}
	return n
}

func withoutTimes(t *testing.T, events []client.Event) []client.Event {
	t.Helper()
	for i := range events {
		var data map[string]any
		if err := json.Unmarshal(events[i].Data, &data); err != nil {
			t.Fatal(err)
		}
		delete(data, "traceparent") // drawn by chance
		delete(data, "until")
		delete(data, "streamId")
		b, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		events[i].Data, events[i].At = b, time.Time{}
	}
	return events
}

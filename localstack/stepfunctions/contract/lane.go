package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
)

// Lane is one Step Functions to be checked.
type Lane struct {
	Client  *sfn.Client
	RoleARN string

	// Provide makes a function available under a name, before or after a restart.
	Provide func(name string, f Function)

	// Kill ends the service as kill -9 would, functions that are running included,
	// starts another on what is stored, and replaces Client. Nil if the lane cannot.
	Kill func()

	// Strict says that the lane refuses whatever it does not model.
	Strict bool

	machines int
}

// Function is a Lambda function. Its error's type name, if it is a [Fault], is
// the Step Functions error name.
type Function func(ctx context.Context, payload []byte) (any, error)

// Fault is a function's error with its name.
type Fault struct{ Type, Message string }

func (f Fault) Error() string { return f.Message }

// patience is how long a case waits for something; on a fake clock it is free.
const patience = 2 * time.Hour

// machine creates a state machine and returns its ARN.
func (l *Lane) machine(t *testing.T, definition string) string {
	t.Helper()
	l.machines++
	out, err := l.Client.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{
		Name: aws.String(fmt.Sprintf("contract-%d", l.machines)), Definition: &definition, RoleArn: &l.RoleARN,
	})
	if err != nil {
		t.Fatal(err)
	}
	return *out.StateMachineArn
}

// start starts an execution without a name.
func (l *Lane) start(t *testing.T, machine, input string) string {
	t.Helper()
	out, err := l.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Input: &input})
	if err != nil {
		t.Fatal(err)
	}
	return *out.ExecutionArn
}

func (l *Lane) describe(t *testing.T, execution string) *sfn.DescribeExecutionOutput {
	t.Helper()
	out, err := l.Client.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: &execution})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// eventually polls until the condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	pause := 5 * time.Millisecond
	for deadline := time.Now().Add(patience); !holds(); pause = min(2*pause, time.Second) {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(pause)
	}
}

// ended waits for the execution's end and checks its status.
func (l *Lane) ended(t *testing.T, execution string, want types.ExecutionStatus) *sfn.DescribeExecutionOutput {
	t.Helper()
	var out *sfn.DescribeExecutionOutput
	eventually(t, "the execution ended", func() bool {
		out = l.describe(t, execution)
		return out.Status != types.ExecutionStatusRunning
	})
	if out.Status != want {
		t.Fatalf("status %s (%s: %s), want %s", out.Status, aws.ToString(out.Error), aws.ToString(out.Cause), want)
	}
	return out
}

// history reads the whole history, page by page.
func (l *Lane) history(t *testing.T, execution string) []types.HistoryEvent {
	t.Helper()
	var all []types.HistoryEvent
	pages := sfn.NewGetExecutionHistoryPaginator(l.Client, &sfn.GetExecutionHistoryInput{ExecutionArn: &execution, MaxResults: 1000})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page.Events...)
	}
	return all
}

func typesOf(events []types.HistoryEvent) []string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = string(e.Type)
	}
	return names
}

// reached waits until the history holds n events of a type, and returns the last.
func (l *Lane) reached(t *testing.T, execution string, kind types.HistoryEventType, n int) types.HistoryEvent {
	t.Helper()
	var last types.HistoryEvent
	eventually(t, fmt.Sprintf("%d %s", n, kind), func() bool {
		seen := 0
		for _, e := range l.history(t, execution) {
			if e.Type == kind {
				seen++
				last = e
			}
		}
		return seen >= n
	})
	return last
}

package crash

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// Executions that end badly by themselves, a second after their start.
const (
	failing   = `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":1,"Next":"F"},"F":{"Type":"Fail","Error":"broken","Cause":"on purpose"}}}`
	lingering = `{"TimeoutSeconds":1,"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":3600,"Next":"D"},"D":{"Type":"Succeed"}}}`
)

// failures 29 and 41: whatever ends an execution, its turn goes on by itself, soon.
func TestATurnGoesOnSoonAfterItsExecutionEnded(t *testing.T) {
	for name, c := range map[string]struct {
		definition string
		status     types.ExecutionStatus
	}{
		"failed":               {failing, types.ExecutionStatusFailed},
		"timed out":            {lingering, types.ExecutionStatusTimedOut},
		"stopped from outside": {"", types.ExecutionStatusAborted},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := embedded.Context(t)
			s := embedded.Start(t, synced)
			m := turns{sfn.NewFromConfig(s.AWS(ctx)), s.Endpoints.StateMachines["TurnStateMachine"]}
			good := m.define(ctx, t, c.definition)
			submit(ctx, t, s, "s", "op", load(20, 2, 40))
			e := m.execution(ctx, t, types.ExecutionStatusRunning)
			m.define(ctx, t, good)
			if c.definition == "" {
				until(ctx, t, s, "s", "tool.completed", 6)
				if _, err := m.StopExecution(ctx, &sfn.StopExecutionInput{ExecutionArn: e.ExecutionArn}); err != nil {
					t.Fatal(err)
				}
			}
			if o := ends(ctx, t, s, "s", "op"); o.Status != "completed" {
				t.Fatalf("%+v", o)
			}
			ended := m.execution(ctx, t, c.status)
			events := log(ctx, t, s, "s")
			i := of(t, events, "op", "operation.resumed", 1)
			if took := events[i+1].At.Sub(*ended.StopDate); took > soon {
				t.Errorf("%s %s after the execution had ended, want it within %s", events[i+1].Type, took, soon)
			} else {
				t.Logf("%s %s after the execution had ended", events[i+1].Type, took.Round(time.Millisecond))
			}
		})
	}
}

// turns is the state machine, from outside.
type turns struct {
	*sfn.Client
	arn string
}

// define gives the machine another definition, "" for none, and returns the one before.
func (m turns) define(ctx context.Context, t *testing.T, definition string) (before string) {
	t.Helper()
	was, err := m.DescribeStateMachine(ctx, &sfn.DescribeStateMachineInput{StateMachineArn: &m.arn})
	if err == nil && definition != "" {
		_, err = m.UpdateStateMachine(ctx, &sfn.UpdateStateMachineInput{StateMachineArn: &m.arn, Definition: &definition})
	}
	if err != nil {
		t.Fatal(err)
	}
	return *was.Definition
}

// execution waits for the one with this status.
func (m turns) execution(ctx context.Context, t *testing.T, status types.ExecutionStatus) types.ExecutionListItem {
	t.Helper()
	for {
		list, err := m.ListExecutions(ctx, &sfn.ListExecutionsInput{StateMachineArn: &m.arn, StatusFilter: status})
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Executions) == 1 {
			return list.Executions[0]
		}
	}
}

// failures 41: nothing could start the turn, and the process dies. The next one
// starts it, with nobody asking.
func TestATurnWhoseStartWasLostBeginsSoonAfterTheRestart(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	steps := sfn.NewFromConfig(s.AWS(ctx))
	if _, err := steps.DeleteStateMachine(ctx, &sfn.DeleteStateMachineInput{StateMachineArn: aws.String(s.Endpoints.StateMachines["TurnStateMachine"])}); err != nil {
		t.Fatal(err)
	}
	submit(ctx, t, s, "s", "op", load(2, 2, 0))
	s.Kill()
	s.Restart() // makes the machine again
	up := time.Now()
	if o := ends(ctx, t, s, "s", "op"); o.Status != "completed" {
		t.Fatalf("%+v", o)
	}
	events := log(ctx, t, s, "s")
	wantSoon(t, events[of(t, events, "op", "operation.started", 1)], up)
}

func wantSoon(t *testing.T, e client.Event, since time.Time) {
	t.Helper()
	took := e.At.Sub(since)
	if took > soon {
		t.Errorf("%s came %s after the restart, want it within %s", e.Type, took, soon)
	}
	t.Logf("%s came %s after the restart", e.Type, took.Round(time.Millisecond))
}

// failures 41 and 29: the process dies as one operation has just ended. The one
// behind it begins.
func TestTheQueueGoesOnSoonAfterAKillBetweenTwoTurns(t *testing.T) {
	ctx := embedded.Context(t)
	s := embedded.Start(t, synced)
	const operations = 4
	for i := range operations {
		submit(ctx, t, s, "s", fmt.Sprint("op-", i), load(1, 2, 150))
	}
	var up [operations]time.Time
	for i := range operations - 1 {
		until(ctx, t, s, "s", "operation.completed", i+1)
		s.Kill()
		s.Restart()
		up[i+1] = time.Now()
	}
	if o := ends(ctx, t, s, "s", fmt.Sprint("op-", operations-1)); o.Status != "completed" {
		t.Fatalf("%+v", o)
	}
	events := log(ctx, t, s, "s")
	for i := 1; i < operations; i++ {
		wantSoon(t, events[of(t, events, fmt.Sprint("op-", i), "operation.started", 1)], up[i])
	}
}

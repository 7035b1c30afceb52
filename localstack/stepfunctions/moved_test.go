package stepfunctions_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windlass/localstack/stepfunctions"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
)

func TestEachStepEachRetryAndTheStartAreTransitions(t *testing.T) {
	for name, c := range map[string]struct {
		failures int32
		want     int64
	}{
		"task, choice, end": {0, 4},
		"the task twice":    {1, 5},
		"until it gives up": {3, 4}, // the start, the task and two retries
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var moved atomic.Int64
				e := openEmbedded(t, stepfunctions.Options{Moved: func(machine string, n int) {
					if machine != "m" {
						t.Errorf("of %s", machine)
					}
					moved.Add(int64(n))
				}})
				defer e.close()
				var calls atomic.Int32
				e.answer = func(context.Context, string, []byte) ([]byte, *stepfunctions.FunctionError, error) {
					if calls.Add(1) <= c.failures {
						return nil, &stepfunctions.FunctionError{Type: "unavailable"}, nil
					}
					return []byte(`{"next":"Done"}`), nil, nil
				}
				arn, err := e.service.EnsureStateMachine("m", `{"StartAt":"Drive","States":{
					"Drive":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","Payload":{}},"OutputPath":"$.Payload",
						"Retry":[{"ErrorEquals":["States.ALL"],"IntervalSeconds":1,"MaxAttempts":2}],"Next":"Next"},
					"Next":{"Type":"Choice","Choices":[{"Variable":"$.next","StringEquals":"Done","Next":"Done"}],"Default":"Drive"},
					"Done":{"Type":"Succeed"}}}`)
				if err != nil {
					t.Fatal(err)
				}
				started, err := e.lane.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: aws.String(arn)})
				if err != nil {
					t.Fatal(err)
				}
				for {
					synctest.Wait() // until it waits or has ended, so that both answers below are of one moment
					now, err := e.lane.Client.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: started.ExecutionArn})
					if err != nil {
						t.Fatal(err)
					}
					if now.Status != "RUNNING" {
						break
					}
					if n, err := e.service.Running(); n != 1 || err != nil {
						t.Fatalf("%d executions run, %v", n, err)
					}
					clockStep()
				}
				synctest.Wait()
				if got := moved.Load(); got != c.want {
					t.Errorf("%d transitions, want %d", got, c.want)
				}
				if n, err := e.service.Running(); n != 0 || err != nil {
					t.Errorf("%d executions run, %v", n, err)
				}
			})
		})
	}
}

// clockStep lets a second pass on a test's fake clock, which costs no time.
func clockStep() { time.Sleep(time.Second) }

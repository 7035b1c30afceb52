package stepfunctions_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"windlass/localstack/stepfunctions"
)

const park = `{"StartAt":"P","States":{"P":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
  "Parameters":{"FunctionName":"park","Payload":{"token.$":"$$.Task.Token"}},"TimeoutSeconds":10,"End":true}}}`

func TestOfManyAnswersAndAStopOneWins(t *testing.T) {
	for range 20 {
		inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
			given := make(chan string, 1)
			e.lane.Provide("park", func(_ context.Context, payload []byte) (any, error) {
				var in struct{ Token string }
				err := json.Unmarshal(payload, &in)
				given <- in.Token
				return nil, err
			})
			execution := startExecution(t, e.lane.Client, ensure(t, e, "m", park), "", `{}`)
			token := <-given
			var accepted atomic.Int32
			var all sync.WaitGroup
			for _, output := range []string{`1`, `2`, `3`} {
				all.Go(func() {
					if _, err := e.lane.Client.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: &token, Output: &output}); err == nil {
						accepted.Add(1)
					}
				})
			}
			all.Go(func() {
				if _, err := e.lane.Client.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: &execution}); err != nil {
					t.Error(err)
				}
			})
			all.Wait()
			synctest.Wait()
			out := describe(t, e.lane.Client, execution)
			if won := accepted.Load(); won > 1 || (won == 1) != (out.Status == types.ExecutionStatusSucceeded) {
				t.Errorf("%d answers accepted, status %s", won, out.Status)
			}
			names, _ := history(t, e.lane.Client, execution)
			ends := 0
			for _, name := range names {
				if name == "ExecutionSucceeded" || name == "ExecutionAborted" {
					ends++
				}
			}
			if ends != 1 {
				t.Errorf("history %v", names)
			}
		})
	}
}

func TestManyStartsOfOneNameAreOneExecution(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		release := make(chan struct{})
		var calls atomic.Int32
		e.lane.Provide("f", func(context.Context, []byte) (any, error) { calls.Add(1); <-release; return 1, nil })
		machine := ensure(t, e, "m", oneTask)
		var all sync.WaitGroup
		var others atomic.Int32
		for i := range 32 {
			all.Go(func() {
				name, input := "n", []string{`{"a":1}`, `{"a":2}`}[i%2]
				_, err := e.lane.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: &name, Input: &input})
				if err != nil {
					if !strings.Contains(err.Error(), "ExecutionAlreadyExists") {
						t.Error(err)
					}
					others.Add(1)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		if calls.Load() != 1 || others.Load() != 16 {
			t.Errorf("%d calls, %d refused", calls.Load(), others.Load())
		}
		close(release)
		synctest.Wait()
		list, err := e.lane.Client.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &machine})
		if err != nil || len(list.Executions) != 1 {
			t.Errorf("%+v, %v", list, err)
		}
	})
}

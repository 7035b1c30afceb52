package stepfunctions_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"windlass/localstack/stepfunctions"
)

func TestClosedNamesAreKept90Days(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		e.lane.Provide("f", func(context.Context, []byte) (any, error) { return 1, nil })
		machine := ensure(t, e, "m", oneTask)
		first := startExecution(t, e.lane.Client, machine, "n", `{}`)
		other := startExecution(t, e.lane.Client, machine, "o", `{}`)
		time.Sleep(90*24*time.Hour - time.Minute)
		n := "n"
		var exists *types.ExecutionAlreadyExists
		if _, err := e.lane.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: &n}); !errors.As(err, &exists) {
			t.Fatalf("a minute early: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if again := startExecution(t, e.lane.Client, machine, "n", `{}`); again != first {
			t.Errorf("another ARN: %s", again)
		}
		synctest.Wait()
		if names, _ := history(t, e.lane.Client, first); names[0] != "ExecutionStarted" || len(names) != 7 {
			t.Errorf("history %v", names)
		}
		var gone *types.ExecutionDoesNotExist
		if _, err := e.lane.Client.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: &other}); !errors.As(err, &gone) {
			t.Errorf("the other is still there: %v", err)
		}
		e.lane.Kill()
		if out := describe(t, e.lane.Client, first); out.Status != types.ExecutionStatusSucceeded {
			t.Errorf("the new one went with the old: %+v", out)
		}
	})
}

func TestExpiredNameIsFreeBeforeItsRecordIsGone(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		e.lane.Provide("f", func(context.Context, []byte) (any, error) { return 1, nil })
		machine := ensure(t, e, "m", oneTask)
		names := strings.Fields("a b c d e f g h")
		for _, name := range names {
			startExecution(t, e.lane.Client, machine, name, `{}`)
			time.Sleep(time.Second)
		}
		time.Sleep(91 * 24 * time.Hour)
		newest := startExecution(t, e.lane.Client, machine, "h", `{}`) // a start removes only a few of the oldest
		for _, name := range names[:7] {
			startExecution(t, e.lane.Client, machine, name, `{}`)
		}
		synctest.Wait()
		list, err := e.lane.Client.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &machine})
		if err != nil || len(list.Executions) != len(names) {
			t.Errorf("%d executions, %v", len(list.Executions), err)
		}
		if out := describe(t, e.lane.Client, newest); out.Status != types.ExecutionStatusSucceeded {
			t.Errorf("the new execution went with the old: %s", out.Status)
		}
	})
}

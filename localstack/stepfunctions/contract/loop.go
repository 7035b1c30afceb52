package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"
)

const loopDefinition = `{"StartAt":"Drive","States":{
  "Drive":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","OutputPath":"$.Payload","Next":"Next",
    "Parameters":{"FunctionName":"drive","Payload":{"n.$":"$.n","by":{"execution.$":"$$.Execution.Name","entered.$":"$$.State.EnteredTime","retry.$":"$$.State.RetryCount"}}}},
  "Next":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":128,"Next":"Drive"}],"Default":"Done"},
  "Done":{"Type":"Succeed"}}}`

func loopOf128(t *testing.T, l *Lane) {
	seen := map[string]bool{}
	l.Provide("drive", func(_ context.Context, payload []byte) (any, error) {
		var in struct {
			N  int             `json:"n"`
			By json.RawMessage `json:"by"`
		}
		if err := json.Unmarshal(payload, &in); err != nil {
			return nil, err
		}
		if seen[string(in.By)] {
			return nil, fmt.Errorf("two invocations share %s", in.By)
		}
		seen[string(in.By)] = true
		return map[string]int{"n": in.N + 1}, nil
	})
	execution := l.start(t, l.machine(t, loopDefinition), `{"n":0}`)
	out := l.ended(t, execution, types.ExecutionStatusSucceeded)
	if *out.Output != `{"n":128}` || len(seen) != 128 {
		t.Errorf("output %s after %d rounds", *out.Output, len(seen))
	}
	// ExecutionStarted, 128 × (5 of the task, 2 of the choice), 2 of Succeed, ExecutionSucceeded
	if n := len(l.history(t, execution)); n != 1+128*7+2+1 {
		t.Errorf("%d events", n)
	}
}

func historyOfEveryStateType(t *testing.T, l *Lane) {
	l.Provide("f", func(context.Context, []byte) (any, error) { return map[string]string{"a": "b"}, nil })
	execution := l.start(t, l.machine(t, `{"StartAt":"P","States":{
	  "P":{"Type":"Pass","Result":{"seconds":1},"Next":"W"},
	  "W":{"Type":"Wait","SecondsPath":"$.seconds","Next":"T"},
	  "T":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f"},"ResultPath":"$.r","ResultSelector":{"a.$":"$.Payload.a","status.$":"$.StatusCode"},"TimeoutSeconds":9,"Next":"C"},
	  "C":{"Type":"Choice","Choices":[{"Variable":"$.r.a","StringEquals":"b","Next":"F"}],"Default":"S"},
	  "S":{"Type":"Succeed"},
	  "F":{"Type":"Fail","Error":"Custom","Cause":"because"}}}`), `{}`)
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if *out.Error != "Custom" || *out.Cause != "because" {
		t.Errorf("ended with %s: %s", *out.Error, *out.Cause)
	}
	events := l.history(t, execution)
	want := strings.Fields(`ExecutionStarted PassStateEntered PassStateExited WaitStateEntered WaitStateExited
		TaskStateEntered TaskScheduled TaskStarted TaskSucceeded TaskStateExited
		ChoiceStateEntered ChoiceStateExited FailStateEntered ExecutionFailed`)
	if diff := cmp.Diff(want, typesOf(events)); diff != "" {
		t.Fatal(diff)
	}
	for i, e := range events {
		if e.Id != int64(i+1) || e.Timestamp == nil || i > 1 && e.PreviousEventId != int64(i) {
			t.Errorf("event %d has id %d, previous %d, time %v", i+1, e.Id, e.PreviousEventId, e.Timestamp)
		}
	}
	scheduled := events[6].TaskScheduledEventDetails
	if *scheduled.Resource != "invoke" || *scheduled.ResourceType != "lambda" || *scheduled.TimeoutInSeconds != 9 || *scheduled.Parameters != `{"FunctionName":"f"}` {
		t.Errorf("TaskScheduled: %+v", *scheduled)
	}
	if got, want := *events[9].StateExitedEventDetails.Output, `{"r":{"a":"b","status":200},"seconds":1}`; got != want {
		t.Errorf("the task's output is %s, want %s", got, want)
	}
}

package stepfunctions_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/google/go-cmp/cmp"
	"windlass/localstack/stepfunctions"
)

func TestWhatAFunctionComesTo(t *testing.T) {
	const (
		viaAPI = `{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName.$":"$.f","Payload":{"x":1}},"End":true}}}`
		direct = oneTask
	)
	throttled := &stepfunctions.FunctionError{Type: "Throttled", Message: `say "when"`}
	for name, c := range map[string]struct {
		definition    string
		result        string
		functionError *stepfunctions.FunctionError
		err           error
		output        string
		fails, cause  string
		events        string
	}{
		"result object":       {definition: viaAPI, result: `{"a":1}`, output: `{"ExecutedVersion":"$LATEST","Payload":{"a":1},"StatusCode":200}`, events: "TaskScheduled TaskStarted TaskSucceeded"},
		"bare result":         {definition: direct, result: `{"a":1}`, output: `{"a":1}`, events: "LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionSucceeded"},
		"no result":           {definition: direct, output: `null`, events: "LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionSucceeded"},
		"error by type":       {definition: viaAPI, functionError: throttled, fails: "Throttled", cause: `{"errorType":"Throttled","errorMessage":"say \"when\""}`, events: "TaskScheduled TaskStarted TaskFailed"},
		"error, direct":       {definition: direct, functionError: throttled, fails: "Throttled", cause: `{"errorType":"Throttled","errorMessage":"say \"when\""}`, events: "LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionFailed"},
		"error without type":  {definition: viaAPI, functionError: &stepfunctions.FunctionError{Message: "m"}, fails: "Lambda.Unknown", cause: `{"errorType":"","errorMessage":"m"}`, events: "TaskScheduled TaskStarted TaskFailed"},
		"no such function":    {definition: viaAPI, err: notFound{"f"}, fails: "Lambda.ResourceNotFoundException", cause: "Function not found: f", events: "TaskScheduled TaskStarted TaskFailed"},
		"service error":       {definition: viaAPI, err: errors.New("no slot"), fails: "Lambda.ServiceException", cause: "no slot", events: "TaskScheduled TaskStarted TaskFailed"},
		"answer is not JSON":  {definition: viaAPI, result: `{`, fails: "Lambda.Unknown", cause: "The function's answer is not JSON: unexpected EOF", events: "TaskScheduled TaskStarted TaskFailed"},
		"very long message":   {definition: direct, functionError: &stepfunctions.FunctionError{Type: "E", Message: strings.Repeat("é", 40_000)}, fails: "E", events: "LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionFailed"},
		"result over the cap": {definition: direct, result: `"` + strings.Repeat("x", 262_143) + `"`, fails: "States.DataLimitExceeded", events: "LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionFailed"},
		"result at the cap":   {definition: direct, result: `"` + strings.Repeat("x", 262_142) + `"`, output: `"` + strings.Repeat("x", 262_142) + `"`, events: "LambdaFunctionScheduled LambdaFunctionStarted LambdaFunctionSucceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := openEmbedded(t, stepfunctions.Options{})
				defer e.close()
				e.answer = func(context.Context, string, []byte) ([]byte, *stepfunctions.FunctionError, error) {
					return []byte(c.result), c.functionError, c.err
				}
				execution := startExecution(t, e.lane.Client, ensure(t, e, "m", c.definition), "", `{"f":"f"}`)
				synctest.Wait()
				out := describe(t, e.lane.Client, execution)
				if aws.ToString(out.Output) != c.output || aws.ToString(out.Error) != c.fails {
					t.Errorf("output %.200s, error %s: %.200s", aws.ToString(out.Output), aws.ToString(out.Error), aws.ToString(out.Cause))
				}
				if c.cause != "" && aws.ToString(out.Cause) != c.cause {
					t.Errorf("cause %s, want %s", aws.ToString(out.Cause), c.cause)
				}
				names, _ := history(t, e.lane.Client, execution)
				if diff := cmp.Diff(strings.Fields(c.events), names[2:5]); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestFunctionNameFromThePathMayBeAnARN(t *testing.T) {
	const definition = `{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName.$":"$.f"},"End":true}}}`
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		var asked []string
		e.answer = func(_ context.Context, name string, payload []byte) ([]byte, *stepfunctions.FunctionError, error) {
			asked = append(asked, name+string(payload))
			return []byte(`1`), nil, nil
		}
		machine := ensure(t, e, "m", definition)
		startExecution(t, e.lane.Client, machine, "", `{"f":"arn:aws:lambda:us-east-1:000000000000:function:drive"}`)
		synctest.Wait()
		if diff := cmp.Diff([]string{"drive{}"}, asked); diff != "" {
			t.Error(diff)
		}
		bad := startExecution(t, e.lane.Client, machine, "", `{"f":"drive:7"}`)
		synctest.Wait()
		if out := describe(t, e.lane.Client, bad); aws.ToString(out.Error) != "Lambda.ResourceNotFoundException" {
			t.Errorf("a version: %s", aws.ToString(out.Error))
		}
	})
}

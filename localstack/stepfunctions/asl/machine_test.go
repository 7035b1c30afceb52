package asl

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// turn is a machine with everything in it.
const turn = `{
  "Comment": "c", "Version": "1.0", "QueryLanguage": "JSONPath", "TimeoutSeconds": 600, "StartAt": "Drive",
  "States": {
    "Drive": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "OutputPath": "$.Payload", "TimeoutSeconds": 60,
      "Parameters": {"FunctionName": "drive", "Payload": {"tenant.$": "$.tenant", "by": {"execution.$": "$$.Execution.Name", "retry.$": "$$.State.RetryCount"}}},
      "Retry": [{"ErrorEquals": ["Throttled", "States.Timeout"], "IntervalSeconds": 2, "MaxAttempts": 5, "BackoffRate": 1.5, "MaxDelaySeconds": 30, "JitterStrategy": "FULL"},
                {"ErrorEquals": ["States.ALL"]}],
      "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Broken"}],
      "Next": "Next"},
    "Next": {"Type": "Choice", "Default": "Broken", "Choices": [
      {"Variable": "$.next", "StringEquals": "Drive", "Next": "Drive"},
      {"And": [{"Variable": "$.next", "StringEquals": "Backoff"}, {"Not": {"Variable": "$.seconds", "IsNull": true}}], "Next": "Backoff"},
      {"Variable": "$.next", "StringEquals": "Park", "Next": "Park"},
      {"Variable": "$.next", "StringEquals": "Done", "Next": "Done"}]},
    "Backoff": {"Type": "Wait", "SecondsPath": "$.seconds", "Next": "Drive"},
    "Park": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken", "ResultPath": null, "HeartbeatSeconds": 30,
      "Parameters": {"FunctionName": "drive", "Payload": {"token.$": "$$.Task.Token"}}, "Next": "Drive"},
    "Broken": {"Type": "Fail", "Error": "Broken", "CausePath": "$.error.Cause"},
    "Done": {"Type": "Succeed"}
  }
}`

func TestParseAcceptsTheWholeSubset(t *testing.T) {
	m, err := Parse([]byte(turn))
	if err != nil {
		t.Fatal(err)
	}
	if m.StartAt != "Drive" || m.TimeoutSeconds != 600 || len(m.States) != 6 {
		t.Errorf("parsed %+v", m)
	}
}

// one wraps a single state into a machine.
func one(state string) string { return `{"StartAt":"S","States":{"S":` + state + `}}` }

const invokeFields = `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","End":true`

func TestDefinitionIsRefusedWithWhatAndWhere(t *testing.T) {
	task := func(more string) string {
		return one(`{` + invokeFields + `,"Parameters":{"FunctionName":"f"},` + more + `}`)
	}
	choice := func(rule string) string {
		return `{"StartAt":"C","States":{"C":{"Type":"Choice","Choices":[` + rule + `]},"S":{"Type":"Succeed"}}}`
	}
	for name, c := range map[string]struct{ definition, what, at string }{
		"not JSON":                {`{"StartAt":`, "unexpected EOF", "/"},
		"text after":              {one(`{"Type":"Succeed"}`) + `{}`, "text after", "/"},
		"not an object":           {`[]`, "must be a JSON object", ""},
		"no StartAt":              {`{"States":{"S":{"Type":"Succeed"}}}`, "is required", "/StartAt"},
		"StartAt to nowhere":      {`{"StartAt":"X","States":{"S":{"Type":"Succeed"}}}`, `no state "X"`, "/StartAt"},
		"no States":               {`{"StartAt":"S"}`, "is required", "/States"},
		"unknown machine field":   {`{"StartAt":"S","Foo":1,"States":{"S":{"Type":"Succeed"}}}`, "unknown field", "/Foo"},
		"unknown state field":     {one(`{"Type":"Succeed","Next":"S"}`), "unknown field", "/States/S/Next"},
		"field twice":             {one(`{"Type":"Succeed","Type":"Succeed"}`), "given twice", "/States/S"},
		"folded case":             {one(`{"type":"Succeed"}`), "is required", "/States/S/Type"},
		"JSONata machine":         {`{"QueryLanguage":"JSONata","StartAt":"S","States":{"S":{"Type":"Succeed"}}}`, "only JSONPath", "/QueryLanguage"},
		"JSONata state":           {one(`{"Type":"Succeed","QueryLanguage":"JSONata"}`), "only JSONPath", "/States/S/QueryLanguage"},
		"JSONata field":           {one(`{"Type":"Succeed","Output":"{% 1 %}"}`), "JSONata is not supported", "/States/S/Output"},
		"variables":               {one(`{"Type":"Pass","End":true,"Assign":{}}`), "variables is not supported", "/States/S/Assign"},
		"Parallel":                {one(`{"Type":"Parallel","Branches":[],"End":true}`), `"Parallel" is not supported`, "/States/S/Type"},
		"Map":                     {one(`{"Type":"Map","End":true}`), `"Map" is not supported`, "/States/S/Type"},
		"name too long":           {`{"StartAt":"S","States":{"` + strings.Repeat("n", 81) + `":{"Type":"Succeed"}}}`, "1 to 80", "/States/nnn"},
		"Next to nowhere":         {one(`{"Type":"Pass","Next":"X"}`), `no state "X"`, "/States/S/Next"},
		"neither Next nor End":    {one(`{"Type":"Pass"}`), "exactly one of Next", "/States/S/Next"},
		"both Next and End":       {one(`{"Type":"Pass","Next":"S","End":true}`), "exactly one of Next", "/States/S/Next"},
		"End false":               {one(`{"Type":"Pass","Next":"S","End":false}`), "exactly one of Next", "/States/S/Next"},
		"unreachable":             {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"T":{"Type":"Succeed"}}}`, "not reachable", "/States/T"},
		"no way out":              {one(`{"Type":"Pass","Next":"S"}`), "ends the execution", "/States"},
		"zero timeout":            {`{"TimeoutSeconds":0,"StartAt":"S","States":{"S":{"Type":"Succeed"}}}`, "integer from 1", "/TimeoutSeconds"},
		"bad path":                {one(`{"Type":"Succeed","InputPath":"$..a"}`), "more than one place", "/States/S/InputPath"},
		"ResultPath with index":   {one(`{"Type":"Pass","End":true,"ResultPath":"$.a[0]"}`), "cannot be written", "/States/S/ResultPath"},
		"ResultPath to context":   {one(`{"Type":"Pass","End":true,"ResultPath":"$$.State.Name"}`), "cannot be written", "/States/S/ResultPath"},
		"intrinsic function":      {one(`{"Type":"Pass","End":true,"Parameters":{"a.$":"States.UUID()"}}`), "intrinsic functions", "/States/S/Parameters"},
		"path is no text":         {one(`{"Type":"Pass","End":true,"Parameters":{"l":[{"a.$":1}]}}`), "must be a path", "/States/S/Parameters"},
		"both a and a.$":          {one(`{"Type":"Pass","End":true,"Parameters":{"a":1,"a.$":"$"}}`), "both", "/States/S/Parameters"},
		"Parameters is a list":    {one(`{"Type":"Pass","End":true,"Parameters":[]}`), "must be a JSON object", "/States/S/Parameters"},
		"other service":           {one(`{"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","End":true}`), "is not supported", "/States/S/Resource"},
		"function version":        {one(`{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:000000000000:function:f:7","End":true}`), "is not supported", "/States/S/Resource"},
		"no FunctionName":         {one(`{` + invokeFields + `,"Parameters":{"Payload":1}}`), "FunctionName", "/States/S/Parameters"},
		"no Parameters":           {one(`{` + invokeFields + `}`), "FunctionName is required", "/States/S/Parameters"},
		"invocation type":         {one(`{` + invokeFields + `,"Parameters":{"FunctionName":"f","InvocationType":"Event"}}`), "not supported", "/States/S/Parameters/InvocationType"},
		"qualified function":      {one(`{` + invokeFields + `,"Parameters":{"FunctionName":"f:live"}}`), "unqualified", "/States/S/Parameters/FunctionName"},
		"token without wait":      {one(`{` + invokeFields + `,"Parameters":{"FunctionName":"f","Payload":{"t.$":"$$.Task.Token"}}}`), "exists only with", "/States/S/Parameters"},
		"wait without token":      {one(`{"Type":"Task","End":true,"Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken","Parameters":{"FunctionName":"f"}}`), "must be passed", "/States/S/Parameters"},
		"heartbeat over timeout":  {task(`"TimeoutSeconds":5,"HeartbeatSeconds":5`), "smaller than", "/States/S/HeartbeatSeconds"},
		"timeout twice":           {task(`"TimeoutSeconds":5,"TimeoutSecondsPath":"$.t"`), "both", "/States/S/TimeoutSeconds"},
		"retry without errors":    {task(`"Retry":[{}]`), "at least one", "/States/S/Retry/0/ErrorEquals"},
		"ALL in company":          {task(`"Retry":[{"ErrorEquals":["States.ALL","X"]}]`), "alone", "/States/S/Retry/0/ErrorEquals"},
		"ALL not last":            {task(`"Catch":[{"ErrorEquals":["States.ALL"],"Next":"S"},{"ErrorEquals":["X"],"Next":"S"}]`), "last", "/States/S/Catch/0/ErrorEquals"},
		"invented States. name":   {task(`"Retry":[{"ErrorEquals":["States.Foo"]}]`), "not an error name", "/States/S/Retry/0"},
		"interval zero":           {task(`"Retry":[{"ErrorEquals":["X"],"IntervalSeconds":0}]`), "integer from 1", "/States/S/Retry/0/IntervalSeconds"},
		"interval not whole":      {task(`"Retry":[{"ErrorEquals":["X"],"IntervalSeconds":1.5}]`), "integer from 1", "/States/S/Retry/0/IntervalSeconds"},
		"rate under one":          {task(`"Retry":[{"ErrorEquals":["X"],"BackoffRate":0.5}]`), "at least 1.0", "/States/S/Retry/0/BackoffRate"},
		"max delay under delay":   {task(`"Retry":[{"ErrorEquals":["X"],"IntervalSeconds":9,"MaxDelaySeconds":9}]`), "greater than", "/States/S/Retry/0/MaxDelaySeconds"},
		"unknown jitter":          {task(`"Retry":[{"ErrorEquals":["X"],"JitterStrategy":"HALF"}]`), "FULL or NONE", "/States/S/Retry/0/JitterStrategy"},
		"unknown retry field":     {task(`"Retry":[{"ErrorEquals":["X"],"Jitter":1}]`), "unknown field", "/States/S/Retry/0/Jitter"},
		"catch to nowhere":        {task(`"Catch":[{"ErrorEquals":["X"],"Next":"Y"}]`), `no state "Y"`, "/States/S/Catch"},
		"wait for nothing":        {one(`{"Type":"Wait","End":true}`), "exactly one of Seconds", "/States/S/Seconds"},
		"wait for two things":     {one(`{"Type":"Wait","End":true,"Seconds":1,"SecondsPath":"$.s"}`), "exactly one of Seconds", "/States/S/Seconds"},
		"wait until nonsense":     {one(`{"Type":"Wait","End":true,"Timestamp":"tomorrow"}`), "RFC 3339", "/States/S/Timestamp"},
		"error given twice":       {one(`{"Type":"Fail","Error":"E","ErrorPath":"$.e"}`), "both", "/States/S/Error"},
		"no choices":              {choice(``), "at least one rule", "/States/C/Choices"},
		"choice without Next":     {choice(`{"Variable":"$.a","IsNull":true}`), "is required", "/States/C/Choices/0/Next"},
		"choice without Variable": {choice(`{"IsNull":true,"Next":"S"}`), "is required", "/States/C/Choices/0/Variable"},
		"choice without operator": {choice(`{"Variable":"$.a","Next":"S"}`), "found 0", "/States/C/Choices/0/Variable"},
		"two operators":           {choice(`{"Variable":"$.a","IsNull":true,"IsPresent":true,"Next":"S"}`), "found 2", "/States/C/Choices/0/Variable"},
		"unsupported operator":    {choice(`{"Variable":"$.a","StringMatches":"a*","Next":"S"}`), "unknown field", "/States/C/Choices/0/StringMatches"},
		"operand of wrong type":   {choice(`{"Variable":"$.a","NumericEquals":"1","Next":"S"}`), "must be a number", "/States/C/Choices/0/NumericEquals"},
		"IsNull of no boolean":    {choice(`{"Variable":"$.a","IsNull":1,"Next":"S"}`), "must be a boolean", "/States/C/Choices/0/IsNull"},
		"Next in a nested rule":   {choice(`{"Not":{"Variable":"$.a","IsNull":true,"Next":"S"},"Next":"S"}`), "unknown field", "/States/C/Choices/0/Not/Next"},
		"empty And":               {choice(`{"And":[],"Next":"S"}`), "at least one rule", "/States/C/Choices/0/And"},
		"rules too deep":          {choice(strings.Repeat(`{"Not":`, 20) + `{"Variable":"$.a","IsNull":true}` + strings.Repeat(`}`, 19) + `,"Next":"S"}`), "nested more than", "/States/C"},
		"too large":               {`"` + strings.Repeat("x", MaxDefinition) + `"`, "larger than", "/"},
		"not UTF-8":               {"{\"StartAt\":\"\xff\"}", "not UTF-8", "/"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(c.definition))
			var wrong *DefinitionError
			if !errors.As(err, &wrong) {
				t.Fatalf("error is %v", err)
			}
			for _, p := range wrong.Problems {
				if strings.Contains(p.What, c.what) && strings.HasPrefix(p.At, c.at) {
					return
				}
			}
			t.Errorf("problems %q; want %q at %q", wrong.Problems, c.what, c.at)
		})
	}
}

func TestProblemsAreBounded(t *testing.T) {
	var fields []string
	for i := range 100 {
		fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
	}
	_, err := Parse([]byte(one(`{"Type":"Succeed",` + strings.Join(fields, ",") + `}`)))
	var wrong *DefinitionError
	if !errors.As(err, &wrong) || len(wrong.Problems) != maxProblems {
		t.Fatalf("error is %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(turn))
	f.Add([]byte(one(`{"Type":"Pass","Result":{"a":1},"Parameters":{"b.$":"$.c"},"End":true}`)))
	f.Add([]byte(one(`{"Type":"Wait","TimestampPath":"$.t","End":true}`)))
	f.Add([]byte(one(`{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:000000000000:function:f","End":true}`)))
	input := []byte(`{"a":1,"next":"Drive","seconds":3,"t":"2026-01-01T00:00:00Z"}`)
	f.Fuzz(func(t *testing.T, definition []byte) {
		m, err := Parse(definition)
		if err != nil {
			var wrong *DefinitionError
			if !errors.As(err, &wrong) || len(wrong.Problems) == 0 {
				t.Fatalf("not a DefinitionError: %v", err)
			}
			return
		}
		for name, s := range m.States { // whatever is accepted can be run
			for _, target := range s.targets() {
				if m.States[target.state] == nil {
					t.Fatalf("%q leads to nowhere: %q", name, target.state)
				}
			}
			touch(s, input)
		}
	})
}

func touch(s State, text []byte) {
	input, ctx := StoredValue(text), testContext()
	switch s := s.(type) {
	case *Task:
		s.Effective(input, ctx)
		s.Limits(input, ctx)
		s.Output(input, input, ctx)
		for i := range s.Retry {
			s.Retry[i].Delay(1000, 0.5)
		}
		for i := range s.Catch {
			s.Catch[i].Output(input, Failure{"E", "c"})
		}
	case *Choice:
		s.Next(input, ctx)
	case *Wait:
		s.Until(testTime, input, ctx)
	case *Pass:
		s.Run(input, ctx)
	case *Succeed:
		s.Through(input, ctx)
	case *Fail:
		s.Run(input, ctx)
	}
}

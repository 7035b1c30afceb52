package contract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
)

const waiting = `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":3000,"End":true}}}`

func stopExecution(t *testing.T, l *Lane) {
	execution := l.start(t, l.machine(t, waiting), `{}`)
	in := &sfn.StopExecutionInput{ExecutionArn: &execution, Error: aws.String("E"), Cause: aws.String("c")}
	stopped, err := l.Client.StopExecution(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	out := l.describe(t, execution)
	if out.Status != types.ExecutionStatusAborted || *out.Error != "E" || *out.Cause != "c" || !out.StopDate.Equal(*stopped.StopDate) {
		t.Errorf("described as %+v", out)
	}
	events := l.history(t, execution)
	if last := events[len(events)-1]; last.Type != types.HistoryEventTypeExecutionAborted || *last.ExecutionAbortedEventDetails.Error != "E" {
		t.Errorf("last event %+v", last)
	}
	again, err := l.Client.StopExecution(t.Context(), in)
	if err != nil || !again.StopDate.Equal(*stopped.StopDate) || len(l.history(t, execution)) != len(events) {
		t.Errorf("stopping again: %v, %v", again, err)
	}
}

func stopLeavesTheFunction(t *testing.T, l *Lane) {
	begun, release, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	l.Provide("f", func(ctx context.Context, _ []byte) (any, error) {
		close(begun)
		<-release
		result <- ctx.Err()
		return "late", nil
	})
	execution := l.start(t, l.machine(t, taskWith(`"TimeoutSeconds":3000`)), `{}`)
	<-begun
	if _, err := l.Client.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: &execution}); err != nil {
		t.Fatal(err)
	}
	before := l.ended(t, execution, types.ExecutionStatusAborted)
	close(release)
	if err := <-result; err != nil {
		t.Errorf("the function's context ended: %v", err)
	}
	if after := l.describe(t, execution); after.Output != nil || !after.StopDate.Equal(*before.StopDate) {
		t.Errorf("the late answer counted: %+v", after)
	}
}

func startIsIdempotent(t *testing.T, l *Lane) {
	machine := l.machine(t, waiting)
	start := func(input string) (*sfn.StartExecutionOutput, error) {
		return l.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: aws.String("n"), Input: &input})
	}
	first, err := start(`{"a":1}`)
	if err != nil {
		t.Fatal(err)
	}
	l.reached(t, *first.ExecutionArn, types.HistoryEventTypeWaitStateEntered, 1)
	again, err := start(`{"a":1}`)
	if err != nil || *again.ExecutionArn != *first.ExecutionArn || !again.StartDate.Equal(*first.StartDate) {
		t.Errorf("started again: %+v, %v", again, err)
	}
	var exists *types.ExecutionAlreadyExists
	if _, err := start(`{"a":2}`); !errors.As(err, &exists) {
		t.Errorf("other input: %v", err)
	}
	if _, err := l.Client.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: first.ExecutionArn}); err != nil {
		t.Fatal(err)
	}
	if _, err := start(`{"a":1}`); !errors.As(err, &exists) {
		t.Errorf("closed: %v", err)
	}
	if n := len(l.history(t, *first.ExecutionArn)); n != 3 {
		t.Errorf("%d events", n)
	}
}

func startRefuses(t *testing.T, l *Lane) {
	machine := l.machine(t, waiting)
	start := func(name, input string) string {
		_, err := l.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: &name, Input: &input})
		return code(err)
	}
	for _, name := range []string{"", strings.Repeat("n", 81), "a b", "a/b", "a#b", "a:b", "a\"b", "a\tb", "a{b", "a*b"} {
		if got := start(name, `{}`); got != "InvalidName" && got != "ValidationException" {
			t.Errorf("name %q: %s", name, got)
		}
	}
	if got := start(strings.Repeat("n", 80), `{}`); got != "" {
		t.Errorf("a name of 80: %s", got)
	}
	for _, input := range []string{`{`, ``, `"` + strings.Repeat("x", 262_143) + `"`} {
		if got := start("ok", input); got != "InvalidExecutionInput" && got != "ValidationException" {
			t.Errorf("input of %d bytes: %s", len(input), got)
		}
	}
	if got := start("ok", `"`+strings.Repeat("x", 262_142)+`"`); got != "" {
		t.Errorf("an input of 262,144 bytes: %s", got)
	}
	other := machine + "x"
	_, err := l.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &other})
	if code(err) != "StateMachineDoesNotExist" {
		t.Errorf("no machine: %v", err)
	}
}

// code returns an API error's code, "" for none.
func code(err error) string {
	if err == nil {
		return ""
	}
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return err.Error()
}

func listExecutions(t *testing.T, l *Lane) {
	machine := l.machine(t, waiting)
	var want []string
	for i := range 7 {
		name := fmt.Sprintf("e%d", i)
		out, err := l.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, Name: &name})
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			want = append([]string{name}, want...)
			if _, err := l.Client.StopExecution(t.Context(), &sfn.StopExecutionInput{ExecutionArn: out.ExecutionArn}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	pages := sfn.NewListExecutionsPaginator(l.Client, &sfn.ListExecutionsInput{StateMachineArn: &machine, StatusFilter: types.ExecutionStatusAborted, MaxResults: 2})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Executions) > 2 {
			t.Errorf("a page of %d", len(page.Executions))
		}
		for _, e := range page.Executions {
			got = append(got, *e.Name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err := l.Client.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &machine, NextToken: aws.String("bogus")})
	if code(err) != "InvalidToken" {
		t.Errorf("a bogus token: %v", err)
	}
}

func historyPages(t *testing.T, l *Lane) {
	execution := l.start(t, l.machine(t, `{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B"},"B":{"Type":"Pass","Next":"C"},"C":{"Type":"Succeed"}}}`), `{"a":1}`)
	l.ended(t, execution, types.ExecutionStatusSucceeded)
	for _, reverse := range []bool{false, true} {
		var ids []int64
		pages := sfn.NewGetExecutionHistoryPaginator(l.Client, &sfn.GetExecutionHistoryInput{ExecutionArn: &execution, MaxResults: 3, ReverseOrder: reverse, IncludeExecutionData: aws.Bool(false)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Events {
				ids = append(ids, e.Id)
				if d := e.StateEnteredEventDetails; d != nil && d.Input != nil {
					t.Errorf("data in spite of includeExecutionData false: %s", *d.Input)
				}
			}
		}
		want := []int64{1, 2, 3, 4, 5, 6, 7, 8}
		if reverse {
			want = []int64{8, 7, 6, 5, 4, 3, 2, 1}
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("reverse %v: %s", reverse, diff)
		}
	}
}

func updateAppliesToNew(t *testing.T, l *Lane) {
	machine := l.machine(t, `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":2,"Next":"P"},"P":{"Type":"Pass","Result":"old","End":true}}}`)
	old := l.start(t, machine, `{}`)
	_, err := l.Client.UpdateStateMachine(t.Context(), &sfn.UpdateStateMachineInput{
		StateMachineArn: &machine, Definition: aws.String(`{"StartAt":"P","States":{"P":{"Type":"Pass","Result":"new","End":true}}}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if out := l.ended(t, l.start(t, machine, `{}`), types.ExecutionStatusSucceeded); *out.Output != `"new"` {
		t.Errorf("a new execution gave %s", *out.Output)
	}
	if out := l.ended(t, old, types.ExecutionStatusSucceeded); *out.Output != `"old"` {
		t.Errorf("the running execution gave %s", *out.Output)
	}
}

func historyLimit(t *testing.T, l *Lane) {
	execution := l.start(t, l.machine(t, `{"StartAt":"C","States":{
	  "C":{"Type":"Choice","Choices":[{"Variable":"$.stop","IsPresent":true,"Next":"S"}],"Default":"C"},"S":{"Type":"Succeed"}}}`), `{"spin":true}`)
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if want := "The execution reached the maximum number of history events (25000)."; *out.Error != "States.Runtime" || *out.Cause != want {
		t.Errorf("ended with %s: %s", *out.Error, *out.Cause)
	}
	page, err := l.Client.GetExecutionHistory(t.Context(), &sfn.GetExecutionHistoryInput{ExecutionArn: &execution, ReverseOrder: true, MaxResults: 2})
	if err != nil {
		t.Fatal(err)
	}
	if e := page.Events; e[0].Id != 25_000 || e[0].Type != types.HistoryEventTypeExecutionFailed || e[1].Id != 24_999 {
		t.Errorf("last events %+v", e)
	}
}

func unknownIsRefused(t *testing.T, l *Lane) {
	if !l.Strict {
		t.Skip("the lane has more than the subset")
	}
	machine := l.machine(t, waiting)
	_, err := l.Client.ListActivities(t.Context(), &sfn.ListActivitiesInput{})
	if code(err) != "UnknownOperationException" {
		t.Errorf("an unknown operation: %v", err)
	}
	_, err = l.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine, TraceHeader: aws.String("x")})
	if code(err) != "ValidationException" || !strings.Contains(err.Error(), "traceHeader") {
		t.Errorf("an unknown field: %v", err)
	}
	_, err = l.Client.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{Name: aws.String("x"), RoleArn: &l.RoleARN, Definition: aws.String(`{"StartAt":"P","States":{"P":{"Type":"Parallel","End":true}}}`)})
	if code(err) != "InvalidDefinition" || !strings.Contains(err.Error(), "/States/P/Type") {
		t.Errorf("an unknown state type: %v", err)
	}
	_, err = l.Client.CreateStateMachine(t.Context(), &sfn.CreateStateMachineInput{Name: aws.String("x"), RoleArn: &l.RoleARN, Definition: aws.String(waiting), Type: types.StateMachineTypeExpress})
	if code(err) != "ValidationException" {
		t.Errorf("an express machine: %v", err)
	}
}

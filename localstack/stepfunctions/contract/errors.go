package contract

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"
)

// taskWith is a machine of one task with more fields.
func taskWith(fields string) string {
	return `{"StartAt":"T","States":{
	  "T":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","Payload":{"retry.$":"$$.State.RetryCount","entered.$":"$$.State.EnteredTime"}},` + fields + `,"End":true}}}`
}

// catching is a machine whose task's errors lead to states that say which
// catcher took them.
func catching(task, catch string) string {
	return `{"StartAt":"T","States":{
	  "T":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f"},` + task + `"Catch":[` + catch + `],"End":true},
	  "One":{"Type":"Pass","ResultPath":"$.by","Result":"one","End":true},
	  "Two":{"Type":"Pass","ResultPath":"$.by","Result":"two","End":true}}}`
}

// catchEverything would take any error that can be caught.
const catchEverything = `{"ErrorEquals":["Never"],"Next":"Two"},{"ErrorEquals":["States.ALL"],"Next":"One"}`

// attempts returns the instants at which a task's attempts were scheduled.
func attempts(events []types.HistoryEvent) (at []time.Time) {
	for _, e := range events {
		if e.Type == types.HistoryEventTypeTaskScheduled {
			at = append(at, *e.Timestamp)
		}
	}
	return at
}

func retryBacksOffAndGivesUp(t *testing.T, l *Lane) {
	var payloads []string
	l.Provide("f", func(_ context.Context, payload []byte) (any, error) {
		payloads = append(payloads, string(payload))
		return nil, Fault{"Throttled", "slow down"}
	})
	execution := l.start(t, l.machine(t, taskWith(`"Retry":[{"ErrorEquals":["Throttled"],"IntervalSeconds":1,"BackoffRate":2,"MaxAttempts":3,"MaxDelaySeconds":3}]`)), `{}`)
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if *out.Error != "Throttled" || !strings.Contains(*out.Cause, `"errorMessage":"slow down"`) {
		t.Errorf("ended with %s: %s", *out.Error, *out.Cause)
	}
	at := attempts(l.history(t, execution))
	for i, least := range []time.Duration{1 * time.Second, 2 * time.Second, 3 * time.Second} {
		if i+1 >= len(at) || at[i+1].Sub(at[i]) < least-50*time.Millisecond {
			t.Fatalf("attempts at %v", at)
		}
	}
	var entered string
	for i, p := range payloads {
		var got struct {
			Retry   int
			Entered string
		}
		if err := json.Unmarshal([]byte(p), &got); err != nil || got.Retry != i || i > 0 && got.Entered != entered {
			t.Errorf("attempt %d was told %s", i, p)
		}
		entered = got.Entered
	}
	if _, err := time.Parse("2006-01-02T15:04:05.000Z", entered); len(payloads) != 4 || err != nil {
		t.Errorf("%d attempts, entry time %q", len(payloads), entered)
	}
}

func retryWithJitter(t *testing.T, l *Lane) {
	l.Provide("f", func(context.Context, []byte) (any, error) { return nil, Fault{"E", ""} })
	execution := l.start(t, l.machine(t, taskWith(`"Retry":[{"ErrorEquals":["States.ALL"],"IntervalSeconds":2,"BackoffRate":1,"MaxAttempts":12,"JitterStrategy":"FULL"}]`)), `{}`)
	l.ended(t, execution, types.ExecutionStatusFailed)
	at := attempts(l.history(t, execution))
	different := map[time.Duration]bool{}
	for i := 1; i < len(at); i++ {
		d := at[i].Sub(at[i-1])
		different[d] = true
		if d > 3*time.Second {
			t.Errorf("a delay of %v", d)
		}
	}
	if len(at) != 13 || len(different) < 3 {
		t.Errorf("%d attempts, %d different delays", len(at), len(different))
	}
}

func retryCountsPerRetrier(t *testing.T, l *Lane) {
	names := []string{"A", "A", "B", "A"}
	calls := 0
	l.Provide("f", func(context.Context, []byte) (any, error) {
		calls++
		return nil, Fault{names[min(calls, len(names))-1], ""}
	})
	execution := l.start(t, l.machine(t, taskWith(`"Retry":[{"ErrorEquals":["A"],"MaxAttempts":2},{"ErrorEquals":["B"],"MaxAttempts":2},{"ErrorEquals":["States.ALL"]}]`)), `{}`)
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if calls != 4 || *out.Error != "A" {
		t.Errorf("%d calls, ended with %s", calls, *out.Error)
	}
}

func catchByErrorName(t *testing.T, l *Lane) {
	l.Provide("f", func(_ context.Context, _ []byte) (any, error) { return nil, Fault{"Denied", "no"} })
	cause := `"Cause":"{\"errorType\":\"Denied\",\"errorMessage\":\"no\"}"`
	for catch, want := range map[string]string{
		`{"ErrorEquals":["Other"],"Next":"One"},{"ErrorEquals":["X","Denied"],"ResultPath":"$.e","Next":"Two"}`: `{"by":"two","e":{` + cause + `,"Error":"Denied"},"k":1}`,
		`{"ErrorEquals":["States.Timeout"],"Next":"One"},{"ErrorEquals":["States.TaskFailed"],"Next":"Two"}`:    `{` + `"by":"two",` + cause + `,"Error":"Denied"}`,
		`{"ErrorEquals":["States.HeartbeatTimeout"],"Next":"One"},{"ErrorEquals":["States.ALL"],"Next":"Two"}`:  `{` + `"by":"two",` + cause + `,"Error":"Denied"}`,
		`{"ErrorEquals":["Denied"],"ResultPath":null,"Next":"One"},{"ErrorEquals":["States.ALL"],"Next":"Two"}`: `{"by":"one","k":1}`,
	} {
		execution := l.start(t, l.machine(t, catching("", catch)), `{"k":1}`)
		out := l.ended(t, execution, types.ExecutionStatusSucceeded)
		var got, expected any
		if json.Unmarshal([]byte(*out.Output), &got) != nil || json.Unmarshal([]byte(want), &expected) != nil {
			t.Fatal(*out.Output, want)
		}
		if diff := cmp.Diff(stripCause(expected), stripCause(got)); diff != "" {
			t.Errorf("%s: %s", catch, diff)
		}
	}
}

// stripCause replaces causes by their presence: their text is the function's.
func stripCause(tree any) any {
	if object, ok := tree.(map[string]any); ok {
		for name, member := range object {
			object[name] = stripCause(member)
			if name == "Cause" {
				object[name] = member != ""
			}
		}
	}
	return tree
}

func timeoutIsCaught(t *testing.T, l *Lane) {
	release := make(chan struct{})
	defer close(release)
	l.Provide("f", func(context.Context, []byte) (any, error) { <-release; return nil, nil })
	for _, catch := range []string{
		`{"ErrorEquals":["States.TaskFailed"],"Next":"One"},{"ErrorEquals":["States.Timeout"],"Next":"Two"}`,
		`{"ErrorEquals":["States.TaskFailed"],"Next":"One"},{"ErrorEquals":["States.ALL"],"Next":"Two"}`,
	} {
		execution := l.start(t, l.machine(t, catching(`"TimeoutSeconds":1,`, catch)), `{}`)
		out := l.ended(t, execution, types.ExecutionStatusSucceeded)
		if !strings.Contains(*out.Output, `"two"`) {
			t.Errorf("%s: %s", catch, *out.Output)
		}
		l.reached(t, execution, types.HistoryEventTypeTaskTimedOut, 1)
	}
	execution := l.start(t, l.machine(t, taskWith(`"TimeoutSeconds":1`)), `{}`)
	if out := l.ended(t, execution, types.ExecutionStatusFailed); *out.Error != "States.Timeout" {
		t.Errorf("ended with %s", *out.Error)
	}
}

func lateAnswer(t *testing.T, l *Lane) {
	first, second := make(chan struct{}), make(chan struct{})
	begun := make(chan int, 2)
	l.Provide("f", func(_ context.Context, payload []byte) (any, error) {
		var in struct{ Retry int }
		err := json.Unmarshal(payload, &in)
		begun <- in.Retry
		if in.Retry == 0 {
			<-first
			return "late", err
		}
		<-second
		return "right", err
	})
	execution := l.start(t, l.machine(t, taskWith(`"OutputPath":"$.Payload","TimeoutSeconds":2,"Retry":[{"ErrorEquals":["States.Timeout"],"IntervalSeconds":1}]`)), `{}`)
	<-begun
	<-begun
	close(first)
	time.Sleep(time.Second) // the late answer has come, and the second attempt runs
	close(second)
	if out := l.ended(t, execution, types.ExecutionStatusSucceeded); *out.Output != `"right"` {
		t.Errorf("output %s", *out.Output)
	}
}

func runtimeErrorIsNotCaught(t *testing.T, l *Lane) {
	l.Provide("f", func(context.Context, []byte) (any, error) { return map[string]int{"a": 1}, nil })
	for _, definition := range []string{
		catching(`"OutputPath":"$.nowhere","Retry":[{"ErrorEquals":["States.ALL"]}],`, catchEverything),
		catching(`"ResultSelector":{"x.$":"$.nowhere"},`, catchEverything),
		catching(`"InputPath":"$.nowhere",`, catchEverything),
	} {
		execution := l.start(t, l.machine(t, definition), `{}`)
		out := l.ended(t, execution, types.ExecutionStatusFailed)
		if *out.Error != "States.Runtime" || !strings.Contains(*out.Cause, "$.nowhere") {
			t.Errorf("ended with %s: %s", *out.Error, *out.Cause)
		}
	}
}

func oversizeResult(t *testing.T, l *Lane) {
	l.Provide("f", func(context.Context, []byte) (any, error) { return strings.Repeat("x", 262_144), nil })
	execution := l.start(t, l.machine(t, catching("", catchEverything)), `{}`)
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if *out.Error != "States.DataLimitExceeded" || !strings.Contains(*out.Cause, "maximum number of bytes service limit") {
		t.Errorf("ended with %s: %s", *out.Error, aws.ToString(out.Cause))
	}
}

package contract

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"
)

// parking is a machine of one task that waits for its token, with more fields.
func parking(fields string) string {
	return `{"StartAt":"Park","States":{
	  "Park":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.waitForTaskToken",
	    "Parameters":{"FunctionName":"park","Payload":{"token.$":"$$.Task.Token"}},` + fields + `"End":true}}}`
}

// tokens provides the function park and keeps what it is given, newest last.
type tokens struct {
	mu  sync.Mutex
	all []string
}

func (k *tokens) provide(l *Lane) {
	l.Provide("park", func(_ context.Context, payload []byte) (any, error) {
		var in struct{ Token string }
		if err := json.Unmarshal(payload, &in); err != nil {
			return nil, err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.all = append(k.all, in.Token)
		return "noted", nil
	})
}

// parked starts an execution, and waits until it is parked.
func (k *tokens) parked(t *testing.T, l *Lane, definition string) (execution, token string) {
	t.Helper()
	k.provide(l)
	execution = l.start(t, l.machine(t, definition), `{"k":1}`)
	l.reached(t, execution, types.HistoryEventTypeTaskSubmitted, 1)
	return execution, k.last()
}

func (k *tokens) last() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.all[len(k.all)-1]
}

func succeed(t *testing.T, l *Lane, token, output string) error {
	_, err := l.Client.SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: &token, Output: &output})
	return err
}

// refusedAsOld checks that the token is one no more.
func refusedAsOld(t *testing.T, l *Lane, token string) {
	t.Helper()
	var old *types.TaskTimedOut
	if err := succeed(t, l, token, `{}`); !errors.As(err, &old) {
		t.Errorf("an old token's success: %v", err)
	}
	if _, err := l.Client.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: &token}); !errors.As(err, &old) {
		t.Errorf("an old token's failure: %v", err)
	}
	if _, err := l.Client.SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: &token}); !errors.As(err, &old) {
		t.Errorf("an old token's heartbeat: %v", err)
	}
}

func tokenAnswered(t *testing.T, l *Lane) {
	var k tokens
	execution, token := k.parked(t, l, parking(`"ResultPath":"$.answer",`))
	if err := succeed(t, l, token, `{"approved":true}`); err != nil {
		t.Fatal(err)
	}
	out := l.ended(t, execution, types.ExecutionStatusSucceeded)
	if want := `{"answer":{"approved":true},"k":1}`; *out.Output != want {
		t.Errorf("output %s, want %s", *out.Output, want)
	}
	want := strings.Fields("ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskSubmitted TaskSucceeded TaskStateExited ExecutionSucceeded")
	if diff := cmp.Diff(want, typesOf(l.history(t, execution))); diff != "" {
		t.Error(diff)
	}
	refusedAsOld(t, l, token)
}

func tokenFailed(t *testing.T, l *Lane) {
	var k tokens
	execution, token := k.parked(t, l, parking(`"Retry":[{"ErrorEquals":["Again"],"IntervalSeconds":1}],`))
	if _, err := l.Client.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: &token, Error: aws.String("Again"), Cause: aws.String("c")}); err != nil {
		t.Fatal(err)
	}
	l.reached(t, execution, types.HistoryEventTypeTaskSubmitted, 2)
	if k.last() == token {
		t.Error("the second attempt has the first one's token")
	}
	refusedAsOld(t, l, token)
	token = k.last()
	if _, err := l.Client.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: &token, Error: aws.String("Final"), Cause: aws.String("c")}); err != nil {
		t.Fatal(err)
	}
	if out := l.ended(t, execution, types.ExecutionStatusFailed); *out.Error != "Final" || *out.Cause != "c" {
		t.Errorf("ended with %s: %s", *out.Error, *out.Cause)
	}
}

func tokenTimesOut(t *testing.T, l *Lane) {
	var k tokens
	execution, token := k.parked(t, l, parking(`"TimeoutSeconds":2,`))
	if out := l.ended(t, execution, types.ExecutionStatusFailed); *out.Error != "States.Timeout" {
		t.Errorf("ended with %s", *out.Error)
	}
	refusedAsOld(t, l, token)
}

func tokenHeartbeat(t *testing.T, l *Lane) {
	var k tokens
	execution, token := k.parked(t, l, parking(`"HeartbeatSeconds":3,`))
	for range 4 { // each within the three seconds, together well beyond them
		time.Sleep(2 * time.Second)
		if _, err := l.Client.SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: &token}); err != nil {
			t.Fatal(err)
		}
	}
	if s := l.describe(t, execution).Status; s != types.ExecutionStatusRunning {
		t.Errorf("status %s in spite of heartbeats", s)
	}
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if !strings.HasSuffix(*out.Error, "Timeout") {
		t.Errorf("ended with %s", *out.Error)
	}
	refusedAsOld(t, l, token)
}

func tokenAnsweredEarly(t *testing.T, l *Lane) {
	release := make(chan struct{})
	given := make(chan string, 1)
	l.Provide("park", func(_ context.Context, payload []byte) (any, error) {
		var in struct{ Token string }
		err := json.Unmarshal(payload, &in)
		given <- in.Token
		<-release
		return "late", err
	})
	execution := l.start(t, l.machine(t, parking("")), `{}`)
	if err := succeed(t, l, <-given, `"early"`); err != nil {
		t.Fatal(err)
	}
	out := l.ended(t, execution, types.ExecutionStatusSucceeded)
	close(release)
	if *out.Output != `"early"` {
		t.Errorf("output %s", *out.Output)
	}
}

func tokenThatIsNone(t *testing.T, l *Lane) {
	var invalid *types.InvalidToken
	if err := succeed(t, l, "not-a-token", `{}`); !errors.As(err, &invalid) {
		t.Errorf("error is %v", err)
	}
	var k tokens
	_, token := k.parked(t, l, parking(""))
	var output *types.InvalidOutput
	if err := succeed(t, l, token, `{`); !errors.As(err, &output) {
		t.Errorf("error is %v", err)
	}
	if err := succeed(t, l, token, `{}`); err != nil {
		t.Errorf("the refused output used the token up: %v", err)
	}
}

// backoffIsIdle: between two attempts nothing runs that could time out, and there
// is no token to be answered.
func backoffIsIdle(t *testing.T, l *Lane) {
	var k tokens
	execution, token := k.parked(t, l, parking(`"TimeoutSeconds":2,"Retry":[{"ErrorEquals":["Again"],"IntervalSeconds":6,"MaxAttempts":1}],`))
	if _, err := l.Client.SendTaskFailure(t.Context(), &sfn.SendTaskFailureInput{TaskToken: &token, Error: aws.String("Again")}); err != nil {
		t.Fatal(err)
	}
	refusedAsOld(t, l, token)
	l.ended(t, execution, types.ExecutionStatusFailed)
	want := strings.Fields("ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskSubmitted TaskFailed TaskScheduled TaskStarted TaskSubmitted TaskTimedOut ExecutionFailed")
	if diff := cmp.Diff(want, typesOf(l.history(t, execution))); diff != "" {
		t.Error(diff)
	}
}

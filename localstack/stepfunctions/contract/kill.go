package contract

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"
)

func needsKill(t *testing.T, l *Lane) {
	t.Helper()
	if l.Kill == nil {
		t.Skip("the lane cannot be killed")
	}
}

func killInATask(t *testing.T, l *Lane) {
	needsKill(t, l)
	var mu sync.Mutex
	var retries []int
	begun := make(chan struct{}, 2)
	l.Provide("f", func(ctx context.Context, payload []byte) (any, error) {
		var in struct{ Retry int }
		err := json.Unmarshal(payload, &in)
		mu.Lock()
		retries = append(retries, in.Retry)
		mu.Unlock()
		begun <- struct{}{}
		if in.Retry == 0 {
			<-ctx.Done() // until the kill
			return "from the dead", nil
		}
		return "done", err
	})
	execution := l.start(t, l.machine(t, taskWith(`"OutputPath":"$.Payload","Retry":[{"ErrorEquals":["Lambda.Unknown"],"IntervalSeconds":1}]`)), `{}`)
	<-begun
	l.Kill()
	out := l.ended(t, execution, types.ExecutionStatusSucceeded)
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]int{0, 1}, retries); diff != "" || *out.Output != `"done"` {
		t.Errorf("output %s, retry counts %s", *out.Output, diff)
	}
	want := strings.Fields("ExecutionStarted TaskStateEntered TaskScheduled TaskStarted TaskFailed TaskScheduled TaskStarted TaskSucceeded TaskStateExited ExecutionSucceeded")
	if diff := cmp.Diff(want, typesOf(l.history(t, execution))); diff != "" {
		t.Error(diff)
	}
}

func killInAWait(t *testing.T, l *Lane) {
	needsKill(t, l)
	execution := l.start(t, l.machine(t, `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":100,"End":true}}}`), `{"k":1}`)
	entered := l.reached(t, execution, types.HistoryEventTypeWaitStateEntered, 1)
	time.Sleep(60 * time.Second)
	l.Kill()
	out := l.ended(t, execution, types.ExecutionStatusSucceeded)
	if waited := out.StopDate.Sub(*entered.Timestamp); waited < 100*time.Second || waited > 105*time.Second {
		t.Errorf("waited %v, and not until its stored instant", waited)
	}
}

func killInAPark(t *testing.T, l *Lane) {
	needsKill(t, l)
	var k tokens
	execution, token := k.parked(t, l, parking(`"TimeoutSeconds":100,`))
	l.Kill()
	if err := succeed(t, l, token, `"yes"`); err != nil {
		t.Fatal(err)
	}
	if out := l.ended(t, execution, types.ExecutionStatusSucceeded); *out.Output != `"yes"` {
		t.Errorf("output %s", *out.Output)
	}
	l.Kill()
	refusedAsOld(t, l, token)

	execution, token = k.parked(t, l, parking(`"TimeoutSeconds":100,`))
	l.Kill()
	out := l.ended(t, execution, types.ExecutionStatusFailed)
	if took := out.StopDate.Sub(*out.StartDate); *out.Error != "States.Timeout" || took > 105*time.Second {
		t.Errorf("ended with %s after %v", *out.Error, took)
	}
	refusedAsOld(t, l, token)
}

func killInABackoff(t *testing.T, l *Lane) {
	needsKill(t, l)
	var mu sync.Mutex
	calls := 0
	l.Provide("f", func(context.Context, []byte) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		if calls++; calls < 4 {
			return nil, Fault{"Busy", ""}
		}
		return calls, nil
	})
	execution := l.start(t, l.machine(t, taskWith(`"OutputPath":"$.Payload","Retry":[{"ErrorEquals":["Busy"],"IntervalSeconds":20,"BackoffRate":1}]`)), `{}`)
	for n := 1; n <= 3; n++ {
		l.reached(t, execution, types.HistoryEventTypeTaskFailed, n)
		l.Kill()
	}
	if out := l.ended(t, execution, types.ExecutionStatusSucceeded); *out.Output != "4" {
		t.Errorf("output %s", *out.Output)
	}
	at := attempts(l.history(t, execution))
	for i := 1; i < len(at); i++ {
		if d := at[i].Sub(at[i-1]); d < 20*time.Second || d > 25*time.Second {
			t.Errorf("attempts at %v", at)
		}
	}
}

package execution_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/index"
)

var everyMinute = events.EventBridgeEvent{Source: "aws.events", DetailType: "Scheduled Event", Detail: json.RawMessage(`{}`)}

// ended is what EventBridge sends for an execution, cut to what matters.
func ended(input, status string) events.EventBridgeEvent {
	b, err := json.Marshal(map[string]any{"executionArn": "arn", "name": "n", "status": status, "input": input, "inputDetails": map[string]bool{"included": true}})
	if err != nil {
		panic(err)
	}
	return events.EventBridgeEvent{Source: "aws.states", DetailType: "Step Functions Execution Status Change", Detail: b}
}

func TestRecoverRevivesAtOnceWhatAnExecutionLeftBehind(t *testing.T) {
	for _, status := range []types.ExecutionStatus{types.ExecutionStatusFailed, types.ExecutionStatusTimedOut, types.ExecutionStatusAborted} {
		w := newWorld(t)
		w.submit(stream, "a")
		w.wake()
		w.m.end(status)
		for range 2 { // EventBridge delivers at least once
			if err := w.Recover(t.Context(), ended(firstOfA, string(status))); err != nil {
				t.Fatal(err)
			}
		}
		w.wantRunning(secondOfA)
		if len(w.resumed()) != 1 {
			t.Errorf("%s: resumed %v, want once", status, w.resumed())
		}
	}
}

// The event tells where to look; the log tells what to do.
func TestRecoverOfAnExecutionWhoseOperationHasSettled(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	w.submit(stream, "b")
	w.wake()
	w.append(event.OperationCompleted{})
	w.m.end(types.ExecutionStatusFailed)
	if err := w.Recover(t.Context(), ended(firstOfA, "FAILED")); err != nil {
		t.Fatal(err)
	}
	w.wantRunning(firstOfB)
	if len(w.resumed()) != 0 {
		t.Errorf("resumed %v", w.resumed())
	}
}

func TestRecoverRefusesEventsThatItDoesNotKnow(t *testing.T) {
	w := newWorld(t)
	for name, e := range map[string]events.EventBridgeEvent{
		"another type":    {DetailType: "EC2 Instance State-change Notification", Detail: json.RawMessage(`{}`)},
		"none":            {},
		"broken detail":   {DetailType: "Step Functions Execution Status Change", Detail: json.RawMessage(`[]`)},
		"another's input": ended("not a turn", "FAILED"),
		"no input":        ended("", "FAILED"),
		"an empty turn":   ended("{}", "FAILED"),
	} {
		if err := w.Recover(t.Context(), e); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestRecoverOnScheduleWakesEverySessionWithUnsettledOperationsOnce(t *testing.T) {
	w := newWorld(t)
	var want []string
	shards := map[string]bool{}
	for i := range 60 {
		s := eventstore.Stream{Tenant: fmt.Sprint("tenant-", i%2), Session: fmt.Sprint("s-", i)}
		for n := range 1 + i%4 {
			w.submit(s, fmt.Sprint("op-", n))
		}
		shards[index.UnsettledRow(s, "", 1).Partition] = true
		want = append(want, fmt.Sprintf(`{"tenant":"%s","session":"%s","operation":"op-0","generation":1}`, s.Tenant, s.Session))
	}
	for i := range 250 { // more rows than a page, of one session
		w.submit(stream, fmt.Sprint("op-", i))
	}
	want = append(want, input("s", "op-0"))
	if err := w.Recover(t.Context(), everyMinute); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(slices.Values(w.m.started))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d starts, want %d, one for each session:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	if len(shards) < index.Shards-1 {
		t.Errorf("the sessions stand in %d shards; the test needs nearly all", len(shards))
	}
}

func TestRecoverOnScheduleLooksPastSettledOperations(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	w.append(event.OperationCompleted{})
	if err := w.Recover(t.Context(), everyMinute); err != nil || len(w.m.started) != 0 {
		t.Errorf("started %v, %v", w.m.started, err)
	}
	w.submit(stream, "b")
	if err := w.Recover(t.Context(), everyMinute); err != nil {
		t.Fatal(err)
	}
	w.wantRunning(firstOfB)
}

// A session, or a shard, that fails must not keep the rest from being recovered.
func TestRecoverOnScheduleGoesOnPastWhatFails(t *testing.T) {
	d := memory.New()
	w := over(t, d)
	for i := range 20 {
		w.submit(eventstore.Stream{Tenant: "acme", Session: fmt.Sprint("s-", i)}, "a")
	}
	broken := eventstore.Stream{Tenant: "acme", Session: "s-7"}
	_, at, err := w.Journal.Head(t.Context(), broken)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Journal.Append(t.Context(), at, eventstore.Draft{Events: []event.Event{{Data: event.OperationStarted{}}}, Summary: []byte(`{"v":99}`)}); err != nil {
		t.Fatal(err)
	}
	if err := w.Recover(t.Context(), everyMinute); err == nil || !strings.Contains(err.Error(), "acme/s-7") {
		t.Errorf("%v, want an error that names the session", err)
	}
	if n := len(w.m.running()); n != 19 {
		t.Errorf("%d sessions are running, want the other 19", n)
	}

	cause := errors.New("throttled")
	w.m.startErr = cause
	if err := w.Recover(t.Context(), everyMinute); !errors.Is(err, cause) || strings.Count(err.Error(), "throttled") != 19 {
		t.Errorf("%v, want what failed for each session", err)
	}
}

// shardDown is a log whose third shard of unsettled rows cannot be read.
type shardDown struct{ eventstore.Driver }

func (d shardDown) Rows(ctx context.Context, q eventstore.RowQuery) ([]eventstore.Row, bool, error) {
	if q.Partition == index.UnsettledPartition(2) {
		return nil, false, eventstore.Errorf(eventstore.Unavailable, "rows", "this shard is down")
	}
	return d.Driver.Rows(ctx, q)
}

func TestRecoverOnScheduleGoesOnPastAShardThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := over(t, shardDown{memory.New()})
		var want []string
		for i := range 40 {
			s := eventstore.Stream{Tenant: "acme", Session: fmt.Sprint("s-", i)}
			w.submit(s, "a")
			if index.UnsettledRow(s, "a", 2).Partition != index.UnsettledPartition(2) {
				want = append(want, input(s.Session, "a"))
			}
		}
		if err := w.Recover(t.Context(), everyMinute); eventstore.CodeOf(err) != eventstore.Unavailable || err == nil {
			t.Errorf("%v, want %s", err, eventstore.Unavailable)
		}
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(w.m.started)); len(want) == 40 || !slices.Equal(got, want) {
			t.Errorf("%d sessions were woken, want %d: all but those of one shard", len(got), len(want))
		}
	})
}

// One slow session, or one slow shard, must not use up the minute of the others.
func TestRecoverOnScheduleEndsBeforeItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := over(t, shardDown{memory.New()})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		_ = w.Recover(ctx, everyMinute)
		if took := time.Since(began); took > 55*time.Second {
			t.Errorf("%s of a minute", took)
		}
	})
}

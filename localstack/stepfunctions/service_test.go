package stepfunctions_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"windlass/localstack/stepfunctions"
)

func startExecution(t testing.TB, client *sfn.Client, machine, name, input string) string {
	t.Helper()
	in := &sfn.StartExecutionInput{StateMachineArn: &machine, Input: &input}
	if name != "" {
		in.Name = &name
	}
	out, err := client.StartExecution(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return *out.ExecutionArn
}

func describe(t testing.TB, client *sfn.Client, execution string) *sfn.DescribeExecutionOutput {
	t.Helper()
	out, err := client.DescribeExecution(context.Background(), &sfn.DescribeExecutionInput{ExecutionArn: &execution})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func history(t testing.TB, client *sfn.Client, execution string) (names []string, pages int) {
	t.Helper()
	p := sfn.NewGetExecutionHistoryPaginator(client, &sfn.GetExecutionHistoryInput{ExecutionArn: &execution, MaxResults: 1000})
	for p.HasMorePages() {
		page, err := p.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		pages++
		for _, e := range page.Events {
			names = append(names, string(e.Type))
		}
	}
	return names, pages
}

func ensure(t testing.TB, e *embedded, name, definition string) string {
	t.Helper()
	arn, err := e.service.EnsureStateMachine(name, definition)
	if err != nil {
		t.Fatal(err)
	}
	return arn
}

const oneTask = `{"StartAt":"T","States":{"T":{"Type":"Task","Resource":"arn:aws:lambda:us-east-1:000000000000:function:f","End":true}}}`

// inBubble runs a test on a fake clock with an open service.
func inBubble(t *testing.T, opts stepfunctions.Options, test func(t *testing.T, e *embedded)) {
	synctest.Test(t, func(t *testing.T) {
		e := openEmbedded(t, opts)
		defer func() { e.close() }()
		test(t, e)
	})
}

func TestStatusChangesAreStoredWithTheTransition(t *testing.T) {
	outbox := []byte("outbox")
	var details []stepfunctions.StatusChange
	opts := stepfunctions.Options{StatusChanged: func(tx *bbolt.Tx, d stepfunctions.StatusChange) error {
		b, err := tx.CreateBucketIfNotExists(outbox)
		if err != nil {
			return err
		}
		details = append(details, d)
		n, _ := b.NextSequence()
		return b.Put(binary.BigEndian.AppendUint64(nil, n), []byte(d.Status))
	}}
	inBubble(t, opts, func(t *testing.T, e *embedded) {
		e.lane.Provide("f", func(context.Context, []byte) (any, error) { return 1, nil })
		machine := ensure(t, e, "m", oneTask)
		execution := startExecution(t, e.lane.Client, machine, "n", `{"k":1}`)
		synctest.Wait()
		e.lane.Kill()
		var stored []string
		if err := e.db.View(func(tx *bbolt.Tx) error {
			return tx.Bucket(outbox).ForEach(func(_, v []byte) error { stored = append(stored, string(v)); return nil })
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"RUNNING", "SUCCEEDED"}, stored); diff != "" {
			t.Fatal(diff)
		}
		now := time.Now().UnixMilli()
		input, output, included := `{"k":1}`, `1`, &stepfunctions.Included{Included: true}
		want := []stepfunctions.StatusChange{
			{ExecutionARN: execution, StateMachineARN: machine, Name: "n", Status: "RUNNING", StartDate: now, Input: &input, InputDetails: included},
			{ExecutionARN: execution, StateMachineARN: machine, Name: "n", Status: "SUCCEEDED", StartDate: now, StopDate: &now, Input: &input, InputDetails: included, Output: &output, OutputDetails: included},
		}
		if diff := cmp.Diff(want, details); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRefusedStatusChangeLeavesNothingAndIsTriedAgain(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	opts := stepfunctions.Options{Log: quiet, StatusChanged: func(*bbolt.Tx, stepfunctions.StatusChange) error {
		if refuse.Load() {
			return errors.New("the outbox is full")
		}
		return nil
	}}
	inBubble(t, opts, func(t *testing.T, e *embedded) {
		calls := 0
		e.lane.Provide("f", func(context.Context, []byte) (any, error) {
			calls++
			refuse.Store(true)
			return calls, nil
		})
		machine := ensure(t, e, "m", oneTask)
		if _, err := e.lane.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine}); err == nil {
			t.Fatal("started without its event")
		}
		list, err := e.lane.Client.ListExecutions(t.Context(), &sfn.ListExecutionsInput{StateMachineArn: &machine})
		if err != nil || len(list.Executions) != 0 {
			t.Fatalf("left behind: %+v, %v", list, err)
		}
		refuse.Store(false)
		execution := startExecution(t, e.lane.Client, machine, "", `{}`)
		time.Sleep(10 * time.Second)
		if out := describe(t, e.lane.Client, execution); out.Status != types.ExecutionStatusRunning {
			t.Fatalf("ended without its event: %+v", out)
		}
		refuse.Store(false)
		time.Sleep(10 * time.Second)
		if out := describe(t, e.lane.Client, execution); out.Status != types.ExecutionStatusSucceeded || *out.Output != "1" || calls != 1 {
			t.Errorf("status %s after %d calls", out.Status, calls)
		}
	})
}

func TestKilledAtEveryInvocationItEndsTheSame(t *testing.T) {
	const definition = `{"StartAt":"Drive","States":{
	  "Drive":{"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","OutputPath":"$.Payload","Next":"More",
	    "Retry":[{"ErrorEquals":["States.ALL"]}],
	    "Parameters":{"FunctionName":"drive","Payload":{"n.$":"$.n","by.$":"$$.State.EnteredTime","retry.$":"$$.State.RetryCount"}}},
	  "More":{"Type":"Choice","Choices":[{"Variable":"$.n","NumericLessThan":6,"Next":"Pause"}],"Default":"Done"},
	  "Pause":{"Type":"Wait","Seconds":1,"Next":"Drive"},
	  "Done":{"Type":"Succeed"}}}`
	for killAt := 1; killAt <= 6; killAt++ {
		inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
			by := map[string]bool{}
			dead := make(chan struct{}, 1)
			calls := 0
			e.lane.Provide("drive", func(ctx context.Context, payload []byte) (any, error) {
				calls++
				var n int
				if _, err := fmt.Sscanf(string(payload[strings.Index(string(payload), `"n":`)+4:]), "%d", &n); err != nil {
					return nil, err
				}
				if id := strings.Replace(string(payload), fmt.Sprintf(`"n":%d,`, n), "", 1); by[id] {
					t.Errorf("two invocations share %s", id)
				} else {
					by[id] = true
				}
				if calls == killAt {
					dead <- struct{}{}
					<-ctx.Done()
				}
				return map[string]int{"n": n + 1}, nil
			})
			execution := startExecution(t, e.lane.Client, ensure(t, e, "m", definition), "", `{"n":0}`)
			<-dead
			e.lane.Kill()
			time.Sleep(time.Minute)
			if out := describe(t, e.lane.Client, execution); out.Status != types.ExecutionStatusSucceeded || *out.Output != `{"n":6}` || calls != 7 {
				t.Errorf("killed at %d: %s after %d calls", killAt, out.Status, calls)
			}
		})
	}
}

func TestNothingMovesBeforeStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := openEmbedded(t, stepfunctions.Options{})
		defer func() { e.close() }()
		e.service.Close()
		calls := 0
		opts := e.opts
		opts.Invoke = func(context.Context, string, []byte) ([]byte, *stepfunctions.FunctionError, error) {
			calls++
			return []byte(`"x"`), nil, nil
		}
		s, err := stepfunctions.Open(e.db, opts)
		if err != nil {
			t.Fatal(err)
		}
		e.service = s
		client := clientOf(s.Handler())
		execution := startExecution(t, client, ensure(t, e, "m", oneTask), "", `{}`)
		time.Sleep(time.Hour)
		if calls != 0 || describe(t, client, execution).Status != types.ExecutionStatusRunning {
			t.Fatalf("%d calls before Start", calls)
		}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if calls != 1 || describe(t, client, execution).Status != types.ExecutionStatusSucceeded {
			t.Errorf("%d calls after Start", calls)
		}
		if err := s.Start(t.Context()); err == nil {
			t.Error("started twice")
		}
	})
}

func TestEnsureStateMachineChangesInPlace(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		wait := func(result string) string {
			return `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":5,"Next":"P"},"P":{"Type":"Pass","Result":"` + result + `","End":true}}}`
		}
		arn := ensure(t, e, "m", wait("old"))
		old := startExecution(t, e.lane.Client, arn, "", `{}`)
		synctest.Wait()
		e.lane.Kill()
		if again := ensure(t, e, "m", wait("new")); again != arn {
			t.Errorf("another ARN: %s", again)
		}
		young := startExecution(t, e.lane.Client, arn, "", `{}`)
		time.Sleep(10 * time.Second)
		if a, b := describe(t, e.lane.Client, old), describe(t, e.lane.Client, young); *a.Output != `"old"` || *b.Output != `"new"` {
			t.Errorf("outputs %s, %s", *a.Output, *b.Output)
		}
		if _, err := e.service.EnsureStateMachine("m", `{}`); err == nil || !strings.Contains(err.Error(), "InvalidDefinition") {
			t.Errorf("an empty definition: %v", err)
		}
	})
}

func TestDeleteAbortsRunningExecutions(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		begun := make(chan struct{})
		e.lane.Provide("f", func(ctx context.Context, _ []byte) (any, error) { close(begun); <-ctx.Done(); return 1, nil })
		machine := ensure(t, e, "m", oneTask)
		execution := startExecution(t, e.lane.Client, machine, "", `{}`)
		<-begun
		for range 2 {
			if _, err := e.lane.Client.DeleteStateMachine(t.Context(), &sfn.DeleteStateMachineInput{StateMachineArn: &machine}); err != nil {
				t.Fatal(err)
			}
		}
		if out := describe(t, e.lane.Client, execution); out.Status != types.ExecutionStatusAborted {
			t.Errorf("status %s", out.Status)
		}
		var none *types.StateMachineDoesNotExist
		if _, err := e.lane.Client.StartExecution(t.Context(), &sfn.StartExecutionInput{StateMachineArn: &machine}); !errors.As(err, &none) {
			t.Errorf("started on a deleted machine: %v", err)
		}
		list, err := e.lane.Client.ListStateMachines(t.Context(), &sfn.ListStateMachinesInput{})
		if err != nil || len(list.StateMachines) != 0 {
			t.Errorf("listed: %+v, %v", list, err)
		}
	})
}

func TestWaitingExecutionsHoldNoGoroutine(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		const many = 500
		machine := ensure(t, e, "m", `{"StartAt":"W","States":{"W":{"Type":"Wait","Seconds":60,"End":true}}}`)
		before := runtime.NumGoroutine()
		var executions []string
		for range many {
			executions = append(executions, startExecution(t, e.lane.Client, machine, "", `{}`))
		}
		synctest.Wait()
		if after := runtime.NumGoroutine(); after > before+many/10 {
			t.Errorf("%d goroutines, %d before", after, before)
		}
		e.lane.Kill()
		time.Sleep(61 * time.Second)
		synctest.Wait()
		for _, execution := range executions {
			if s := describe(t, e.lane.Client, execution).Status; s != types.ExecutionStatusSucceeded {
				t.Fatalf("status %s", s)
			}
		}
	})
}

func TestLargeHistoryComesInPagesOfBoundedSize(t *testing.T) {
	inBubble(t, stepfunctions.Options{}, func(t *testing.T, e *embedded) {
		machine := ensure(t, e, "m", `{"StartAt":"P","States":{
		  "P":{"Type":"Pass","Parameters":{"n.$":"$.n","d.$":"$.d"},"Next":"W"},
		  "W":{"Type":"Wait","Seconds":1,"Next":"Q"},"Q":{"Type":"Pass","Next":"R"},"R":{"Type":"Pass","Next":"S"},"S":{"Type":"Pass","Next":"T"},
		  "T":{"Type":"Pass","Next":"U"},"U":{"Type":"Pass","Next":"V"},"V":{"Type":"Pass","Next":"X"},"X":{"Type":"Pass","Next":"Y"},"Y":{"Type":"Succeed"}}}`)
		execution := startExecution(t, e.lane.Client, machine, "", `{"n":1,"d":"`+strings.Repeat("x", 262_000)+`"}`)
		time.Sleep(2 * time.Second)
		names, pages := history(t, e.lane.Client, execution)
		if len(names) != 22 || names[21] != "ExecutionSucceeded" || pages < 2 {
			t.Errorf("%d events in %d pages: %v", len(names), pages, names)
		}
	})
}

package execution_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/execution"
)

// record is a commit's stream record, numbered.
func record(n int, partition string) events.DynamoDBEventRecord {
	return events.DynamoDBEventRecord{EventID: fmt.Sprint("event-", n), Change: events.DynamoDBStreamRecord{
		SequenceNumber: fmt.Sprint(n), Keys: map[string]events.DynamoDBAttributeValue{"pk": events.NewStringAttribute(partition), "sk": events.NewStringAttribute("x")},
	}}
}

func failures(r events.DynamoDBEventResponse) (numbers []string) {
	for _, f := range r.BatchItemFailures {
		numbers = append(numbers, f.ItemIdentifier)
	}
	return numbers
}

func input(session, operation string) string {
	return execution.Turn{Tenant: "acme", Session: session, Operation: operation, Generation: 1}.Input()
}

func TestDispatchWakesEachSessionOnceABatch(t *testing.T) {
	w := newWorld(t)
	var batch events.DynamoDBEvent
	for n := range 9 {
		s := eventstore.Stream{Tenant: "acme", Session: fmt.Sprint("s", n%3)}
		w.submit(s, fmt.Sprint("op-", n))
		batch.Records = append(batch.Records, record(n, eventstore.RecordPartition(s)))
	}
	r, err := w.Dispatch(t.Context(), batch)
	if err != nil || len(r.BatchItemFailures) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	want := []string{input("s0", "op-0"), input("s1", "op-1"), input("s2", "op-2")}
	if !slices.Equal(w.m.started, want) {
		t.Errorf("started %v, want %v", w.m.started, want)
	}
	// At least once: the same batch again starts nothing anew.
	if _, err := w.Dispatch(t.Context(), batch); err != nil || len(w.m.running()) != 3 {
		t.Errorf("again: running %v, %v", w.m.running(), err)
	}
}

func TestDispatchReportsEachRecordOfASessionThatFailsAndGoesOn(t *testing.T) {
	w := newWorld(t)
	good := eventstore.Stream{Tenant: "acme", Session: "good"}
	w.submit(good, "a")
	w.submit(stream, "a")
	w.wake()
	w.m.end("FAILED") // "s" needs a look, which fails
	w.m.descErr = errors.New("throttled")
	bad := eventstore.RecordPartition(stream)
	r, err := w.Dispatch(t.Context(), events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{
		record(1, bad), record(2, eventstore.RecordPartition(good)), record(3, bad), record(4, "acme#s#operation"), record(5, ""), record(6, eventstore.RecordPartition(good)),
	}})
	if got := failures(r); err != nil || !slices.Equal(got, []string{"1", "3", "4", "5"}) {
		t.Errorf("failed: %v, %v; want those of s and those of no stream", got, err)
	}
	if got := w.m.running(); !slices.Equal(got, []string{input("good", "a")}) {
		t.Errorf("running %v, want the good session", got)
	}
}

func TestDispatchOfAnEmptyBatch(t *testing.T) {
	if r, err := newWorld(t).Dispatch(t.Context(), events.DynamoDBEvent{}); err != nil || len(r.BatchItemFailures) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestDispatchDuringAnOutageOfTheLogReportsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := over(t, flaky.New(memory.New(), flaky.Script{{When: flaky.Reads, Do: flaky.Fail}}))
		r, err := w.Dispatch(t.Context(), events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{record(1, "acme#s#commit"), record(2, "acme#t#commit")}})
		if got := failures(r); err != nil || !slices.Equal(got, []string{"1", "2"}) {
			t.Errorf("failed: %v, %v", got, err)
		}
	})
}

package disaster

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/eventstore"
)

// stream brings commits to one function: at least once, in batches, and again what
// failed, so many times as its mapping says.
type stream struct {
	w       *world
	handle  func(*process, events.DynamoDBEvent) (events.DynamoDBEventResponse, error)
	retries int
	wants   func(eventstore.Record) bool

	mu      sync.Mutex
	pending []int // indexes of records
	tried   map[int]int
	more    chan struct{}
}

func (s *stream) add(n int) {
	s.mu.Lock()
	s.pending = append(s.pending, n)
	s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
}

func (s *stream) run() {
	for {
		select {
		case <-s.w.ctx.Done():
			return
		case <-s.more:
		}
		for batch := s.take(); len(batch) > 0; batch = s.take() {
			if failed := s.deliver(batch); len(failed) > 0 {
				s.again(failed)
				if !pause(s.w.ctx, time.Second) {
					return
				}
			}
		}
	}
}

func (s *stream) take() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch := s.pending
	s.pending = nil
	return batch
}

// deliver returns what is to be delivered again: everything, if the function died.
func (s *stream) deliver(batch []int) (failed []int) {
	var e events.DynamoDBEvent
	for _, n := range batch {
		e.Records = append(e.Records, events.DynamoDBEventRecord{EventID: fmt.Sprint(n), Change: events.DynamoDBStreamRecord{
			SequenceNumber: fmt.Sprint(n),
			Keys:           map[string]events.DynamoDBAttributeValue{"pk": events.NewStringAttribute(eventstore.RecordPartition(s.w.stored(n).Stream))},
		}})
	}
	var answer events.DynamoDBEventResponse
	var err error
	if !s.w.run(false, time.Minute, func(p *process) { answer, err = s.handle(p, e) }) || err != nil {
		return batch
	}
	for _, f := range answer.BatchItemFailures {
		failed = append(failed, batch[slices.IndexFunc(batch, func(n int) bool { return fmt.Sprint(n) == f.ItemIdentifier }):]...)
	}
	slices.Sort(failed)
	return slices.Compact(failed)
}

// again keeps those for another time that have not used up theirs: the others go to
// the failure queue, which nobody reads.
func (s *stream) again(failed []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rest []int
	for _, n := range failed {
		if s.tried[n]++; s.tried[n] <= s.retries {
			rest = append(rest, n)
		}
	}
	s.pending = append(rest, s.pending...)
}

// heard brings the event of an execution that ended badly to recover, three times
// at most.
func (w *world) heard(e *running, status types.ExecutionStatus) {
	if w.ctx.Err() != nil {
		return
	}
	detail, err := json.Marshal(map[string]string{"name": e.name, "input": e.input, "status": string(status)})
	if err != nil {
		panic(err) // strings
	}
	w.tasks.Go(func() {
		for range 3 {
			if w.recover(events.EventBridgeEvent{DetailType: "Step Functions Execution Status Change", Detail: detail}) || !pause(w.ctx, time.Minute) {
				return
			}
		}
	})
}

// sweep is the schedule.
func (w *world) sweep() {
	for pause(w.ctx, time.Minute) {
		w.recover(events.EventBridgeEvent{DetailType: "Scheduled Event"})
	}
}

func (w *world) recover(e events.EventBridgeEvent) bool {
	var err error
	alive := w.run(false, time.Minute, func(p *process) { err = p.starter().Recover(p.ctx, e) })
	return alive && err == nil
}

func dispatch(p *process, e events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	s := p.starter()
	s.Heed = p.heed
	return s.Dispatch(p.ctx, e)
}

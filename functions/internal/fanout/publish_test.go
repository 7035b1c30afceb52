package fanout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fanout"
	"windlass/functions/internal/fault"
)

// crowd is a session's subscribers, and what was posted to each and when.
type crowd struct {
	mu     sync.Mutex
	subs   []connection.Subscriber
	posted map[string][]string
	when   map[string][]time.Time
	closed map[string]int
	gone   map[string]bool
	asked  map[string]int // posts that were tried
	looked int            // at keys
	answer func(ctx context.Context, id string) error
	valid  error
	err    error
}

func newCrowd(n int) *crowd {
	c := &crowd{posted: map[string][]string{}, when: map[string][]time.Time{}, closed: map[string]int{}, gone: map[string]bool{}, asked: map[string]int{}}
	c.answer = func(context.Context, string) error { return nil }
	for i := range n {
		c.subs = append(c.subs, connection.Subscriber{Connection: fmt.Sprint("c", i), Key: "k", ClosesAt: time.Now().Add(time.Hour)})
	}
	return c
}

func (c *crowd) Subscribers(context.Context, eventstore.Stream) (all []connection.Subscriber, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.subs {
		if !c.gone[s.Connection] {
			all = append(all, s)
		}
	}
	return all, c.err
}

func (c *crowd) Forget(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone[id] = true
	return nil
}

func (c *crowd) Valid(context.Context, string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looked++
	return c.valid
}

func (c *crowd) Post(ctx context.Context, id string, frame []byte) error {
	c.mu.Lock()
	c.asked[id]++
	c.mu.Unlock()
	err := c.answer(ctx, id)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.posted[id] = append(c.posted[id], string(frame))
		c.when[id] = append(c.when[id], time.Now())
	}
	return err
}

func (c *crowd) Close(_ context.Context, id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed[id]++
	return nil
}

// commit is a stream record of one event at seq n; body stands in EventID.
func commit(n int) events.DynamoDBEventRecord {
	return events.DynamoDBEventRecord{EventID: fmt.Sprint(n), Change: events.DynamoDBStreamRecord{
		SequenceNumber: fmt.Sprint(n), Keys: map[string]events.DynamoDBAttributeValue{"pk": events.NewStringAttribute(eventstore.RecordPartition(stream))},
	}}
}

func (c *crowd) publisher(t *testing.T, size int) *fanout.Publisher {
	t.Helper()
	record := func(r events.DynamoDBEventRecord) (eventstore.Record, error) {
		var n uint64
		_, err := fmt.Sscan(r.EventID, &n)
		e := event.Event{At: event.At(time.Unix(0, 0)), Operation: "a", Data: event.ModelFailed{Attempt: 1, Error: event.Error{Code: "x", Message: strings.Repeat("m", size)}}}
		b, err2 := e.MarshalJSON()
		return eventstore.Record{Stream: stream, First: n, Last: n, Body: fmt.Appendf(nil, "[%s]", b)}, errors.Join(err, err2)
	}
	return fanout.New(c, c, c, eventstore.New(memory.New()), record, time.Now)
}

// publish delivers commits and returns which are to come again.
func publish(t *testing.T, p *fanout.Publisher, commits ...int) (again []string) {
	t.Helper()
	var e events.DynamoDBEvent
	for _, n := range commits {
		e.Records = append(e.Records, commit(n))
	}
	answer, err := p.Publish(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range answer.BatchItemFailures {
		again = append(again, f.ItemIdentifier)
	}
	return again
}

func TestNeighboursShareAFrameInWhateverOrderTheyCame(t *testing.T) {
	c := newCrowd(1)
	publish(t, c.publisher(t, 1), 4, 2, 3, 2, 9)
	got := c.posted["c0"]
	if len(got) != 2 || !strings.Contains(got[0], `"from":2,"to":4`) || !strings.Contains(got[1], `"from":9,"to":9`) {
		t.Errorf("%v", got)
	}
}

// A connection that hangs holds up one batch for as long as a post may take, and
// none after it; the others' frames are sent at once in every one.
func TestAHangingConnectionDelaysNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(100)
		c.answer = func(ctx context.Context, id string) error {
			if id == "c7" {
				time.Sleep(time.Second)
				return context.DeadlineExceeded
			}
			return nil
		}
		p := c.publisher(t, 1)
		began := time.Now()
		publish(t, p, 1)
		after := time.Now()
		publish(t, p, 2)
		if d := time.Since(after); d != 0 {
			t.Errorf("the second batch took %v", d)
		}
		for id, when := range c.when {
			if id != "c7" && (when[0].Sub(began) != 0 || when[1].Sub(after) != 0) {
				t.Errorf("%s got its frames after %v and %v", id, when[0].Sub(began), when[1].Sub(after))
			}
		}
		time.Sleep(10 * time.Second)
		publish(t, p, 3)
		if c.asked["c7"] != 2 || c.gone["c7"] || len(c.when) != 99 {
			t.Errorf("c7 was tried %d times, gone %t; %d others", c.asked["c7"], c.gone["c7"], len(c.when))
		}
	})
}

// Nor do many that hang, nor one whose posts all take nearly as long as they may.
func TestSlowConnectionsHoldUpABatchForTwoSecondsAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(200)
		c.answer = func(ctx context.Context, id string) error {
			switch id {
			case "c199":
				return nil
			case "c7":
				time.Sleep(900 * time.Millisecond)
				return ctx.Err()
			}
			<-ctx.Done()
			return ctx.Err()
		}
		p := c.publisher(t, 100_000) // a frame each
		began := time.Now()
		publish(t, p, 1, 2, 3, 4, 5, 6)
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("the batch took %v", took)
		}
		if when := c.when["c199"]; len(when) != 6 || when[5].Sub(began) != 0 {
			t.Errorf("the fast one got %d frames, the last after %v", len(when), when[len(when)-1].Sub(began))
		}
		after := time.Now()
		publish(t, p, 7)
		if took := time.Since(after); took != 0 || len(c.gone) != 0 {
			t.Errorf("the next batch took %v; %d were forgotten", took, len(c.gone))
		}
	})
}

// A connection that takes no more misses what comes, and is tried at the next.
func TestABusyConnectionIsSkippedOnce(t *testing.T) {
	c := newCrowd(2)
	busy := true
	c.answer = func(_ context.Context, id string) error {
		if id == "c0" && busy {
			return connection.ErrBusy
		}
		return nil
	}
	p := c.publisher(t, 100_000) // two frames a batch
	if again := publish(t, p, 1, 2); again != nil {
		t.Errorf("%v are to come again", again)
	}
	busy = false
	publish(t, p, 3)
	if c.asked["c0"] != 2 || len(c.posted["c0"]) != 1 || len(c.posted["c1"]) != 3 || c.gone["c0"] {
		t.Errorf("tried %d, posted %d and %d", c.asked["c0"], len(c.posted["c0"]), len(c.posted["c1"]))
	}
}

func TestAThousandDeadConnectionsAreForgottenAndTheLivingServed(t *testing.T) {
	c := newCrowd(1001)
	c.answer = func(_ context.Context, id string) error {
		if id == "c500" {
			return nil
		}
		return connection.ErrGone
	}
	p := c.publisher(t, 1)
	publish(t, p, 1)
	publish(t, p, 2)
	if len(c.gone) != 1000 || c.gone["c500"] || len(c.posted["c500"]) != 2 {
		t.Errorf("%d forgotten, %d posted to the living", len(c.gone), len(c.posted["c500"]))
	}
	for id, n := range c.asked {
		if id != "c500" && n != 1 {
			t.Errorf("%s was tried %d times", id, n)
		}
	}
}

func TestAnEventForNobodyIsNotEvenRead(t *testing.T) {
	c := newCrowd(0)
	p := fanout.New(c, c, c, eventstore.New(memory.New()), func(events.DynamoDBEventRecord) (eventstore.Record, error) {
		t.Error("a record was read")
		return eventstore.Record{}, errors.New("read")
	}, time.Now)
	publish(t, p, 1)
}

func TestSubscribersOutOfReachAreAskedForAgain(t *testing.T) {
	c := newCrowd(1)
	c.err = fault.New(fault.Unavailable, "later")
	if again := publish(t, c.publisher(t, 1), 5, 6); len(again) != 2 {
		t.Errorf("%v come again", again)
	}
}

func TestARevokedKeyEndsItsConnectionsSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(50)
		p := c.publisher(t, 1)
		publish(t, p, 1)
		c.valid = fault.New(fault.Unauthorized, "revoked")
		time.Sleep(connection.Trusted)
		publish(t, p, 2)
		for id, frames := range c.posted {
			if len(frames) != 2 || frames[1] != `{"v":1,"type":"closing","code":"unauthorized","resume":[{"session":"s","head":2}]}` || c.closed[id] != 1 || !c.gone[id] {
				t.Errorf("%s: %v, closed %d", id, frames, c.closed[id])
			}
		}
		if c.looked != 2 {
			t.Errorf("the key was looked up %d times for two batches", c.looked)
		}
	})
}

// An outage of the keys' table is not a revocation.
func TestAKeyThatCannotBeCheckedIsTrusted(t *testing.T) {
	c := newCrowd(1)
	c.valid = fault.New(fault.Unavailable, "later")
	publish(t, c.publisher(t, 1), 1)
	if len(c.posted["c0"]) != 1 || c.closed["c0"] != 0 {
		t.Errorf("%v, closed %d", c.posted, c.closed["c0"])
	}
}

func TestAConnectionAtTheEndOfItsLifeIsToldAndClosed(t *testing.T) {
	c := newCrowd(2)
	c.subs[1].ClosesAt = time.Now()
	publish(t, c.publisher(t, 1), 3)
	if len(c.posted["c1"]) != 1 || !strings.Contains(c.posted["c1"][0], `"code":"lifetime"`) || c.closed["c1"] != 1 || !c.gone["c1"] || c.closed["c0"] != 0 {
		t.Errorf("%v, closed %v", c.posted, c.closed)
	}
}

func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCrowd(n)
			p := fanout.New(c, c, c, eventstore.New(memory.New()), func(events.DynamoDBEventRecord) (eventstore.Record, error) {
				return eventstore.Record{Stream: stream, First: 1, Last: 1, Body: []byte(`[{"type":"operation.started","v":1,"at":"2026-01-01T00:00:00Z","operationId":"a","data":{}}]`)}, nil
			}, time.Now)
			b.ReportAllocs()
			for b.Loop() {
				clear(c.posted)
				clear(c.when)
				_, _ = p.Publish(context.Background(), events.DynamoDBEvent{Records: []events.DynamoDBEventRecord{commit(1)}})
			}
		})
	}
}

package fanout_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
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
	"windlass/functions/internal/session"
	"windlass/functions/internal/wsapi"
)

var stream = eventstore.Stream{Tenant: "acme", Session: "s"}

// world is the socket's two functions over a log, with everything between them
// and their clients in the hands of a seed: whoever posts, reads the log or looks
// up a row waits until it is chosen to go on. Inside synctest.
type world struct {
	t       *testing.T
	r       *rand.Rand
	api     *wsapi.API
	publish *fanout.Publisher

	mu      sync.Mutex
	waiting []*waiter
	rows    map[string]connection.Connection
	subs    map[string]map[connection.Subscription]bool
	open    map[string]*follower
	dead    map[string]bool // told that they are gone

	journal *eventstore.Journal
	at      eventstore.Position
	log     []event.Event
	records []eventstore.Record // all that were appended
	pending []int               // those that the stream has still to bring
	faults  bool
	clients []*follower
	opened  int
	tasks   sync.WaitGroup
}

// A waiter is a goroutine at a place where anything may happen before it goes on.
type waiter struct {
	label string
	going chan struct{}
}

// pass lets others go first.
func (w *world) pass(label string) {
	me := &waiter{label, make(chan struct{})}
	w.mu.Lock()
	w.waiting = append(w.waiting, me)
	w.mu.Unlock()
	<-me.going
}

// free lets one that waits go on.
func (w *world) free() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) == 0 {
		return false
	}
	slices.SortStableFunc(w.waiting, func(a, b *waiter) int { return strings.Compare(a.label, b.label) })
	i := w.r.IntN(len(w.waiting))
	close(w.waiting[i].going)
	w.waiting = slices.Delete(w.waiting, i, i+1)
	return true
}

func newWorld(t *testing.T, seed uint64, followers ...*follower) *world {
	w := &world{
		t: t, r: rand.New(rand.NewPCG(seed, 7)), faults: true,
		rows: map[string]connection.Connection{}, subs: map[string]map[connection.Subscription]bool{}, open: map[string]*follower{}, dead: map[string]bool{},
	}
	w.journal = eventstore.New(slowly{memory.New(), w})
	_, at, err := eventstore.New(memory.New()).Head(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	w.at = at
	w.clients = followers
	service := &session.Service{Journal: w.journal, Now: time.Now}
	w.api = &wsapi.API{Sessions: service, Control: service, Replay: spans{service, w}, Registry: w, Subscriptions: w, Forgetter: w, Posts: w, Keys: w, Now: time.Now, Life: time.Hour}
	w.publish = fanout.New(w, w, w, w.journal, w.record, time.Now)
	return w
}

// slowly is a driver whose reads take their time.
type slowly struct {
	*memory.Driver
	w *world
}

func (s slowly) Records(ctx context.Context, q eventstore.RecordQuery) ([]eventstore.Record, bool, error) {
	s.w.pass("records")
	return s.Driver.Records(ctx, q)
}

// spans finds operations by the log: none of them ever settles.
type spans struct {
	*session.Service
	w *world
}

func (s spans) Span(_ context.Context, _ eventstore.Stream, operation string) (first, last uint64, err error) {
	s.w.pass("span")
	for _, e := range s.w.log {
		if e.Operation == operation {
			return e.Seq, 0, nil
		}
	}
	return 0, 0, fault.New(fault.NotFound, "no such operation")
}

// The log and its stream.

func (w *world) append() {
	n := 1 + w.r.IntN(4)
	d := eventstore.Draft{}
	for range n {
		d.Events = append(d.Events, event.Event{At: event.At(time.Now()), Operation: []string{"", "a", "b"}[w.r.IntN(3)], Round: w.r.IntN(3), Data: event.ModelFailed{Attempt: len(w.log)}})
	}
	w.task("append", func() {
		c, after, err := w.journal.Append(context.Background(), w.at, d)
		if err != nil {
			w.t.Error(err)
			return
		}
		w.at = after
		w.log = append(w.log, c.Events...)
		w.pending = append(w.pending, len(w.records))
		w.records = append(w.records, c.Record)
	})
}

func (w *world) record(r events.DynamoDBEventRecord) (eventstore.Record, error) {
	var n int
	_, err := fmt.Sscan(r.EventID, &n)
	return w.records[n], err
}

// deliver brings some records of the stream in any order; some will come again.
func (w *world) deliver() {
	if len(w.pending) == 0 {
		return
	}
	w.r.Shuffle(len(w.pending), func(i, j int) { w.pending[i], w.pending[j] = w.pending[j], w.pending[i] })
	n := 1 + w.r.IntN(len(w.pending))
	batch := slices.Clone(w.pending[:n])
	w.pending = w.pending[n:]
	if w.faults && w.r.IntN(3) == 0 {
		w.pending = append(w.pending, batch[w.r.IntN(n)])
	}
	w.task("publish", func() {
		var e events.DynamoDBEvent
		for _, n := range batch {
			e.Records = append(e.Records, events.DynamoDBEventRecord{EventID: fmt.Sprint(n), Change: events.DynamoDBStreamRecord{
				SequenceNumber: fmt.Sprint(n), Keys: map[string]events.DynamoDBAttributeValue{"pk": events.NewStringAttribute(eventstore.RecordPartition(stream))},
			}})
		}
		answer, err := w.publish.Publish(context.Background(), e)
		if err != nil {
			w.t.Error(err)
		}
		for _, f := range answer.BatchItemFailures {
			var n int
			fmt.Sscan(f.ItemIdentifier, &n)
			w.pending = append(w.pending, n)
		}
	})
}

// task runs something that others interleave with.
func (w *world) task(label string, do func()) {
	w.tasks.Go(func() { w.pass(label); do() })
	synctest.Wait()
}

// settle lets everything that is under way come to its end.
func (w *world) settle() {
	for synctest.Wait(); ; synctest.Wait() {
		if !w.free() {
			time.Sleep(time.Minute) // for those that wait for the clock
			if synctest.Wait(); !w.free() {
				return
			}
		}
	}
}

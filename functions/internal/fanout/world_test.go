package fanout_test

import (
	"context"
	"encoding/json"
	"errors"
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
	"windlass/tests/client"
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

// The live table.

func (w *world) RedeemTicket(context.Context, string) (connection.Grant, error) {
	return connection.Grant{Tenant: stream.Tenant, Key: "key"}, nil
}

func (w *world) Open(_ context.Context, c connection.Connection) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rows[c.ID], w.subs[c.ID] = c, map[connection.Subscription]bool{}
	return nil
}

func (w *world) Connection(_ context.Context, id string) (connection.Connection, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c, ok := w.rows[id]
	if !ok {
		return c, fault.New(fault.NotFound, "gone")
	}
	return c, nil
}

func (w *world) Subscribe(_ context.Context, c connection.Connection, s connection.Subscription) error {
	w.pass("subscribe " + c.ID)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.subs[c.ID] == nil {
		return fault.New(fault.NotFound, "gone")
	}
	w.subs[c.ID][s] = true
	return nil
}

func (w *world) Unsubscribe(_ context.Context, c connection.Connection, s connection.Subscription) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subs[c.ID], s)
	return nil
}

func (w *world) Subscriptions(_ context.Context, c connection.Connection) (all []connection.Subscription, _ error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for s := range w.subs[c.ID] {
		all = append(all, s)
	}
	return all, nil
}

func (w *world) Subscribers(_ context.Context, s eventstore.Stream) (all []connection.Subscriber, _ error) {
	w.pass("subscribers")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.faults && w.r.IntN(20) == 0 {
		return nil, fault.New(fault.Unavailable, "later")
	}
	for id, subs := range w.subs {
		for sub := range subs {
			if sub.Session == s.Session {
				all = append(all, connection.Subscriber{Connection: id, Key: "key", Operation: sub.Operation, ClosesAt: w.rows[id].ClosesAt})
			}
		}
	}
	slices.SortFunc(all, func(a, b connection.Subscriber) int {
		return strings.Compare(a.Connection+a.Operation, b.Connection+b.Operation)
	})
	return all, nil
}

func (w *world) Forget(_ context.Context, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.rows, id)
	delete(w.subs, id)
	return nil
}

func (w *world) Valid(context.Context, string) error { return nil }

// The gateway.

var errSlow = errors.New("no answer in time")

// Post arrives, or not, whatever it then says.
func (w *world) Post(_ context.Context, id string, frame []byte) error {
	w.pass("post " + id)
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.open[id]
	if f == nil {
		w.dead[id] = true
		return connection.ErrGone
	}
	if w.faults {
		switch w.r.IntN(12) {
		case 0:
			return connection.ErrBusy
		case 1:
			return errSlow
		case 2:
			f.inbox = append(f.inbox, frame)
			return errSlow
		}
	}
	f.inbox = append(f.inbox, frame)
	return nil
}

func (w *world) Close(_ context.Context, id string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(id)
	return nil
}

// drop ends a connection: what is not read yet may be lost.
func (w *world) drop(id string) {
	if f := w.open[id]; f != nil {
		f.inbox = f.inbox[:w.r.IntN(len(f.inbox)+1)]
		f.connected = ""
	}
	delete(w.open, id)
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

// The clients.

// A follower wants the session's events, or one operation's.
type follower struct {
	operation string
	cursor    client.Cursor
	got       []client.Event

	connected string
	inbox     [][]byte
	asked     bool   // a subscribe is on its way
	following bool   // one was answered, on this connection
	head      uint64 // the highest that it heard of
}

func (w *world) send(f *follower, kind string, more string) {
	id, body := f.connected, fmt.Sprintf(`{"v":1,"type":%q%s}`, kind, more)
	w.task(kind+" "+id, func() {
		_, err := w.api.Lambda()(context.Background(), events.APIGatewayWebsocketProxyRequest{Body: body, RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: id, EventType: "MESSAGE"}})
		if err != nil {
			w.t.Error(err)
		}
	})
}

func (w *world) connect(f *follower) {
	w.opened++
	id := fmt.Sprint("c", w.opened)
	_, err := w.api.Lambda()(context.Background(), events.APIGatewayWebsocketProxyRequest{RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: id, EventType: "CONNECT"}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.open[id], f.connected, f.inbox, f.asked, f.following = f, id, nil, false, false
}

func (w *world) subscribe(f *follower) {
	more := fmt.Sprintf(`,"session":"s","after":%d`, f.cursor.At)
	if f.operation != "" {
		more += fmt.Sprintf(`,"operationId":%q`, f.operation)
	}
	f.asked = true
	w.send(f, "subscribe", more)
}

// read takes the next frame.
func (w *world) read(f *follower) {
	if len(f.inbox) == 0 {
		return
	}
	var frame client.Frame
	if err := json.Unmarshal(f.inbox[0], &frame); err != nil {
		w.t.Fatalf("%v: %s", err, f.inbox[0])
	}
	f.inbox = f.inbox[1:]
	switch frame.Type {
	case "events":
		f.got = append(f.got, f.cursor.Take(frame)...)
	case "caught_up":
		f.asked, f.following, f.head = false, true, max(f.head, frame.Head)
	case "pong":
		f.head = max(f.head, frame.Heads["s"])
	case "error":
		f.asked, f.following = false, false
	default:
		w.t.Fatalf("%+v", frame)
	}
}

// behind: it follows nothing yet, or knows that something is missing.
func (f *follower) behind() bool { return !f.following || f.cursor.Gap() || f.head > f.cursor.At }

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

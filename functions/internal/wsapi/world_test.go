package wsapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/session"
	"windlass/functions/internal/wsapi"
	"windlass/infra/agents"
)

var (
	acme = connection.Grant{Tenant: "acme", Key: "key-of-acme"}
	beta = connection.Grant{Tenant: "beta", Key: "key-of-beta"}
	now  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// world is the API over a memory log, and what it posts.
type world struct {
	t       *testing.T
	api     *wsapi.API
	journal *eventstore.Journal
	service *session.Service

	tickets map[string]connection.Grant
	rows    map[string]connection.Connection
	subs    map[string]map[connection.Subscription]bool
	posted  map[string][]string
	closed  map[string]int
	revoked map[string]bool
	now     time.Time
	// refuse, if set, decides about each post; before is called by each step.
	refuse func(id, frame string) error
	before func(step string)
	down   error // of the table
}

type turns struct{}

func (turns) Start(context.Context, execution.Turn) (bool, error) { return true, nil }
func (turns) Wake(context.Context, eventstore.Stream) error       { return nil }

func newWorld(t *testing.T) *world {
	t.Helper()
	catalog, err := agent.Read(agents.Files, "demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, now: now, tickets: map[string]connection.Grant{}, rows: map[string]connection.Connection{}, subs: map[string]map[connection.Subscription]bool{},
		posted: map[string][]string{}, closed: map[string]int{}, revoked: map[string]bool{},
		refuse: func(string, string) error { return nil }, before: func(string) {},
	}
	w.journal = eventstore.New(memory.New(), eventstore.WithBlobs(memory.NewBlobs()))
	n := 0
	w.service = &session.Service{
		Journal: w.journal, Opened: &fold.Sessions{}, Agents: catalog, Turns: turns{}, Now: func() time.Time { return w.now },
		NewID: func(time.Time) string { n++; return fmt.Sprint("id-", n) },
	}
	w.api = &wsapi.API{Sessions: w.service, Control: w.service, Replay: w.service, Registry: w, Subscriptions: w, Forgetter: w, Posts: w, Keys: w, Now: func() time.Time { return w.now }, Life: time.Hour}
	return w
}

func (w *world) RedeemTicket(_ context.Context, ticket string) (connection.Grant, error) {
	g, ok := w.tickets[ticket]
	delete(w.tickets, ticket)
	switch {
	case w.down != nil:
		return g, w.down
	case !ok:
		return g, fault.New(fault.Unauthorized, "no ticket")
	}
	return g, nil
}

func (w *world) Open(_ context.Context, c connection.Connection) error {
	w.rows[c.ID], w.subs[c.ID] = c, map[connection.Subscription]bool{}
	return nil
}

func (w *world) Connection(_ context.Context, id string) (connection.Connection, error) {
	c, ok := w.rows[id]
	switch {
	case w.down != nil:
		return c, w.down
	case !ok:
		return c, fault.New(fault.NotFound, "no connection")
	}
	return c, nil
}

func (w *world) Subscribe(_ context.Context, c connection.Connection, s connection.Subscription) error {
	w.before("subscribe")
	if len(w.subs[c.ID]) == connection.MaxSubscriptions {
		return fault.New(fault.TooManySubscriptions, "%d", connection.MaxSubscriptions)
	}
	w.subs[c.ID][s] = true
	return nil
}

func (w *world) Unsubscribe(_ context.Context, c connection.Connection, s connection.Subscription) error {
	delete(w.subs[c.ID], s)
	return nil
}

func (w *world) Subscriptions(_ context.Context, c connection.Connection) ([]connection.Subscription, error) {
	return slices.SortedFunc(maps.Keys(w.subs[c.ID]), func(a, b connection.Subscription) int {
		return strings.Compare(a.Session+a.Operation, b.Session+b.Operation)
	}), nil
}

func (w *world) Forget(_ context.Context, id string) error {
	delete(w.rows, id)
	delete(w.subs, id)
	return nil
}

func (w *world) Post(_ context.Context, id string, frame []byte) error {
	w.before("post")
	if err := w.refuse(id, string(frame)); err != nil {
		return err
	}
	w.posted[id] = append(w.posted[id], string(frame))
	return nil
}

func (w *world) Close(_ context.Context, id string) error {
	w.closed[id]++
	return nil
}

func (w *world) Valid(_ context.Context, key string) error {
	if w.revoked[key] {
		return fault.New(fault.Unauthorized, "revoked")
	}
	return nil
}

// open opens a connection by a ticket for g.
func (w *world) open(id string, g connection.Grant) {
	w.t.Helper()
	w.tickets["t-"+id] = g
	if status := w.connect(id, "t-"+id); status != 200 {
		w.t.Fatalf("the handshake was answered with %d", status)
	}
}

func (w *world) connect(id, ticket string) int {
	return w.event("CONNECT", id, "", map[string]string{"ticket": ticket})
}

// say sends a frame and returns what was posted to the connection since.
func (w *world) say(id, frame string) []string {
	w.t.Helper()
	before := len(w.posted[id])
	if status := w.event("MESSAGE", id, frame, nil); status != 200 {
		w.t.Errorf("%s was answered with %d", frame, status)
	}
	return w.posted[id][before:]
}

func (w *world) event(kind, id, body string, query map[string]string) int {
	w.t.Helper()
	r, err := w.api.Lambda()(w.t.Context(), events.APIGatewayWebsocketProxyRequest{
		Body: body, QueryStringParameters: query, RequestContext: events.APIGatewayWebsocketProxyRequestContext{ConnectionID: id, EventType: kind},
	})
	if err != nil {
		w.t.Error(err) // the gateway would answer it in its own words
	}
	return r.StatusCode
}

// submit puts an operation into a session of a tenant.
func (w *world) submit(tenant, session, operation string) {
	w.t.Helper()
	_, err := w.service.Submit(w.t.Context(), eventstore.Stream{Tenant: tenant, Session: session}, submission(operation))
	if err != nil {
		w.t.Fatal(err)
	}
}

func submission(operation string) session.Submission {
	return session.Submission{OperationID: operation, Prompt: "say hello"}
}

// append adds n commits of one event of an operation to a session.
func (w *world) append(tenant, session, operation string, n int) {
	w.t.Helper()
	head, at, err := w.journal.Head(w.t.Context(), eventstore.Stream{Tenant: tenant, Session: session})
	for range n {
		if err == nil {
			_, at, err = w.journal.Append(w.t.Context(), at, eventstore.Draft{Summary: head.Summary, Events: []event.Event{{At: event.At(now), Operation: operation, Data: event.ModelFailed{Attempt: 1}}}})
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// told is a frame as a client reads it.
type told struct {
	V                                             int
	Type, ID, Session, OperationID, Code, Message string
	From, To, Seq, Head, AsOfSeq                  uint64
	Events                                        []struct {
		Seq         uint64
		OperationID string
	}
	Heads      map[string]uint64
	Receipt    *session.Receipt
	Operations []struct{ OperationID string }
	Resume     []struct {
		Session, OperationID string
		Head                 uint64
	}
	Retryable bool
}

func read(t *testing.T, frames []string) (all []told) {
	t.Helper()
	for _, f := range frames {
		var one told
		if err := json.Unmarshal([]byte(f), &one); err != nil || one.V != 1 || one.Type == "" {
			t.Fatalf("%v: %s", err, f)
		}
		all = append(all, one)
	}
	return all
}

// seqs are those of the events frames, whose ranges must follow each other from
// after on.
func seqs(t *testing.T, frames []told, after uint64) (all []uint64, end uint64) {
	t.Helper()
	for _, f := range frames {
		if f.Type != "events" {
			continue
		}
		if f.From != after+1 || f.To < f.From {
			t.Fatalf("%d..%d comes behind %d", f.From, f.To, after)
		}
		after = f.To
		for _, e := range f.Events {
			all = append(all, e.Seq)
		}
	}
	return all, after
}

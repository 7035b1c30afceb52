package fanout_test

import (
	"context"
	"errors"
	"slices"
	"strings"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

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

package connection

import (
	"context"
	"log/slog"

	"windlass/eventstore"
)

// Subscriptions lists what a connection follows, ordered by session and operation.
func (t *Table) Subscriptions(ctx context.Context, c Connection) ([]Subscription, error) {
	items, err := t.pages(ctx, connectionPartition(c.ID), subscriptionPrefix)
	if err != nil {
		return nil, err
	}
	var all []Subscription
	for _, i := range items {
		s, _, err := readSubscription(i)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Subscribers lists who follows a session, ordered by connection: once for each
// subscription. A connection among them may be gone: then a post is answered
// [ErrGone], and whoever hears that should [Table.Forget] it.
func (t *Table) Subscribers(ctx context.Context, stream eventstore.Stream) ([]Subscriber, error) {
	items, err := t.pages(ctx, subscribersPartition(stream), "")
	if err != nil {
		return nil, err
	}
	return t.standing(ctx, stream, items), nil
}

// SomeSubscribers is [Table.Subscribers] of the first most rows: one read, however
// many there are. For what nobody has to get.
func (t *Table) SomeSubscribers(ctx context.Context, stream eventstore.Stream, most int32) ([]Subscriber, error) {
	in := t.query(subscribersPartition(stream), "")
	in.Limit = &most
	out, err := t.Client.Query(ctx, in)
	if err != nil {
		return nil, unavailable(err)
	}
	return t.standing(ctx, stream, out.Items), nil
}

// standing reads the rows that have not expired.
func (t *Table) standing(ctx context.Context, stream eventstore.Stream, items []item) (all []Subscriber) {
	now := t.Now()
	for _, i := range items {
		if expired(i, now) {
			continue
		}
		s, err := readSubscriber(i)
		if err != nil { // one row must not silence the others; its client finds the gap
			slog.ErrorContext(ctx, "a subscriber's row cannot be read", "session", stream.Session, "error", err)
			continue
		}
		all = append(all, s)
	}
	return all
}

package wsapi

import (
	"context"
	"log/slog"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/preview"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// sessions, control, replay, log, previews, registry, subscriptions, posts and keys are
// what the API needs of others.
type sessions interface {
	Submit(context.Context, eventstore.Stream, session.Submission) (session.Receipt, error)
	Operations(context.Context, eventstore.Stream, session.ListQuery) (session.OperationPage, error)
}

type control interface {
	Cancel(ctx context.Context, stream eventstore.Stream, operation string) (view.Operation, error)
	Steer(ctx context.Context, stream eventstore.Stream, operation string, m session.Message) (session.Receipt, error)
}

type replay interface {
	Events(context.Context, eventstore.Stream, session.EventQuery) (session.EventPage, error)
	Span(ctx context.Context, stream eventstore.Stream, operation string) (first, last uint64, err error)
	Head(context.Context, eventstore.Stream) (uint64, error)
}

type log interface {
	Head(context.Context, eventstore.Stream) (eventstore.Record, eventstore.Position, error)
}

type previews interface {
	Row(context.Context, eventstore.Stream) (r preview.Row, found bool, err error)
}

type registry interface {
	RedeemTicket(ctx context.Context, ticket string) (connection.Grant, error)
	Open(context.Context, connection.Connection) error
	Connection(ctx context.Context, id string) (connection.Connection, error)
}

type subscriptions interface {
	Subscribe(context.Context, connection.Connection, connection.Subscription) error
	Unsubscribe(context.Context, connection.Connection, connection.Subscription) error
	Subscriptions(context.Context, connection.Connection) ([]connection.Subscription, error)
}

type forgetter interface {
	Forget(ctx context.Context, id string) error
}

type posts interface {
	Post(ctx context.Context, id string, frame []byte) error
	Close(ctx context.Context, id string) error
}

type keys interface {
	Valid(ctx context.Context, key string) error
}

// API serves the routes of the WebSocket API.
type API struct {
	Sessions sessions
	Control  control
	Replay   replay
	Log      log
	// Previews are the answers that are being written; nil shows none.
	Previews      previews
	Registry      registry
	Subscriptions subscriptions
	Forgetter     forgetter
	Posts         posts
	Keys          keys
	Now           func() time.Time
	// Life is how long a connection may live: less than the gateway's two hours, so
	// that it hears of its end.
	Life time.Duration
}

// New is the API over a service, its connections and its previews.
func New(s *session.Service, t *connection.Table, r *preview.Table, p posts, k keys, now func() time.Time, life time.Duration) *API {
	return &API{s, s, s, s.Journal, r, t, t, t, p, k, now, life}
}

// named is what an error's session and operationId repeat: ids, and nothing else that
// somebody wrote there.
func named(id string) string {
	if eventstore.ValidID(id) {
		return id
	}
	return ""
}

// logged reports what is not the client's doing.
func logged(ctx context.Context, what, id string, err error) {
	if err == nil {
		return
	}
	slog.WarnContext(ctx, what, "connection", id, "code", fault.Of(err).Code, "error", err)
}

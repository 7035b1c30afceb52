package connection

import (
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
)

const (
	// TicketLife is how long a ticket opens a connection.
	TicketLife = 30 * time.Second
	// MaxSubscriptions bounds the subscriptions of one connection.
	MaxSubscriptions = 32
)

// A Grant is whose a connection is: what a ticket carries from the caller's key or token.
type Grant struct {
	// Tenant owns all that the connection may see.
	Tenant string
	// Key is the id of the caller's API key, never the key; or of a token's subject.
	Key string
	// Until is when the caller's token ends; zero if it has no end. A ticket carries it,
	// and what it opens closes then.
	Until time.Time
	// Session is the only one that the connection may name; empty: any of the
	// tenant's.
	Session string
}

// Ends is the earlier of a time and the grant's end.
func (g Grant) Ends(at time.Time) time.Time {
	if !g.Until.IsZero() && g.Until.Before(at) {
		return g.Until
	}
	return at
}

// A Connection is one open WebSocket. Times are kept to the microsecond.
type Connection struct {
	// ID is the gateway's name for it. It has no "#".
	ID string
	Grant
	// ClosesAt is when the server wants to close it.
	OpenedAt, ClosesAt time.Time
}

// A Subscription is one session that a connection follows: all of it, or one
// operation.
type Subscription struct {
	Session string
	// Operation is empty for all of the session.
	Operation string
}

func (s Subscription) check(g Grant) error {
	switch {
	case !eventstore.ValidID(s.Session):
		return fault.New(fault.InvalidRequest, "the session must be 1 to %d of A-Z a-z 0-9 . _ : -", eventstore.MaxID)
	case s.Operation != "" && !eventstore.ValidID(s.Operation):
		return fault.New(fault.InvalidRequest, "the operationId must be 1 to %d of A-Z a-z 0-9 . _ : -, or left out", eventstore.MaxID)
	case g.Session != "" && g.Session != s.Session:
		return fault.New(fault.NotFound, "this connection was opened for another session; take a ticket for this one")
	}
	return nil
}

// A Subscriber is a connection that follows a session, with what a publisher
// needs to decide without another read.
type Subscriber struct {
	Connection string
	// Key is the grant's.
	Key string
	// Operation is the subscription's; empty for all of the session.
	Operation string
	ClosesAt  time.Time
}

package session

import (
	"context"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
)

// Service answers for all sessions. It is safe for concurrent use.
type Service struct {
	Journal *eventstore.Journal
	Agents  *agent.Catalog
	Turns   turns
	Door    door
	// Opened folds sessions of the Journal.
	Opened *fold.Sessions
	Now    func() time.Time
	NewID  func(time.Time) string
	// Retention is how long a tenant's sessions are kept, in seconds; 0 is for ever. nil
	// leaves all as they are.
	Retention func(ctx context.Context, tenant string) (seconds int64, err error)
	// Fits returns why a call with these arguments would be refused; nil refuses none
	// before the turn does.
	Fits func(its agent.Definition, tool, arguments string) error
}

// turns starts them.
type turns interface {
	Start(context.Context, execution.Turn) (bool, error)
	Wake(context.Context, eventstore.Stream) error
}

// MaxQueue bounds the operations of a session that are not settled.
const MaxQueue = 1000

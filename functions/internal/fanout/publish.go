package fanout

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
)

// registry, posts and keys are what publishing needs of others.
type registry interface {
	Subscribers(context.Context, eventstore.Stream) ([]connection.Subscriber, error)
	Forget(ctx context.Context, id string) error
}

type posts interface {
	Post(ctx context.Context, id string, frame []byte) error
	Close(ctx context.Context, id string) error
}

type keys interface {
	Valid(ctx context.Context, key string) error
}

// Publisher serves the log table's stream. What it keeps between invocations it
// may lose: it only saves work. It is safe for concurrent use.
type Publisher struct {
	registry registry
	posts    posts
	record   func(events.DynamoDBEventRecord) (eventstore.Record, error)
	journal  *eventstore.Journal
	now      func() time.Time

	// post bounds the posts under way, over all invocations of a process.
	slots chan struct{}
	trust *connection.Trust
	slow  *slow
}

// MaxPosts is how many posts are under way at once: enough that some which hang
// leave room for the others, and few enough for one function's sockets.
const MaxPosts = 256

// New makes a Publisher. record reads a commit's stream record.
func New(r registry, p posts, k keys, j *eventstore.Journal, record func(events.DynamoDBEventRecord) (eventstore.Record, error), now func() time.Time) *Publisher {
	return &Publisher{
		registry: r, posts: p, record: record, journal: j, now: now,
		slots: make(chan struct{}, MaxPosts), trust: connection.NewTrust(k, now), slow: newSlow(now),
	}
}

// Publish handles a batch. Only records whose subscribers or body could not be
// read are reported, to be delivered again.
func (p *Publisher) Publish(ctx context.Context, e events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	var sessions []*batch
	byStream := map[eventstore.Stream]*batch{}
	for _, r := range e.Records {
		s, err := eventstore.StreamOf(r.Change.Keys["pk"].String())
		if err != nil {
			slog.ErrorContext(ctx, "a record is no commit", "record", r.EventID, "error", err)
			continue // nor will it be one when it comes again
		}
		if byStream[s] == nil {
			byStream[s] = &batch{Publisher: p, stream: s}
			sessions = append(sessions, byStream[s])
		}
		byStream[s].records = append(byStream[s].records, r)
	}
	var all sync.WaitGroup
	for _, b := range sessions {
		all.Go(func() { b.publish(ctx) })
	}
	all.Wait()
	var answer events.DynamoDBEventResponse
	for _, b := range sessions {
		for _, number := range b.failed {
			answer.BatchItemFailures = append(answer.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: number})
		}
	}
	return answer, nil
}

package fanout

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/frame"
)

// A batch is one session's records of one invocation.
type batch struct {
	*Publisher
	stream  eventstore.Stream
	records []events.DynamoDBEventRecord
	runs    []run
	// refused are the followers' keys that do not hold any more.
	refused map[string]bool
	failed  []string
}

// A run is what is contiguous of them: the more a frame covers, the fewer posts.
type run struct {
	from, to uint64
	events   []event.Stored
}

func (b *batch) publish(ctx context.Context) {
	followers, err := b.registry.Subscribers(ctx, b.stream)
	if err != nil {
		slog.ErrorContext(ctx, "the subscribers could not be read", "session", b.stream.Session, "error", err)
		for _, r := range b.records {
			b.failed = append(b.failed, r.Change.SequenceNumber)
		}
		return
	}
	if len(followers) == 0 {
		return // the common case: nobody looks
	}
	b.join(b.read(ctx))
	frames := b.framed(ctx, followers)
	b.check(ctx, followers)
	var all sync.WaitGroup
	for connection, mine := range byConnection(followers) {
		b.slots <- struct{}{}
		all.Go(func() {
			defer func() { <-b.slots }()
			b.deliver(ctx, connection, mine, frames)
		})
	}
	all.Wait()
}

// read takes the records apart; those whose bodies stand apart and are out of reach
// are reported.
func (b *batch) read(ctx context.Context) (commits []run) {
	for _, r := range b.records {
		record, err := b.record(r)
		var all []event.Stored
		if err == nil {
			all, err = b.journal.Stored(ctx, record)
		}
		if err != nil {
			slog.ErrorContext(ctx, "a commit could not be read", "session", b.stream.Session, "record", r.EventID, "error", err)
			if code := eventstore.CodeOf(err); code == eventstore.Unavailable || code == eventstore.Throttled {
				b.failed = append(b.failed, r.Change.SequenceNumber)
			}
			continue
		}
		commits = append(commits, run{record.First, record.Last, all})
	}
	return commits
}

// join orders the commits, leaves out doubles, and puts neighbours together.
func (b *batch) join(commits []run) {
	slices.SortFunc(commits, func(x, y run) int { return cmp.Compare(x.from, y.from) })
	for _, c := range commits {
		last := len(b.runs) - 1
		switch {
		case last >= 0 && c.from <= b.runs[last].to: // twice
		case last >= 0 && c.from == b.runs[last].to+1:
			b.runs[last].to, b.runs[last].events = c.to, append(b.runs[last].events, c.events...)
		default:
			b.runs = append(b.runs, c)
		}
	}
}

// framed makes the frames once for each filter that followers have.
func (b *batch) framed(ctx context.Context, followers []connection.Subscriber) map[string][][]byte {
	frames := map[string][][]byte{}
	for _, f := range followers {
		if _, ok := frames[f.Operation]; ok {
			continue
		}
		frames[f.Operation] = nil
		for _, r := range b.runs {
			some, err := frame.Events(b.stream.Session, f.Operation, r.from, r.to, r.events)
			if err != nil { // it was encoded once, when it was appended
				slog.ErrorContext(ctx, "events could not be framed", "session", b.stream.Session, "from", r.from, "error", err)
			}
			frames[f.Operation] = append(frames[f.Operation], some...)
		}
	}
	return frames
}

// check looks at the followers' keys. One that cannot be checked now is trusted:
// it was valid when its connection was opened, and the next batch looks again.
func (b *batch) check(ctx context.Context, followers []connection.Subscriber) {
	b.refused = map[string]bool{}
	for _, f := range followers {
		if _, seen := b.refused[f.Key]; !seen {
			b.refused[f.Key] = b.trust.Refused(ctx, f.Key)
		}
	}
}

func byConnection(followers []connection.Subscriber) map[string][]connection.Subscriber {
	all := map[string][]connection.Subscriber{}
	for _, f := range followers {
		all[f.Connection] = append(all[f.Connection], f)
	}
	return all
}

package execution

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
)

// Dispatch handles the table's stream: it wakes the session of each commit that
// asked for it. Records that fail are reported; the event source mapping goes on
// from the first of them, and waking again the sessions behind it does no harm.
func (s *Starter) Dispatch(ctx context.Context, e events.DynamoDBEvent) (events.DynamoDBEventResponse, error) {
	var r events.DynamoDBEventResponse
	done := map[eventstore.Stream]error{}
	for _, record := range e.Records {
		stream, err := eventstore.StreamOf(record.Change.Keys["pk"].String())
		if err == nil {
			var seen bool
			// Wake looks at the newest state, so once a batch is enough.
			if err, seen = done[stream]; !seen {
				err = s.Wake(ctx, stream)
				done[stream] = err
			}
			if err == nil && s.Heed != nil {
				err = s.Heed(ctx, record)
			}
		}
		if err != nil {
			slog.ErrorContext(ctx, "a commit could not be dispatched", "record", record.EventID, "session", stream.Session, "error", err)
			r.BatchItemFailures = append(r.BatchItemFailures, events.DynamoDBBatchItemFailure{ItemIdentifier: record.Change.SequenceNumber})
		}
	}
	return r, nil
}

package loop

import (
	"context"
	"log/slog"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/tool"
)

// values is a session's values as its tools see them. What goes wrong is an error
// that the model reads: the call has failed, the turn goes on.
type values struct {
	journal *eventstore.Journal
	stream  eventstore.Stream
}

func (v values) Keep(ctx context.Context, data, mediaType string) (event.Value, error) {
	kept, err := v.journal.Keep(ctx, v.stream, data, mediaType)
	return kept, v.failure(ctx, err)
}

func (v values) Load(ctx context.Context, value event.Value, offset, n int64) (string, error) {
	data, err := v.journal.LoadRange(ctx, v.stream, value, offset, n)
	return data, v.failure(ctx, err)
}

func (v values) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if eventstore.CodeOf(err) == eventstore.TooLarge {
		return tool.Failure{Code: "too_large", Message: "this is too large to be kept; do it in smaller parts"}
	}
	slog.ErrorContext(ctx, "a tool could not reach the session's values", "session", v.stream.Session, "error", err)
	return tool.Failure{Code: "unavailable", Message: "the workspace could not be reached; try again"}
}

package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/aws/aws-lambda-go/events"

	"windlass/eventstore"
	"windlass/functions/internal/index"
)

// Recover handles EventBridge: at once for an execution that ended badly, and
// every minute for every operation that is not settled.
func (s *Starter) Recover(ctx context.Context, e events.EventBridgeEvent) error {
	switch e.DetailType {
	case "Step Functions Execution Status Change":
		return s.recoverExecution(ctx, e.Detail)
	case "Scheduled Event":
		return s.recoverAll(ctx)
	}
	return fmt.Errorf("recover: an event of type %q is not known; the rule in the template sends two", e.DetailType)
}

func (s *Starter) recoverExecution(ctx context.Context, detail json.RawMessage) error {
	var d struct{ Input, Name, Status string }
	if err := json.Unmarshal(detail, &d); err != nil {
		return fmt.Errorf("recover: detail: %w", err)
	}
	var t Turn
	if err := json.Unmarshal([]byte(d.Input), &t); err != nil {
		return fmt.Errorf("recover: input of %s: %w", d.Name, err)
	}
	slog.WarnContext(ctx, "an execution ended without settling its operation", "session", t.Session, "operation", t.Operation, "generation", t.Generation, "status", d.Status)
	return s.Wake(ctx, eventstore.Stream{Tenant: t.Tenant, Session: t.Session})
}

// recoverAll goes on past a session that fails; the next minute tries it again.
func (s *Starter) recoverAll(ctx context.Context) error {
	var failed []error
	for shard := range index.Shards {
		for row, err := range s.unsettled(ctx, shard) {
			if err != nil {
				failed = append(failed, err)
				break
			}
			stream, err := index.DecodeUnsettled(row)
			if err == nil {
				err = s.Wake(ctx, stream)
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", stream, err))
			}
		}
	}
	return errors.Join(failed...)
}

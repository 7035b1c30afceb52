package execution

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

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

// sweepReserve is kept of the invocation's time to answer.
const sweepReserve = 5 * time.Second

// recoverAll wakes every session that has something in its queue, and has those swept
// that were deleted: all shards at once, so that none waits for another. It goes on past a session that fails, and
// what it did not come to is the next minute's.
func (s *Starter) recoverAll(ctx context.Context) error {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-sweepReserve))
		defer cancel()
	}
	failed := make([]error, index.Shards)
	var all sync.WaitGroup
	for shard := range index.Shards {
		all.Go(func() { failed[shard] = s.recoverShard(ctx, shard) })
	}
	all.Wait()
	return errors.Join(failed...)
}

func (s *Starter) recoverShard(ctx context.Context, shard int) error {
	parked, err := s.parked(ctx, shard)
	failed := []error{err}
	for row, err := range s.unsettled(ctx, shard) {
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		stream, err := index.DecodeUnsettled(row)
		if err == nil {
			err = s.wakeSoon(ctx, stream, parked[stream])
			delete(parked, stream)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", stream, err))
		}
	}
	// Nothing is unsettled there any more, but an execution is running, and looks healthy.
	for stream := range parked {
		if err := s.wakeSoon(ctx, stream, true); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", stream, err))
		}
	}
	if s.Sweep != nil { // last: it is the one thing here that nobody waits for
		failed = append(failed, s.Sweep(ctx, shard))
	}
	return errors.Join(failed...)
}

// parked are the sessions of a shard whose tokens are kept.
func (s *Starter) parked(ctx context.Context, shard int) (map[eventstore.Stream]bool, error) {
	tokens, err := s.Tokens.All(ctx, shard)
	all := map[eventstore.Stream]bool{}
	for _, p := range tokens {
		all[eventstore.Stream{Tenant: p.Turn.Tenant, Session: p.Turn.Session}] = true
	}
	return all, err
}

// wakeWithin bounds one session's part of a sweep: others wait behind it.
const wakeWithin = 5 * time.Second

func (s *Starter) wakeSoon(ctx context.Context, stream eventstore.Stream, parked bool) error {
	ctx, cancel := context.WithTimeout(ctx, wakeWithin)
	defer cancel()
	return s.wake(ctx, stream, parked)
}

package execution

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/eventstore"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// stepFunctions is what a Starter calls.
type stepFunctions interface {
	StartExecution(context.Context, *sfn.StartExecutionInput, ...func(*sfn.Options)) (*sfn.StartExecutionOutput, error)
	DescribeExecution(context.Context, *sfn.DescribeExecutionInput, ...func(*sfn.Options)) (*sfn.DescribeExecutionOutput, error)
	SendTaskSuccess(context.Context, *sfn.SendTaskSuccessInput, ...func(*sfn.Options)) (*sfn.SendTaskSuccessOutput, error)
}

// tokens are those of parked turns.
type tokens interface {
	Keep(context.Context, Parking) error
	Of(context.Context, eventstore.Stream) ([]Parking, error)
	All(ctx context.Context, shard int) ([]Parking, error)
	Forget(context.Context, Parking) error
}

// Starter keeps turns under way.
type Starter struct {
	Client          stepFunctions
	StateMachineARN string
	Journal         *eventstore.Journal
	Tokens          tokens
	Now             func() time.Time
	// Heed does what a commit asks of other sessions; nil for nothing.
	Heed func(context.Context, events.DynamoDBEventRecord) error
	// Sweep erases what deleted sessions of a shard consisted of; nil for nothing.
	Sweep func(ctx context.Context, shard int) error
}

// Start starts a turn's execution, or finds it running. false means that an
// execution of that name has ended: its turn needs a new generation.
func (s *Starter) Start(ctx context.Context, t Turn) (running bool, err error) {
	_, err = s.Client.StartExecution(ctx, &sfn.StartExecutionInput{
		StateMachineArn: &s.StateMachineARN, Name: aws.String(t.Name()), Input: aws.String(t.Input()),
	})
	var exists *types.ExecutionAlreadyExists
	switch {
	case err == nil:
		return true, nil
	case !errors.As(err, &exists):
		return false, fmt.Errorf("start %s: %w", t.Name(), err)
	}
	out, err := s.Client.DescribeExecution(ctx, &sfn.DescribeExecutionInput{ExecutionArn: aws.String(t.arn(s.StateMachineARN))})
	if err != nil {
		return false, fmt.Errorf("describe %s: %w", t.Name(), err)
	}
	return out.Status == types.ExecutionStatusRunning, nil
}

// Wake makes sure that the session's head, if there is one, is driven, and that no
// parked turn waits for nothing. The log is read first and tokens second, as [Park]
// stores first and reads second. No token is kept before a commit whose summary says
// that a call waits, so in most sessions none is looked for.
func (s *Starter) Wake(ctx context.Context, stream eventstore.Stream) error {
	return s.wake(ctx, stream, false)
}

// WakeParked is Wake where a token is known of, or may be: a summary of an older build says
// nothing of waits.
func (s *Starter) WakeParked(ctx context.Context, stream eventstore.Stream) error {
	return s.wake(ctx, stream, true)
}

func (s *Starter) wake(ctx context.Context, stream eventstore.Stream, parked bool) error {
	sum, seq, err := s.wakeHead(ctx, stream)
	if err != nil || !parked && !sum.Waited {
		return err
	}
	return s.answerTokens(ctx, stream, sum, seq)
}

// wakeHead returns the summary, and its seq, that it found nothing more to do about.
func (s *Starter) wakeHead(ctx context.Context, stream eventstore.Stream) (turn.Summary, uint64, error) {
	for {
		sum, seq, err := s.head(ctx, stream)
		if err != nil || sum.Head == nil || s.tooEarly(sum.Head) {
			return sum, seq, err // settled, or recover's schedule starts it when it is time
		}
		running, err := s.Start(ctx, Turn{stream.Tenant, stream.Session, sum.Head.Operation, sum.Head.Generation})
		if err != nil || running {
			return sum, seq, err
		}
		if err := s.revive(ctx, stream, sum.Head.Operation, sum.Head.Generation); err != nil {
			return sum, seq, err
		}
	}
}

// tooEarly: a generation that follows others without progress waits, but not to be
// cancelled.
func (s *Starter) tooEarly(h *turn.HeadSummary) bool {
	return h.NotBefore != nil && h.NotBefore.After(s.Now()) && !h.CancelRequested
}

// revive gives the operation a new generation, unless the log has moved on.
func (s *Starter) revive(ctx context.Context, stream eventstore.Stream, operation string, generation int) error {
	session, err := fold.Open(ctx, s.Journal, stream)
	if err != nil {
		return err
	}
	op := session.State.Head()
	if op == nil || op.ID != operation || op.Generation != generation {
		return nil
	}
	_, _, err = s.Journal.Append(ctx, session.At, index.Draft(stream, &session.State, "", turn.Revive(op, s.Now())))
	var lost *eventstore.Conflict
	if errors.As(err, &lost) {
		return nil // decide again
	}
	return err
}

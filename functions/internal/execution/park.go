package execution

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/eventstore"
	"windlass/functions/internal/turn"
)

// Parking is a Park state that waits: its turn, and the token that ends the wait.
type Parking struct {
	Turn  Turn
	Token string
	// Seq is that of the log at which the driver found nothing to do but wait: it knows of
	// calls that stand in line behind one that a person is asked about, and the summary
	// of a commit does not.
	Seq uint64
	// EnteredAt and RetryCount order a turn's tokens within its generation.
	EnteredAt  string
	RetryCount int
}

// order sorts tokens of one operation by their age. EnteredAt is RFC 3339 in UTC with
// milliseconds, so its text sorts as its time does.
func (p Parking) order() string {
	return fmt.Sprintf("%010d %s %010d", p.Turn.Generation, p.EnteredAt, p.RetryCount)
}

// Park keeps the token, unless a newer one is kept, and only then looks whether there
// is anything to wait for: whoever resolves appends first and reads tokens second, so
// one of the two sees the other. An error lets the state machine ask again.
func (s *Starter) Park(ctx context.Context, p Parking) error {
	if err := s.Tokens.Keep(ctx, p); err != nil {
		return err
	}
	stream := eventstore.Stream{Tenant: p.Turn.Tenant, Session: p.Turn.Session}
	sum, seq, err := s.head(ctx, stream)
	if err != nil || (seq == p.Seq || waits(sum, p.Turn.Operation)) && sum.Head != nil && sum.Head.Generation == p.Turn.Generation {
		return err
	}
	return s.answer(ctx, p.Token)
}

// waits reports whether an operation waits for a person.
func waits(sum turn.Summary, operation string) bool {
	return sum.Head != nil && sum.Head.Operation == operation && sum.Head.Phase == turn.Waiting
}

func (s *Starter) head(ctx context.Context, stream eventstore.Stream) (turn.Summary, uint64, error) {
	head, at, err := s.Journal.Head(ctx, stream)
	if err != nil {
		return turn.Summary{}, 0, err
	}
	sum, err := turn.DecodeSummary(head.Summary)
	return sum, at.Seq(), err
}

// answerTokens ends the wait of every operation of the session that waits no longer,
// settled ones too. sum was read before, and is that of seq.
func (s *Starter) answerTokens(ctx context.Context, stream eventstore.Stream, sum turn.Summary, seq uint64) error {
	tokens, err := s.Tokens.Of(ctx, stream)
	if err != nil {
		return err
	}
	var failed []error
	for _, t := range tokens {
		if t.Seq == seq || waits(sum, t.Turn.Operation) {
			continue
		}
		err := s.answer(ctx, t.Token)
		if err == nil {
			err = s.Tokens.Forget(ctx, t)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// answer ends one wait. A token that nobody waits on any more has been answered.
func (s *Starter) answer(ctx context.Context, token string) error {
	_, err := s.Client.SendTaskSuccess(ctx, &sfn.SendTaskSuccessInput{TaskToken: &token, Output: aws.String("{}")})
	var over *types.TaskTimedOut
	var gone *types.TaskDoesNotExist
	if errors.As(err, &over) || errors.As(err, &gone) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("answer a parked turn: %w", err)
	}
	return nil
}

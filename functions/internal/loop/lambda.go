package loop

import (
	"context"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"windlass/functions/internal/execution"
)

// Lambda answers the state machine's Drive state, and its Park state, which brings a
// token.
func (l *Loop) Lambda() func(context.Context, Task) (Document, error) {
	return func(ctx context.Context, t Task) (Document, error) {
		requestID := ""
		if lc, ok := lambdacontext.FromContext(ctx); ok {
			requestID = lc.AwsRequestID
		}
		if t.Token != "" {
			return t.Turn, l.Park(ctx, execution.Parking{Turn: t.Turn.Turn, Seq: t.Turn.ParkedAt, Token: t.Token, EnteredAt: t.EnteredAt, RetryCount: t.RetryCount})
		}
		return l.Drive(ctx, t, requestID)
	}
}

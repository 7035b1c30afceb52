package loop

import (
	"context"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// Lambda answers the state machine's Drive state.
func (l *Loop) Lambda() func(context.Context, Task) (Document, error) {
	return func(ctx context.Context, t Task) (Document, error) {
		requestID := ""
		if lc, ok := lambdacontext.FromContext(ctx); ok {
			requestID = lc.AwsRequestID
		}
		return l.Drive(ctx, t, requestID)
	}
}

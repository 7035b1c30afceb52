package harness

import (
	"context"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambda/messages"

	"windlass/functions/internal/fault"
	"windlass/functions/internal/telemetry"
)

// coded gives a function's errors their public code as name, in this one place:
// Step Functions takes the Go type's name otherwise, and wrapping hides it. The
// cause is logged here and goes no further.
type coded struct {
	name    string
	next    lambda.Handler
	metrics *telemetry.Metrics
}

func (c coded) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer c.metrics.Flush(ctx)
	out, err := c.next.Invoke(ctx, payload)
	if err != nil {
		f := fault.Of(err)
		slog.ErrorContext(ctx, "the function failed", "function", c.name, "code", f.Code, "error", err)
		return nil, messages.InvokeResponse_Error{Type: string(f.Code), Message: f.Message}
	}
	return out, nil
}

package httpapi

import (
	"context"
	"log/slog"
	"regexp"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambdacontext"

	"windlass/functions/internal/telemetry"
)

type traceKey struct{}

var rootID = regexp.MustCompile(`Root=([0-9A-Za-z-]{1,64})`)

// withTrace keeps the id under which this request's logs are found: X-Ray's if
// there is one, else the invocation's.
func withTrace(ctx context.Context, e events.APIGatewayV2HTTPRequest) context.Context {
	id := e.RequestContext.RequestID
	if lc, ok := lambdacontext.FromContext(ctx); ok && lc.AwsRequestID != "" {
		id = lc.AwsRequestID
	}
	if m := rootID.FindStringSubmatch(e.Headers["x-amzn-trace-id"]); m != nil {
		id = m[1]
	}
	return context.WithValue(telemetry.With(ctx, slog.String(telemetry.TraceID, id)), traceKey{}, id)
}

func traceID(ctx context.Context) string {
	id, _ := ctx.Value(traceKey{}).(string)
	return id
}

package lambda

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// A job is one invocation on its way through a Runtime API.
type job struct {
	id, arn, trace string
	deadline       time.Time
	payload        []byte
	outcome        chan outcome // takes one, at once
}

// newJob takes an invocation's identity from the context that the Registry made.
func newJob(ctx context.Context, payload []byte) *job {
	j := &job{payload: payload, outcome: make(chan outcome, 1)}
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		j.id, j.arn = lc.AwsRequestID, lc.InvokedFunctionArn
	}
	j.trace, _ = ctx.Value("x-amzn-trace-id").(string)
	j.deadline, _ = ctx.Deadline()
	return j
}

// describe puts what a runtime must know beside the payload.
func (j *job) describe(h http.Header) {
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(j.payload)))
	h.Set("Lambda-Runtime-Aws-Request-Id", j.id)
	h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(j.deadline.UnixMilli(), 10))
	h.Set("Lambda-Runtime-Invoked-Function-Arn", j.arn)
	h.Set("Lambda-Runtime-Trace-Id", j.trace)
}

package dynamodb

import (
	"context"
	"net/http"
	"time"

	"windlass/localstack/awsjson"
)

// Fault is one misbehaviour for tests, chosen by Options.Fault. Delay comes
// first; then, unless AnswerLost is set, Error or Reasons is the answer and
// nothing is done.
type Fault struct {
	Delay   time.Duration
	Error   error    // such as Throttled
	Reasons []string // TransactWriteItems: cancelled with these codes, in order

	// AnswerLost: the operation is done, but the client is answered with Error,
	// or sees the connection close if Error is nil.
	AnswerLost bool
}

// Answers that AWS gives without having done anything.
var (
	Throttled = &awsjson.Error{Code: "ProvisionedThroughputExceededException",
		Message: "The level of configured provisioned throughput for the table was exceeded. Consider increasing your provisioning level with the UpdateTable API."}
	Conflict = &awsjson.Error{Code: "TransactionConflictException",
		Message: "Transaction is ongoing for the item"}
	Internal = &awsjson.Error{Status: http.StatusInternalServerError, Code: "InternalServerError",
		Message: "The request processing has failed because of an unknown error, exception or failure."}
)

// operation decodes the request and lets a fault have its way.
func (s *Service) operation(name string, known fieldSet, run func(*request) (any, error)) awsjson.Operation {
	return func(ctx context.Context, body []byte) (any, error) {
		in, err := decode(body, known)
		if err != nil {
			return nil, err
		}
		accounted := func(in *request) (any, error) {
			out, err := run(in)
			return s.account(ctx, name, in, out, err)
		}
		if s.options.Fault == nil {
			return accounted(in)
		}
		fault := s.options.Fault(name, in.firstTable())
		if fault == nil {
			return accounted(in)
		}
		return fault.run(ctx, in, accounted)
	}
}

func (f *Fault) run(ctx context.Context, in *request, run func(*request) (any, error)) (any, error) {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	switch {
	case !f.AnswerLost && f.Error != nil:
		return nil, f.Error
	case !f.AnswerLost && f.Reasons != nil:
		return nil, cancelled(injected(f.Reasons))
	}
	out, err := run(in)
	switch {
	case !f.AnswerLost:
		return out, err
	case f.Error != nil:
		return nil, f.Error
	}
	panic(http.ErrAbortHandler)
}

func injected(codes []string) []reason {
	reasons := make([]reason, len(codes))
	for i, code := range codes {
		reasons[i] = reason{code: code}
		if code != reasonNone {
			reasons[i].message = reasonMessages[code]
		}
	}
	return reasons
}

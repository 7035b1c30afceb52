package eventstore

import (
	"context"
	"math/rand/v2"
	"time"
)

// Retry bounds how long one call goes on when the backend fails.
type Retry struct {
	// Attempt is how long one attempt may take before its answer counts as lost.
	Attempt time.Duration
	// Total is how long the call may take. The caller's context may end it sooner.
	Total time.Duration
	// First and Max are the delays between attempts: doubled each time, with full
	// jitter.
	First, Max time.Duration
}

// DefaultRetry rides out a short outage; a longer one is the state machine's to
// wait for, which costs nothing.
var DefaultRetry = Retry{Attempt: 2 * time.Second, Total: 20 * time.Second, First: 20 * time.Millisecond, Max: time.Second}

// slowest is the transfer, in bytes a second, that an attempt still waits for.
const slowest = 4 << 20

// forBytes gives a transfer the time that it takes besides.
func (r Retry) forBytes(n int64) Retry {
	more := time.Duration(n) * time.Second / slowest
	r.Attempt += more
	r.Total += more
	return r
}

func (r Retry) do(ctx context.Context, call func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.Total)
	defer cancel()
	for delay := r.First; ; delay = min(2*delay, r.Max) {
		err := r.attempt(ctx, call)
		if code := CodeOf(err); err == nil || code != Throttled && code != Unavailable {
			return err
		}
		wait := time.NewTimer(rand.N(max(delay, 1)))
		select {
		case <-ctx.Done():
			wait.Stop()
		case <-wait.C:
		}
		if ctx.Err() != nil { // asked apart: both may have been ready
			return Errorf(CodeOf(err), "retry", "no time is left (%w) after: %w", ctx.Err(), err)
		}
	}
}

func (r Retry) attempt(ctx context.Context, call func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return Errorf(Unavailable, "retry", "%w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, r.Attempt)
	defer cancel()
	return call(ctx)
}

package eventstore_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/memory"
)

// failing answers every call with one error, after a while, and notes when it
// was called.
type failing struct {
	eventstore.Driver
	err   error
	takes time.Duration
	calls []time.Time
}

func (f *failing) Append(ctx context.Context, _ eventstore.Write) error {
	f.calls = append(f.calls, time.Now())
	select {
	case <-time.After(f.takes):
		return f.err
	case <-ctx.Done():
		return eventstore.Errorf(eventstore.Unavailable, "append", "%w", ctx.Err())
	}
}

func fails(code eventstore.Code) error {
	return eventstore.Errorf(code, "append", "%w", errCause)
}

var errCause = errors.New("the cause")

func TestRetriesGoOnUntilTheTotalIsSpent(t *testing.T) {
	for _, code := range []eventstore.Code{eventstore.Throttled, eventstore.Unavailable} {
		synctest.Test(t, func(t *testing.T) {
			f := &failing{err: fails(code)}
			begun := time.Now()
			_, _, err := eventstore.New(f).Append(t.Context(), head(t, memory.New()), draft(1))
			if eventstore.CodeOf(err) != code || !errors.Is(err, errCause) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want %s with its cause", err, code)
			}
			if took := time.Since(begun); took != eventstore.DefaultRetry.Total {
				t.Errorf("%s: gave up after %v, want %v", code, took, eventstore.DefaultRetry.Total)
			}
			checkDelays(t, eventstore.DefaultRetry, f.calls)
		})
	}
}

// checkDelays wants full jitter: each below a bound that doubles up to Max, and
// not all alike.
func checkDelays(t *testing.T, r eventstore.Retry, calls []time.Time) {
	t.Helper()
	distinct := map[time.Duration]bool{}
	for i, bound := 1, r.First; i < len(calls); i, bound = i+1, min(2*bound, r.Max) {
		delay := calls[i].Sub(calls[i-1])
		distinct[delay] = true
		if delay >= bound {
			t.Errorf("delay %d was %v, want below %v", i, delay, bound)
		}
	}
	// The mean delay is half of Max. Five calls in each Max would take luck of ten
	// standard deviations, or a delay that does not grow.
	if least := int(r.Total / r.Max); len(calls) < least || len(calls) > 5*least || len(distinct) < 2 {
		t.Errorf("%d calls with %d different delays, want %d to %d calls", len(calls), len(distinct), least, 5*least)
	}
}

func TestEachAttemptIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{takes: time.Hour}
		r := eventstore.Retry{Attempt: 2 * time.Second, Total: 5 * time.Second, First: time.Nanosecond, Max: time.Nanosecond}
		begun := time.Now()
		_, _, err := eventstore.New(f, eventstore.WithRetry(r)).Append(t.Context(), head(t, memory.New()), draft(1))
		if eventstore.CodeOf(err) != eventstore.Unavailable || time.Since(begun) != r.Total || len(f.calls) != 3 {
			t.Errorf("%v after %v and %d attempts, want 3 in %v", err, time.Since(begun), len(f.calls), r.Total)
		}
		for i, at := range f.calls {
			if at.Sub(begun) != time.Duration(i)*r.Attempt {
				t.Errorf("attempt %d began after %v", i+1, at.Sub(begun))
			}
		}
	})
}

func TestTheCallersContextEndsACallSooner(t *testing.T) {
	for name, f := range map[string]*failing{"in an attempt": {takes: time.Hour}, "between attempts": {err: fails(eventstore.Throttled)}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
			defer cancel()
			begun := time.Now()
			if _, _, err := eventstore.New(f).Append(ctx, head(t, memory.New()), draft(1)); err == nil || time.Since(begun) != 1500*time.Millisecond {
				t.Errorf("%s: %v after %v", name, err, time.Since(begun))
			}
		})
	}
}

func TestEndedContextSendsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := &failing{}
	_, _, err := eventstore.New(f).Append(ctx, head(t, memory.New()), draft(1))
	if eventstore.CodeOf(err) != eventstore.Unavailable || !errors.Is(err, context.Canceled) || len(f.calls) != 0 {
		t.Errorf("%v after %d calls", err, len(f.calls))
	}
}

func TestOnlyThrottledAndUnavailableAreRetried(t *testing.T) {
	for _, code := range []eventstore.Code{eventstore.Invalid, eventstore.TooLarge, eventstore.NotFound, eventstore.LostRace, eventstore.AlreadyClaimed, eventstore.Corrupt, eventstore.Denied} {
		f := &failing{err: fails(code)}
		if _, _, err := eventstore.New(f).Append(t.Context(), head(t, memory.New()), draft(1)); eventstore.CodeOf(err) != code || len(f.calls) != 1 {
			t.Errorf("%s: %v after %d calls", code, err, len(f.calls))
		}
	}
}

func TestRetryWithoutDelaysIsAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{err: fails(eventstore.Throttled), takes: time.Millisecond}
		r := eventstore.Retry{Attempt: time.Second, Total: time.Second}
		if _, _, err := eventstore.New(f, eventstore.WithRetry(r)).Append(t.Context(), head(t, memory.New()), draft(1)); err == nil || len(f.calls) < 500 {
			t.Errorf("%v after %d calls", err, len(f.calls))
		}
	})
}

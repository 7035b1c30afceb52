package asl

import (
	"testing"
	"time"
)

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"Throttled", "Throttled", true},
		{"Throttled", "throttled", false},
		{ErrAll, "Throttled", true},
		{ErrAll, "Lambda.Unknown", true},
		{ErrAll, ErrTimeout, true},
		{ErrAll, ErrHeartbeatTimeout, true},
		{ErrAll, ErrResultPathMatchFailure, true},
		{ErrAll, ErrRuntime, false},
		{ErrAll, ErrDataLimitExceeded, false},
		{ErrRuntime, ErrRuntime, false},
		{ErrDataLimitExceeded, ErrDataLimitExceeded, true},
		{ErrTaskFailed, "Throttled", true},
		{ErrTaskFailed, "Lambda.Unknown", true},
		{ErrTaskFailed, ErrTimeout, false},
		{ErrTaskFailed, ErrHeartbeatTimeout, false},
		{ErrTaskFailed, ErrRuntime, false},
		{ErrTaskFailed, ErrDataLimitExceeded, false},
		{ErrTimeout, ErrTimeout, true},
		{ErrTimeout, ErrHeartbeatTimeout, true},
		{ErrTimeout, "Throttled", false},
		{ErrHeartbeatTimeout, ErrHeartbeatTimeout, true},
		{ErrHeartbeatTimeout, ErrTimeout, false},
	} {
		if got := Matches([]string{"Other", c.pattern}, c.name); got != c.want {
			t.Errorf("%s covers %s: %v", c.pattern, c.name, got)
		}
	}
}

func TestRetryDelay(t *testing.T) {
	plain := Retrier{IntervalSeconds: 2, BackoffRate: 1.5, MaxDelaySeconds: maxDelaySeconds}
	capped := Retrier{IntervalSeconds: 1, BackoffRate: 2, MaxDelaySeconds: 5}
	jitter := Retrier{IntervalSeconds: 1, BackoffRate: 2, MaxDelaySeconds: 5, FullJitter: true}
	huge := Retrier{IntervalSeconds: maxSeconds, BackoffRate: 1e308, MaxDelaySeconds: maxDelaySeconds}
	for _, c := range []struct {
		r      Retrier
		n      int
		random float64
		want   time.Duration
	}{
		{plain, 0, 0.9, 2 * time.Second},
		{plain, 1, 0.9, 3 * time.Second},
		{plain, 2, 0.9, 4500 * time.Millisecond},
		{capped, 2, 0, 4 * time.Second},
		{capped, 3, 0, 5 * time.Second},
		{capped, 100_000, 0, 5 * time.Second},
		{jitter, 3, 0, 0},
		{jitter, 3, 0.5, 2500 * time.Millisecond},
		{huge, 1_000_000, 0, maxDelaySeconds * time.Second},
	} {
		if got := c.r.Delay(c.n, c.random); got != c.want {
			t.Errorf("%+v: delay %d is %v, want %v", c.r, c.n, got, c.want)
		}
	}
}

func TestRetryDefaults(t *testing.T) {
	s := parseOne[*Task](t, `{`+invokeFields+`,"Parameters":{"FunctionName":"f"},"Retry":[{"ErrorEquals":["A"]},{"ErrorEquals":["States.ALL"],"MaxAttempts":0}]}`)
	if r := s.Retry[0]; r.IntervalSeconds != 1 || r.MaxAttempts != 3 || r.BackoffRate != 2 || r.FullJitter {
		t.Errorf("defaults are %+v", r)
	}
	if i := MatchRetrier(s.Retry, "A"); i != 0 {
		t.Errorf("A matched retrier %d", i)
	}
	if i := MatchRetrier(s.Retry, "B"); i != 1 {
		t.Errorf("B matched retrier %d", i)
	}
}

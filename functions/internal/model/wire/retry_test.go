package wire

import (
	"net/http"
	"testing"
	"time"
)

func TestTheLongestDelayThatIsAskedForCounts(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for _, c := range []struct {
		after, ms string
		want      time.Duration
	}{
		{"90", "", 90 * time.Second},
		{"1.5", "", 1500 * time.Millisecond},
		{"", "250", 250 * time.Millisecond},
		{"1", "0", time.Second},
		{"1", "1500", 1500 * time.Millisecond},
		{at(time.Hour), "", time.Hour},
		{at(time.Hour), "250", time.Hour},
		{at(-time.Hour), "", 0},
		{"1e300", "", longestRetry},
		{"1e999", "", longestRetry},
		{"Fri, 31 Dec 9999 23:59:59 GMT", "", longestRetry},
		{"-1", "NaN", 0},
		{"Inf", "", longestRetry},
		{"soon", "", 0},
		{"", "", 0},
	} {
		if got := retryAfter(http.Header{"Retry-After": {c.after}, "Retry-After-Ms": {c.ms}}, now); got != c.want {
			t.Errorf("%q, %q: %s, want %s", c.after, c.ms, got, c.want)
		}
	}
}

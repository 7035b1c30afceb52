package wire

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"
)

// longestRetry keeps what a header says within a Duration; the turn bounds it
// further.
const longestRetry = 24 * time.Hour

// retryAfter is the longest wait that any of the headers asks for: some servers
// send a zero beside the true one.
func retryAfter(h http.Header, now time.Time) time.Duration {
	wait := max(number(h.Get("Retry-After-Ms"), time.Millisecond), number(h.Get("Retry-After"), time.Second))
	if t, err := http.ParseTime(h.Get("Retry-After")); err == nil {
		wait = max(wait, t.Sub(now))
	}
	return min(wait, longestRetry)
}

func number(s string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(n), n <= 0:
		return 0
	case n >= float64(longestRetry/unit):
		return longestRetry
	}
	return time.Duration(n * float64(unit))
}

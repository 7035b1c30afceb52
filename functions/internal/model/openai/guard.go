package openai

import (
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/openai/openai-go/v3/option"
)

const (
	// maxComplaint bounds what is read of an answer that is an error.
	maxComplaint = 64 << 10
	// maxWire bounds what is read of an answer, in bytes: each piece of text comes in
	// an event of a few hundred, and the whole again at the end.
	maxWire = 128 << 20
)

// guard stands between the SDK and the network, because the SDK reads an error's
// body to its end, however long, and keeps the request in the error.
func guard(key string, now func() time.Time) option.Middleware {
	return func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		res, err := next(req)
		if err != nil {
			return res, err
		}
		if res.StatusCode >= 200 && res.StatusCode < 300 {
			res.Body = &bounded{ReadCloser: res.Body, left: maxWire}
			return res, nil
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxComplaint)) // what there is of it
		c := readComplaint(body)
		f := c.fault(res.StatusCode, c.said(res.StatusCode, key))
		if !f.Permanent {
			f.RetryAfter = retryAfter(res.Header, now())
		}
		return nil, f
	}
}

// bounded fails where io.LimitReader would end.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

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

package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"windlass/functions/internal/fault"
)

const problemType = "application/problem+json"

// problem is RFC 9457's document, with our members.
type problem struct {
	Type      string     `json:"type"`
	Title     string     `json:"title"`
	Status    int        `json:"status"`
	Detail    string     `json:"detail"`
	Code      fault.Code `json:"code"`
	Retryable bool       `json:"retryable"`
	TraceID   string     `json:"traceId"`
}

// problemOf makes the document, and logs the cause of what is not the caller's
// doing.
func problemOf(ctx context.Context, err error) ([]byte, int) {
	f := fault.Of(err)
	class := fault.Table[f.Code]
	if class.Status >= 500 {
		slog.ErrorContext(ctx, "a request failed", "code", f.Code, "error", err, "trace_id", traceID(ctx))
	}
	b, err := json.Marshal(problem{"about:blank", class.Title, class.Status, f.Message, f.Code, class.Retryable, traceID(ctx)})
	if err != nil {
		panic(err) // strings and numbers
	}
	return b, class.Status
}

// retryAfter, in seconds, goes with every retryable problem.
const retryAfter = "1"

func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	b, status := problemOf(r.Context(), err)
	w.Header().Set("Content-Type", problemType)
	w.Header().Set("Cache-Control", "no-store")
	switch status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		w.Header().Set("Retry-After", retryAfter)
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="windlass"`)
	}
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

package httpapi

import (
	"context"
	"encoding/json"
	"errors"
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
	// OperationID is the id that a submission was tried under, made if it named
	// none, where trying again may help: sent again with it, nothing is done twice.
	OperationID string `json:"operationId,omitempty"`
}

// triedAs says under which id a submission failed.
type triedAs struct {
	error
	operationID string
}

func (e triedAs) Unwrap() error { return e.error }

// problemOf makes the document, and logs the cause of what is not the caller's
// doing.
func problemOf(ctx context.Context, err error) ([]byte, int) {
	f := fault.Of(err)
	class := fault.Table[f.Code]
	if class.Status >= 500 {
		slog.ErrorContext(ctx, "a request failed", "code", f.Code, "error", err, "trace_id", traceID(ctx))
	}
	var tried triedAs
	if class.Retryable {
		errors.As(err, &tried)
	}
	b, err := json.Marshal(problem{"about:blank", class.Title, class.Status, f.Message, f.Code, class.Retryable, traceID(ctx), tried.operationID})
	if err != nil {
		panic(err) // strings and numbers
	}
	return b, class.Status
}

// retryAfter, in seconds, goes with every retryable problem.
const retryAfter = "1"

func writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	b, status := problemOf(r.Context(), err)
	for name, value := range problemHeaders(status) {
		w.Header().Set(name, value)
	}
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

func problemHeaders(status int) map[string]string {
	h := map[string]string{"Content-Type": problemType, "Cache-Control": "no-store"}
	switch status {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		h["Retry-After"] = retryAfter
	case http.StatusUnauthorized:
		h["WWW-Authenticate"] = `Bearer realm="windlass"`
	}
	return h
}

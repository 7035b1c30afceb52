package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"
)

// API Gateway's quotas for HTTP APIs.
const (
	MaxBody    = 10 << 20
	MaxHeaders = 10240 // request line and header values together
	MaxEvent   = 6 << 20
	Timeout    = 30 * time.Second
)

// ErrThrottled is what Invoke wraps when the function's concurrency is used up.
var ErrThrottled = errors.New("function throttled")

// Options configure an HTTP API.
type Options struct {
	// Invoke runs the function of the $default route.
	Invoke func(ctx context.Context, event []byte) ([]byte, error)

	APIID   string
	Account string
	Log     *slog.Logger
	Now     func() time.Time
}

// HTTP returns the HTTP API.
func HTTP(o Options) http.Handler {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &httpAPI{o}
}

type httpAPI struct{ Options }

func (a *httpAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := requestID()
	w.Header().Set("Apigw-Requestid", id)
	payload, status := a.event(w, r, id)
	if status != 0 {
		fail(w, status)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), Timeout)
	defer cancel()
	answer, err := a.Invoke(ctx, payload)
	switch {
	case r.Context().Err() != nil:
		// The client is gone, and the answer with it.
	case errors.Is(err, ErrThrottled), ctx.Err() != nil:
		a.Log.Warn("the function did not answer in time", "requestId", id, "error", err)
		fail(w, http.StatusServiceUnavailable)
	case err != nil:
		a.Log.Error("the function failed", "requestId", id, "error", err)
		fail(w, http.StatusInternalServerError)
	default:
		a.respond(w, r, id, answer)
	}
}

// event reads the request, or says with which status it is refused.
func (a *httpAPI) event(w http.ResponseWriter, r *http.Request, id string) ([]byte, int) {
	if !supported[r.Method] || r.URL.Path == "" || r.URL.Path[0] != '/' {
		return nil, http.StatusBadRequest
	}
	if headerBytes(r) > MaxHeaders {
		return nil, http.StatusRequestHeaderFieldsTooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	}
	request, ok := a.request(r, id, body)
	if !ok {
		return nil, http.StatusBadRequest
	}
	payload, err := encode(request)
	switch {
	case err != nil:
		a.Log.Error("the event cannot be encoded", "requestId", id, "error", err)
		return nil, http.StatusInternalServerError
	case len(payload) > MaxEvent:
		return nil, http.StatusRequestEntityTooLarge
	}
	return payload, 0
}

// supported are the methods of an ANY route.
var supported = map[string]bool{
	"DELETE": true, "GET": true, "HEAD": true, "OPTIONS": true, "PATCH": true, "POST": true, "PUT": true,
}

func headerBytes(r *http.Request) int {
	n := len(r.Method) + len(r.RequestURI) + len(r.Proto) + len(r.Host)
	for name, values := range r.Header {
		for _, v := range values {
			n += len(name) + len(v)
		}
	}
	return n
}

// fail answers with API Gateway's own body for a status.
func fail(w http.ResponseWriter, status int) {
	body, _ := json.Marshal(map[string]string{"message": http.StatusText(status)})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone needs no answer
}

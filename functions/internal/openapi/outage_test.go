package openapi_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"

	"windlass/eventstore"
	"windlass/functions/internal/auth"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/httpapi"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// keys lets everybody in, or nobody for a reason of ours.
type keys struct{ err error }

func (k keys) Caller(context.Context, string) (auth.Caller, error) {
	return auth.Caller{Tenant: "acme"}, k.err
}

// turns fail.
type turns struct{ err error }

func (f turns) Submit(context.Context, eventstore.Stream, session.Submission) (session.Receipt, error) {
	return session.Receipt{OperationID: "made"}, f.err
}

func (f turns) Settled(context.Context, eventstore.Stream, string, time.Duration) (view.Operation, error) {
	return view.Operation{}, f.err
}

func (f turns) Followed(context.Context, eventstore.Stream, session.EventQuery, time.Duration) (session.EventPage, error) {
	return session.EventPage{}, f.err
}

var fill = strings.NewReplacer("{session}", "s", "{operation}", "a", "{path}", "f", "{sha256}", strings.Repeat("0", 64))

// What cannot be brought about from outside, a client finds in the document all
// the same.
func TestOutagesAndFaultsOfOursAreAsTheDocumentSays(t *testing.T) {
	doc, m := model(t)
	v, errs := validator.NewValidator(doc, config.WithFormatAssertions())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	n := 0
	answered := func(api *httpapi.API, method, path, body string, status int) {
		t.Helper()
		n++
		r := httptest.NewRequest(method, fill.Replace(path), strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		// The function adds the trace: the handler alone has none.
		api.Handler().ServeHTTP(w, r)
		got := strings.Replace(w.Body.String(), `"traceId":""`, `"traceId":"1-a"`, 1)
		if method == http.MethodHead {
			got = "" // the gateway sends none
		}
		res := &http.Response{StatusCode: w.Code, Header: w.Header(), Body: io.NopCloser(bytes.NewReader([]byte(got))), Request: r}
		ok, errs := v.ValidateHttpResponse(r, res)
		if w.Code != status || !ok {
			t.Errorf("%s %s: %d %s, want %d: %v", method, path, w.Code, got, status, errs)
		}
		if again := status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests; again != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s %s: %d with Retry-After %q", method, path, status, w.Header().Get("Retry-After"))
		}
	}
	for path, item := range m.Paths.PathItems.FromOldest() {
		for method, op := range item.GetOperations().FromOldest() {
			if op.Security != nil && len(op.Security) == 0 {
				continue
			}
			for status, err := range map[int]error{503: fault.New(fault.Unavailable, "later"), 500: errors.New("a fault of ours")} {
				answered(&httpapi.API{Keys: keys{err}}, strings.ToUpper(method), path, "", status)
			}
		}
	}
	for status, err := range map[int]error{503: fault.New(fault.Unavailable, "later"), 500: errors.New("a fault of ours"), 429: fault.New(fault.QueueFull, "later")} {
		answered(&httpapi.API{Keys: keys{}, Turns: turns{err}}, http.MethodPost, "/v1/sessions/{session}/operations", `{"prompt":"p"}`, status)
	}
	if n < 20 {
		t.Errorf("only %d answers were looked at", n)
	}
}

package httpapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// API Gateway decodes a path before anybody here sees it: %2e%2e is ".." then.
func TestPathsThatCouldMeanTwoThingsAreRefused(t *testing.T) {
	w := newWorld(t)
	w.post(operations, `{"prompt":"p","operationId":"a"}`)
	for _, path := range []string{
		"", "v1/sessions/s/events", "//v1/sessions/s/events", "/v1//sessions/s/events", "/v1/sessions/s/events/", "/v1/sessions/s/events//",
		"/v1/sessions//events", "/v1/sessions/./events", "/v1/sessions/../sessions/s/events", "/v1/sessions/x/../s/events", "/..", "/.", "/v1/sessions/s/events/..",
		`/v1/sessions/s\..\t/events`, `/v1\sessions/s/events`, `\v1`, "/v1/sessions/s\x00/events", "/v1/sessions/s\n/events", "/v1/sessions/s\r\nX-Evil: 1/events",
		"/v1/sessions/s\x7f/events", "/v1/sessions/s\u0085/events", "/v1/sessions/\xff/events", "/v1/sessions/\xc0\xae\xc0\xae/events", "/v1/sessions/\xf0\x9f/events",
		"/healthz/", "/healthz/..", "//healthz", "https://evil.example/healthz",
	} {
		for _, k := range []string{key, ""} { // refused before a key is looked at
			r := w.do(request{method: "GET", path: path, key: k})
			w.problem(r, fault.InvalidPath)
			if r.header["Location"] != "" {
				t.Errorf("%q is redirected to %s", path, r.header["Location"])
			}
		}
	}
}

// Characters that mean something in a URL are names here, and nobody's name.
func TestDelimitersInADecodedPathAreNotDelimiters(t *testing.T) {
	w := newWorld(t)
	w.post(operations, `{"prompt":"p","operationId":"a"}`)
	for _, path := range []string{
		"/v1/sessions/s/events?limit=1", "/v1/sessions/s/events#", "/v1/sessions/s?/events", "/v1/sessions/s#commit/events", "/v1/sessions/s%2fevents",
		"/v1/sessions/%73/events", "/v1/sessions/s%/events", "/v1/sessions/%00/events", "/v1/sessions/s /events", "/v1/sessions/s;x=1/events", "/v1/sessions/é/events",
		"/v1/sessions/s%252f../events", "/v1/sessions/{session}/events", "/v1/sessions/" + strings.Repeat("s", 129) + "/events", "/V1/sessions/s/events",
		"/v1/sessions/s/operations/a?", "/v1/sessions/s/operations/a#", "/v1/sessions/s/operations/%61", "/v1/sessions/s/operations/a%2f..",
		"/" + strings.Repeat("a", 100_000), "/v1/sessions/" + strings.Repeat("%", 8_000) + "/events", strings.Repeat("/a", 10_000),
	} {
		w.problem(w.get(path, ""), fault.NotFound)
	}
	for _, id := range []string{"s?", "s#", "50%", "%2e", "a b", "é", "s;t", strings.Repeat("s", 129)} {
		w.problem(w.post("/v1/sessions/"+id+"/operations", `{"prompt":"p"}`), fault.InvalidRequest)
	}
}

func TestEveryIDTravelsInAPath(t *testing.T) {
	w := newWorld(t)
	for _, id := range []string{"a", "...", "a.b", "A_z-0:9", ":", "-", strings.Repeat("z", 128)} {
		r := w.post("/v1/sessions/"+id+"/operations", `{"prompt":"p","operationId":"`+id+`"}`)
		if r.status != http.StatusAccepted {
			t.Fatalf("%q: %d %s", id, r.status, r.body)
		}
		if got := w.get(r.header["Location"], ""); got.status != http.StatusOK || !strings.Contains(got.body, `"sessionId":"`+id+`"`) {
			t.Errorf("%q: %d %s", id, got.status, got.body)
		}
	}
}

// seen notes the ids that reach the sessions.
type seen struct{ session, operation string }

func (f *seen) Submit(_ context.Context, s eventstore.Stream, _ session.Submission) (session.Receipt, error) {
	f.session = s.Session
	return session.Receipt{}, fault.New(fault.QueueFull, "enough")
}

func (f *seen) Settled(_ context.Context, s eventstore.Stream, id string, _ time.Duration) (view.Operation, error) {
	f.session, f.operation = s.Session, id
	return view.Operation{}, fault.New(fault.NotFound, "nothing")
}

func (f *seen) Followed(_ context.Context, s eventstore.Stream, _ session.EventQuery, _ time.Duration) (session.EventPage, error) {
	f.session = s.Session
	return session.EventPage{}, fault.New(fault.NotFound, "nothing")
}

// Whatever the path is: no panic, no redirect, and a segment that reaches a
// session is the very segment that was sent.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"s", "..", "a/b", "50%", "C#", "what?", `a\b`, "\x00", "\xff", "%2e%2e", "a b", "é🦀", ";", "", "/", "[::1]", "{session}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, segment string) {
		w, ids := newWorld(t), &seen{}
		w.api.Turns = ids
		legal := segment != "" && segment != "." && segment != ".." && utf8.ValidString(segment) && !strings.ContainsAny(segment, `\/`) && strings.IndexFunc(segment, unicode.IsControl) < 0
		for _, path := range []string{"/v1/sessions/" + segment + "/events", "/v1/sessions/" + segment + "/operations/" + segment} {
			*ids = seen{}
			r := w.get(path, "")
			switch {
			case legal && (r.status != http.StatusNotFound || ids.session != segment || ids.operation != "" && ids.operation != segment):
				t.Fatalf("%q: %d %s, reached %q", path, r.status, r.body, *ids)
			case !legal && r.status != http.StatusUnprocessableEntity && r.status != http.StatusNotFound:
				t.Fatalf("%q: %d %s", path, r.status, r.body)
			}
		}
		if r := w.get("/"+segment, ""); r.status >= 500 || r.status >= 300 && r.status < 400 {
			t.Fatalf("%q: %d %s", segment, r.status, r.body)
		}
	})
}

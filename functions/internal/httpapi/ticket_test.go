package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/auth"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

func TestATicketIsItsCallers(t *testing.T) {
	for body, want := range map[string]connection.Grant{
		``:                 {Tenant: "acme", Key: auth.ID(key)},
		`{}`:               {Tenant: "acme", Key: auth.ID(key)},
		`{"session":"s"}`:  {Tenant: "acme", Key: auth.ID(key), Session: "s"},
		`{"session":null}`: {Tenant: "acme", Key: auth.ID(key)},
	} {
		w, issued := newWorld(t), &tickets{}
		w.api.Tickets = issued
		r := w.post("/v1/tickets", body)
		const answer = `{"ticket":"ticket-1","url":"wss://sockets.example/live?ticket=ticket-1","expiresAt":"2026-01-02T03:04:35.678901Z"}`
		if r.status != http.StatusCreated || strings.TrimSpace(r.body) != answer || issued.grant != want || r.header["Cache-Control"] != "no-store" {
			t.Errorf("%s: %d %s for %+v", body, r.status, r.body, issued.grant)
		}
	}
}

func TestATicketForNothingIsRefused(t *testing.T) {
	w := newWorld(t)
	for body, want := range map[string]int{` `: 400, `null`: 400, `[]`: 400, `{"session":""}`: 400, `{"session":"a/b"}`: 400, `{"sesion":"s"}`: 400} {
		if r := w.post("/v1/tickets", body); r.status != want {
			t.Errorf("%s: %d %s", body, r.status, r.body)
		}
	}
	if r := w.do(request{method: http.MethodPost, path: "/v1/tickets", body: `{}`}); r.status != http.StatusUnauthorized {
		t.Errorf("without a key: %d %s", r.status, r.body)
	}
	w.api.Tickets = &tickets{err: fault.New(fault.Unavailable, "later")}
	if r := w.post("/v1/tickets", `{}`); r.status != http.StatusServiceUnavailable || strings.Contains(r.body, "ticket-1") {
		t.Errorf("an outage: %d %s", r.status, r.body)
	}
}

// The page holds no data, so nobody needs a key for it; all else stays closed.
func TestThePageIsForEverybody(t *testing.T) {
	w := newWorld(t)
	for path, kind := range map[string]string{"/": "text/html", "/windlass.js": "text/javascript"} {
		r := w.do(request{method: http.MethodGet, path: path})
		if r.status != http.StatusOK || !strings.HasPrefix(r.header["Content-Type"], kind) || !strings.Contains(r.header["Content-Security-Policy"], "default-src 'none'") {
			t.Errorf("%s: %d %v", path, r.status, r.header)
		}
		if r := w.do(request{method: http.MethodPost, path: path}); r.status != http.StatusUnauthorized {
			t.Errorf("POST %s: %d", path, r.status)
		}
	}
	if r := w.do(request{method: http.MethodGet, path: "/console/nothing.js"}); r.status != http.StatusUnauthorized {
		t.Errorf("%d %s", r.status, r.body)
	}
}

package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/fault"
)

// deletes sends the request.
func (w *world) deletes(key string) response {
	w.t.Helper()
	return w.do(request{method: "DELETE", path: "/v1/sessions/s", key: key})
}

func TestEveryRouteToADeletedSessionSaysSo(t *testing.T) {
	w := owned(t)
	if r := w.deletes(key); r.status != http.StatusNoContent || r.body != "" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	all := append([]request{
		{method: "POST", path: "/v1/sessions/s/operations/a/cancel"},
		{method: "POST", path: "/v1/sessions/s/operations/a/steer", body: `{"text":"more"}`},
		{method: "GET", path: "/v1/sessions/s/operations/nothing"},
		{method: "POST", path: "/v1/sessions/s/operations/nothing/cancel"},
		{method: "GET", path: "/v1/sessions/s/events", query: "after=1000&wait=20"},
		{method: "PUT", path: "/v1/sessions/s/files/big.txt", body: big},
		{method: "DELETE", path: "/v1/sessions/s/files/nothing"},
		{method: "POST", path: "/v1/sessions/s/operations", body: `{"prompt":"p","operationId":"a"}`},
		{method: "POST", path: "/v1/sessions/s/operations", body: `{"prompt":"` + big + `"}`},
		{method: "POST", path: "/v1/sessions/s/operations", body: `{"prompt":"p","input":[{"type":"file","path":"/a.txt"}]}`},
		{method: "GET", path: "/v1/sessions/s/blobs/" + strings.Repeat("0", 64)},
	}, routes...)
	before := w.blobs.Keys()
	for _, r := range all {
		r.key = key
		if r.path == "/v1/sessions" {
			if got := w.do(r); strings.TrimSpace(got.body) != `{"sessions":[]}` {
				t.Errorf("it is listed: %s", got.body)
			}
			continue
		}
		got := w.do(r)
		if got.status != http.StatusGone {
			t.Errorf("%s %s: %d %s", r.method, r.path, got.status, got.body)
			continue
		}
		if r.method != "HEAD" {
			w.problem(got, fault.SessionDeleted)
		}
	}
	if after := w.blobs.Keys(); len(after) != len(before) {
		t.Errorf("%d blobs were put for it", len(after)-len(before))
	}
}

func TestDeletingIsForOnesOwnSessionsAndMayBeSentAgain(t *testing.T) {
	w := owned(t)
	w.problem(w.deletes(otherKey), fault.NotFound)
	w.problem(w.do(request{method: "DELETE", path: "/v1/sessions/nobodys", key: key}), fault.NotFound)
	w.problem(w.do(request{method: "DELETE", path: "/v1/sessions/s", query: "force=1", key: key}), fault.InvalidRequest)
	if r := w.get("/v1/sessions/s", ""); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	for range 3 {
		if r := w.deletes(key); r.status != http.StatusNoContent {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
}

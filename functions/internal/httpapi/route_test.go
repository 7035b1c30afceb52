package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"windlass/functions/internal/fault"
)

// routes are those to data. Each is given as the owner of session s may use it.
var routes = []request{
	{method: "POST", path: "/v1/sessions/s/operations", body: `{"prompt":"p","operationId":"b"}`},
	{method: "GET", path: "/v1/sessions/s/operations/a"},
	{method: "GET", path: "/v1/sessions/s/operations/a", query: "wait=1"},
	{method: "GET", path: "/v1/sessions/s/events"},
	{method: "GET", path: "/v1/sessions/s/events", query: "operationId=a"},
	{method: "GET", path: "/v1/sessions/s/operations"},
	{method: "GET", path: "/v1/sessions/s/transcript"},
	{method: "GET", path: "/v1/sessions/s/files"},
	{method: "GET", path: "/v1/sessions/s/files/a.txt"},
	{method: "HEAD", path: "/v1/sessions/s/files/a.txt"},
	{method: "DELETE", path: "/v1/sessions/s/files/a.txt"},
	{method: "GET", path: "/v1/sessions/s/blobs/" + hashOfBig},
	{method: "PUT", path: "/v1/sessions/s/files/a.txt", body: "x"},
	{method: "POST", path: "/v1/sessions/s/uploads", body: `{"bytes":1,"sha256":"` + hashOfBig + `"}`},
	{method: "GET", path: "/v1/sessions"},
	{method: "GET", path: "/v1/sessions/s"},
	{method: "PUT", path: "/v1/sessions/s/retention", body: `{"retention":"30d"}`},
	{method: "POST", path: "/v1/sessions/s/operations/a/approvals/1.0", body: `{"decision":"approve"}`},
	{method: "POST", path: "/v1/sessions/s/operations/a/reconcile/1.0", body: `{"outcome":"happened"}`},
}

// big is kept apart from the log.
var (
	big       = strings.Repeat("big ", 8<<10)
	hashOfBig = hashOf(big)
)

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// owned is a world in which acme has what the routes name.
func owned(t *testing.T) *world {
	w := newWorld(t)
	w.post("/v1/sessions/s/operations", `{"prompt":"a secret of acme","operationId":"a"}`)
	for name, data := range map[string]string{"a.txt": "a secret of acme", "big.txt": big} {
		if r := w.do(request{method: "PUT", path: "/v1/sessions/s/files/" + name, key: key, body: data}); r.status != http.StatusCreated {
			t.Fatalf("%d %s", r.status, r.body)
		}
	}
	return w
}

func TestNoRouteIsOpenWithoutAKey(t *testing.T) {
	w := owned(t)
	elsewhere := []request{{method: "GET", path: "/v1/nothing"}, {method: "DELETE", path: "/v1/sessions/s/events"}, {method: "POST", path: "/healthz"}}
	for _, r := range append(elsewhere, routes...) {
		for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer " + badKey, "Bearer " + revokedKey, "Basic " + key, key, "Bearer  " + key, "Bearer " + key + "x", "Bearer " + strings.Repeat("k", 300)} {
			r.headers = map[string]string{"authorization": authorization}
			got := w.do(r)
			w.problem(got, fault.Unauthorized)
			if strings.Contains(got.body+w.logs.String(), key) || strings.Contains(got.body+w.logs.String(), badKey) {
				t.Errorf("%s %s: a key shows in %s or in the logs %s", r.method, r.path, got.body, w.logs)
			}
		}
	}
}

func TestATenantNeverSeesAnothersSession(t *testing.T) {
	w := owned(t)
	for _, r := range routes {
		if r.method == "POST" || r.method == "PUT" || r.path == "/v1/sessions" {
			continue
		}
		r.key = otherKey
		got := w.do(r)
		w.problem(got, fault.NotFound)
		r.path = strings.Replace(r.path, "/s/", "/nobodys/", 1)
		if none := w.do(r); strings.ReplaceAll(none.body, "nobodys", "s") != got.body {
			t.Errorf("%s: another's session is told from none:\n%s\n%s", r.path, got.body, none.body)
		}
	}
	if r := w.do(request{method: "GET", path: "/v1/sessions", key: otherKey}); r.status != http.StatusOK || strings.TrimSpace(r.body) != `{"sessions":[]}` {
		t.Errorf("beta sees %d %s", r.status, r.body)
	}
	// What acme stored is not there for beta under the same hash.
	r := w.do(request{method: "POST", path: "/v1/sessions/s/uploads", key: otherKey, body: fmt.Sprintf(`{"bytes":%d,"sha256":"%s"}`, len(big), hashOfBig)})
	if r.status != http.StatusCreated || !strings.Contains(r.body, `"present":false`) || !strings.Contains(r.body, "/beta/s/blobs/") {
		t.Errorf("%d %s", r.status, r.body)
	}
	var up struct{ UploadID string }
	if err := json.Unmarshal([]byte(r.body), &up); err != nil {
		t.Fatal(err)
	}
	w.problem(w.do(request{method: "PUT", path: "/v1/sessions/s/files/x", query: "upload=" + up.UploadID, key: otherKey}), fault.UploadMissing)
	w.problem(w.do(request{method: "POST", path: "/v1/sessions/s/operations", key: otherKey, body: `{"promptUpload":"` + up.UploadID + `"}`}), fault.UploadMissing)
	// The same names are free in the other tenant.
	got := w.do(request{method: "POST", path: "/v1/sessions/s/operations", key: otherKey, body: `{"prompt":"of beta","operationId":"a"}`})
	if got.status != http.StatusAccepted {
		t.Errorf("beta's own session s: %d %s", got.status, got.body)
	}
	for k, want := range map[string]string{key: "a secret of acme", otherKey: "of beta"} {
		if r := w.do(request{method: "GET", path: "/v1/sessions/s/operations/a", key: k}); !strings.Contains(r.body, `"prompt":"`+want+`"`) {
			t.Errorf("%s reads %s, want %q", k, r.body, want)
		}
	}
}

func TestHealthzNeedsNoKey(t *testing.T) {
	w := newWorld(t)
	if r := w.do(request{method: "GET", path: "/healthz"}); r.status != http.StatusOK || strings.TrimSpace(r.body) != `{"status":"ok"}` {
		t.Errorf("%d %s", r.status, r.body)
	}
}

func TestOtherMethodsAreRefusedAndSayWhichIsAllowed(t *testing.T) {
	w := newWorld(t)
	for path, allowed := range map[string]string{"/v1/sessions/s/operations": "GET, HEAD, POST", "/v1/sessions/s/files/a": "DELETE, GET, HEAD, PUT", "/v1/sessions/s/files": "GET, HEAD", "/v1/sessions/s/uploads": "POST", "/v1/sessions/s/operations/a": "GET, HEAD", "/v1/sessions/s/events": "GET, HEAD", "/healthz": "GET, HEAD"} {
		for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"} {
			if slices.Contains(strings.Split(allowed, ", "), m) {
				continue
			}
			r := w.do(request{method: m, path: path, key: key})
			w.problem(r, fault.MethodNotAllowed)
			if r.header["Allow"] != allowed {
				t.Errorf("%s %s: allows %q, want %q", m, path, r.header["Allow"], allowed)
			}
		}
	}
	r := w.do(request{method: "HEAD", path: "/v1/sessions/s/uploads", key: key})
	w.problem(r, fault.MethodNotAllowed)
}

func TestHEADIsAnsweredAsGETIs(t *testing.T) {
	w := newWorld(t)
	w.post("/v1/sessions/s/operations", `{"prompt":"p","operationId":"a"}`)
	for _, path := range []string{"/v1/sessions/s/operations/a", "/v1/sessions/s/events"} {
		if r := w.do(request{method: "HEAD", path: path, key: key}); r.status != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, r.status)
		}
		w.problem(w.do(request{method: "HEAD", path: path}), fault.Unauthorized)
	}
}

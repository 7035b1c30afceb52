package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"windlass/tests/client"
)

// routes are all routes to data of one session.
func routes(s string) []struct{ method, path, body string } {
	return []struct{ method, path, body string }{
		{http.MethodPost, "/v1/sessions/" + s + "/operations", `{"prompt":"x"}`},
		{http.MethodGet, "/v1/sessions/" + s + "/operations/op", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/operations/op?wait=1", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/events", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/events?operationId=op", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/operations", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/transcript", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/files", ""},
		{http.MethodGet, "/v1/sessions/" + s + "/files/codex/result.txt", ""},
		{http.MethodDelete, "/v1/sessions/" + s + "/files/codex/result.txt", ""},
		{http.MethodPut, "/v1/sessions/" + s + "/files/mine.txt", "x"},
		{http.MethodPost, "/v1/sessions/" + s + "/uploads", `{"bytes":5,"sha256":"` + client.Hash([]byte("hello")) + `"}`},
		{http.MethodGet, "/v1/sessions/" + s + "/blobs/" + client.Hash(large), ""},
		{http.MethodGet, "/v1/nothing/here", ""},
	}
}

var large = []byte(strings.Repeat("a secret ", 10_000))

func TestNoRouteToDataWithoutAKey(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"", "short", "wl_wrong_0123456789abcdef", strings.Repeat("x", 500)} {
		for _, r := range routes(s) {
			_, err := (client.Client{URL: l.URL, Key: key}).Raw(ctx, r.method, r.path, []byte(r.body), nil)
			problem(t, err, http.StatusUnauthorized, "unauthorized")
		}
	}
}

func TestNobodyReachesAnotherTenantsSession(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.PutFile(ctx, s, "/large.txt", large, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	for _, r := range routes(s) {
		if r.method == http.MethodGet || r.method == http.MethodDelete {
			_, err := l.Other.Do(ctx, r.method, r.path, nil, nil)
			problem(t, err, http.StatusNotFound, "not_found")
		}
		if r.method == http.MethodGet && r.path != "/v1/nothing/here" {
			if a, err := l.Send(ctx, r.method, r.path, nil, nil); err != nil {
				t.Errorf("its owner: %s: %d, %v", r.path, a.Status, err)
			}
		}
	}
	u, err := l.Other.Announce(ctx, s, "large.txt", large)
	if err != nil || u.Present {
		t.Fatalf("%+v, %v: another's content is told from none", u, err)
	}
	_, err = l.Other.PutUpload(ctx, s, "/x", u.UploadID)
	problem(t, err, http.StatusUnprocessableEntity, "upload_missing")
	if all, err := l.Other.Sessions(ctx, 200); err != nil || slices.ContainsFunc(all, func(x client.Session) bool { return x.SessionID == s }) {
		t.Errorf("another tenant lists %v, %v", all, err)
	}
	// The same names are another session to them.
	r, err := l.Other.Submit(ctx, s, client.Submission{Prompt: "hello", OperationID: "op"})
	if err != nil || !r.Accepted || r.After != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if o, err := l.Wait(ctx, s, "op"); err != nil || o.Prompt != demo {
		t.Errorf("%+v, %v", o, err)
	}
}

// Raw request lines: a client library would clean these paths up.
func TestPathsThatCouldMeanTwoThingsAreRefused(t *testing.T) {
	_, l := open(t)
	for path, want := range map[string]int{
		"/v1/sessions/a%2F..%2Fb/events":    422,
		"/v1/sessions/../sessions/a/events": 422,
		"/v1/sessions/a%5Cb/events":         422,
		"/v1/sessions/a%00b/events":         422,
		"/v1/sessions/a%0d%0ab/events":      422,
		"/v1/sessions/%ff/events":           400, // by the gateway
		"/v1/sessions//events":              422,
		"/v1/sessions/a%3Fb/events":         404,
		"/v1/sessions/a%23b/events":         404,
		"/v1/sessions/100%25/events":        404,
		"/v1/sessions/%E2%82%AC/events":     404,
		"/v1/sessions/a/events/":            422,
	} {
		if status, body := l.raw(t, "GET", path, ""); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
	}
}

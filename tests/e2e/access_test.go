package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
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
		{http.MethodGet, "/v1/nothing/here", ""},
	}
}

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
	for _, r := range routes(s) {
		if r.method == http.MethodGet {
			_, err := l.Other.Do(ctx, r.method, r.path, nil, nil)
			problem(t, err, http.StatusNotFound, "not_found")
		}
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
	host := strings.TrimPrefix(l.URL, "http://")
	if host == l.URL {
		t.Skipf("raw request lines need a plain http endpoint, this one is %s", l.URL)
	}
	for path, want := range map[string]string{
		"/v1/sessions/a%2F..%2Fb/events":    "400",
		"/v1/sessions/../sessions/a/events": "400",
		"/v1/sessions/a%5Cb/events":         "400",
		"/v1/sessions/a%00b/events":         "400",
		"/v1/sessions/a%0d%0ab/events":      "400",
		"/v1/sessions/%ff/events":           "400",
		"/v1/sessions//events":              "400",
		"/v1/sessions/a%3Fb/events":         "404",
		"/v1/sessions/a%23b/events":         "404",
		"/v1/sessions/100%25/events":        "404",
		"/v1/sessions/%E2%82%AC/events":     "404",
		"/v1/sessions/a/events/":            "400",
	} {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", path, host, l.Key)
		line, err := bufio.NewReader(conn).ReadString('\n')
		conn.Close()
		if err != nil || !strings.Contains(line, " "+want+" ") {
			t.Errorf("%s: %q, %v, want %s", path, strings.TrimSpace(line), err, want)
		}
	}
}

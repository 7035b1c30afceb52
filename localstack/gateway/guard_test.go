package gateway

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestOnlyThisMachinesOwnPagesAreLetIn(t *testing.T) {
	for _, c := range []struct {
		host, origin string
		anywhere     bool
		want         int
	}{
		{"localhost:8787", "", false, 200},
		{"LOCALHOST:8787", "", false, 200},
		{"127.0.0.1:8787", "", false, 200},
		{"127.9.9.9:8787", "", false, 200},
		{"[::1]:8787", "", false, 200},
		{"localhost:8787", "http://localhost:8787", false, 200},
		{"localhost:8787", "http://127.0.0.1:8787", false, 403},
		{"localhost:8787", "http://localhost:3000", false, 403},
		{"localhost:8787", "https://localhost:8787", false, 403},
		{"localhost:8787", "null", false, 403},
		{"localhost:8787", "http://evil.example", false, 403},
		{"evil.example:8787", "", false, 403},
		{"evil.example:8787", "http://evil.example:8787", true, 403},
		{"localhost.evil.example:8787", "", false, 403},
		{"localhost:8788", "", false, 403},
		{"localhost", "", false, 403},
		{"", "", false, 403},
		{"192.168.0.7:8787", "", false, 403},
		{"192.168.0.7:8787", "", true, 200},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		Guard("8787", !c.anywhere, nil, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("host %q, origin %q: %d, want %d", c.host, c.origin, w.Code, c.want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	Guard("80", true, nil, http.NotFoundHandler()).ServeHTTP(w, r)
	if w.Code != 404 {
		t.Errorf("port 80 without its number: %d", w.Code)
	}
}

func TestOthersOpenTheOriginCheckAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		host    string
		origins []string
		want    int
	}{
		{"localhost:8788", []string{"http://app.example"}, 200},
		{"localhost:8788", []string{"http://other.example"}, 403},
		{"localhost:8788", []string{"http://localhost:8788"}, 200},
		{"localhost:8788", []string{"http://app.example", "http://app.example"}, 403},
		{"evil.example:8788", []string{"http://app.example"}, 403},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host, r.Header["Origin"] = c.host, c.origins
		w := httptest.NewRecorder()
		others := func(r *http.Request) bool { return r.Header.Get("Origin") == "http://app.example" }
		Guard("8788", true, others, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%+v: %d", c, w.Code)
		}
	}
}

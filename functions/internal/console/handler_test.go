package console_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/console"
)

var connect = []string{"wss://socket.example", "http://127.0.0.1:8788"}

func ask(method, path string, tags ...string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, path, nil)
	if tags != nil {
		r.Header["If-None-Match"] = tags
	}
	console.Handler(console.Options{Connect: connect}).ServeHTTP(w, r)
	return w
}

func TestEveryAnswerForbidsWhatThePageDoesNotNeed(t *testing.T) {
	want := map[string]string{
		"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
			"connect-src 'self' wss://socket.example http://127.0.0.1:8788; base-uri 'none'; form-action 'none'; " +
			"frame-ancestors 'none'; require-trusted-types-for 'script'",
		"X-Content-Type-Options":     "nosniff",
		"Referrer-Policy":            "no-referrer",
		"X-Frame-Options":            "DENY",
		"Cross-Origin-Opener-Policy": "same-origin",
		"Cache-Control":              "no-cache",
	}
	for _, path := range []string{"/", "/windlass.js", "/console/app.js", "/console/page.css", "/console/icon.svg"} {
		w := ask(http.MethodGet, path)
		got := map[string]string{}
		for name := range want {
			got[name] = w.Header().Get(name)
		}
		if d := cmp.Diff(want, got); w.Code != http.StatusOK || d != "" {
			t.Errorf("%s: %d (-want +got):\n%s", path, w.Code, d)
		}
	}
}

func TestEachAssetHasItsType(t *testing.T) {
	for path, want := range map[string]string{
		"/": "text/html; charset=utf-8", "/windlass.js": "text/javascript; charset=utf-8", "/console/dom.js": "text/javascript; charset=utf-8",
		"/console/parts.css": "text/css; charset=utf-8", "/console/icon.svg": "image/svg+xml",
	} {
		if w := ask(http.MethodGet, path); w.Header().Get("Content-Type") != want || w.Body.Len() == 0 {
			t.Errorf("%s: %d, %q, %d bytes; want %q", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len(), want)
		}
	}
}

func TestWhoHasAnAssetIsNotSentItAgain(t *testing.T) {
	tag := ask(http.MethodGet, "/").Header().Get("ETag")
	if len(tag) != 66 || tag == ask(http.MethodGet, "/windlass.js").Header().Get("ETag") {
		t.Fatalf("ETag %s: want one for each content", tag)
	}
	for _, tags := range [][]string{{tag}, {"W/" + tag}, {`"other", ` + tag}, {`"other"`, tag}, {"*"}} {
		if w := ask(http.MethodGet, "/", tags...); w.Code != http.StatusNotModified || w.Body.Len() != 0 || w.Header().Get("ETag") != tag || w.Header().Get("Content-Security-Policy") == "" {
			t.Errorf("%q: %d, %d bytes, %v", tags, w.Code, w.Body.Len(), w.Header())
		}
	}
	for _, tags := range [][]string{{""}, {`"other"`}, {tag[1:65]}, {"W/"}} {
		if w := ask(http.MethodGet, "/", tags...); w.Code != http.StatusOK {
			t.Errorf("%q: %d", tags, w.Code)
		}
	}
}

func TestNothingElseIsServed(t *testing.T) {
	for _, path := range []string{"/index.html", "/console", "/console/", "/console/index.html", "/console/windlass.js", "/console/none.js", "/console/../doc.go", "/console/assets/app.js", "/app.js"} {
		if w := ask(http.MethodGet, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
		if console.Serves(httptest.NewRequest(http.MethodGet, path, nil)) {
			t.Errorf("%s is said to be served", path)
		}
	}
	if w := ask(http.MethodPost, "/"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" || console.Serves(httptest.NewRequest(http.MethodPost, "/", nil)) {
		t.Errorf("POST: %d, %v", w.Code, w.Header())
	}
	if w := ask(http.MethodHead, "/"); w.Code != http.StatusOK || w.Body.Len() != 0 || !console.Serves(httptest.NewRequest(http.MethodHead, "/", nil)) {
		t.Errorf("HEAD: %d, %d bytes", w.Code, w.Body.Len())
	}
}

func TestAnOriginThatWouldWidenThePolicyIsRefused(t *testing.T) {
	for _, origin := range []string{"", "*", "https:", "https://", "'unsafe-inline'", "https://a.example/path", "https://a.example; script-src *", "https://a.example *", "https://*", "ftp://a.example", "data:", "https://user@a.example", "https://a.example?q"} {
		func() {
			defer func() {
				if e, ok := recover().(error); !ok || !strings.Contains(e.Error(), "origin") {
					t.Errorf("%q: %v, want a panic that says what an origin is", origin, e)
				}
			}()
			console.Handler(console.Options{Connect: []string{origin}})
		}()
	}
}

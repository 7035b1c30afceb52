package console

import (
	"net/http"
	"slices"
	"strings"
)

// Options say what the page may reach besides its own origin.
type Options struct {
	// Connect are origins, such as "wss://abc.execute-api.eu-west-1.amazonaws.com":
	// that of the socket, and those that large values and files are redirected to.
	Connect []string
}

// Serves reports whether [Handler] has what is asked for.
func Serves(r *http.Request) bool {
	_, ok := assets[r.URL.Path]
	return ok && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// Handler serves the page at /, the client at /windlass.js, and the rest below
// /console/. It answers GET and HEAD, 304 to who has it already, 404 to all else,
// and is safe for concurrent use. It panics if an origin in o is none: a policy
// that a browser cannot read lets everything in.
func Handler(o Options) http.Handler {
	policy := policy(o.Connect)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "send GET or HEAD", http.StatusMethodNotAllowed)
			return
		}
		serve(w, r, a, policy)
	})
}

func serve(w http.ResponseWriter, r *http.Request, a asset, policy string) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("ETag", a.etag)
	h.Set("Cache-Control", "no-cache") // a deploy is seen at the next load
	if known(r.Header["If-None-Match"], a.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", a.contentType)
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(a.body) // a browser that is gone needs no answer
	}
}

// known reports whether one of the tags is etag (RFC 9110, 13.1.2: the weak
// comparison).
func known(tags []string, etag string) bool {
	return slices.ContainsFunc(strings.Split(strings.Join(tags, ","), ","), func(tag string) bool {
		tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/")
		return tag == "*" || tag == etag
	})
}

package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"windlass/functions/internal/tool/outside"
)

// taken are the headers that a model may set.
var taken = map[string]bool{
	"Accept": true, "Accept-Language": true, "Content-Type": true, "If-Match": true, "If-Modified-Since": true,
	"If-None-Match": true, "If-Unmodified-Since": true, "Prefer": true, "Range": true,
}

const maxHeaderValue = 1 << 10

// headers are the model's. What a rule sets, a model cannot.
func headers(of map[string]string, r *rule) (http.Header, error) {
	h := http.Header{}
	for name, v := range of {
		canonical := http.CanonicalHeaderKey(name)
		if _, set := r.Headers[canonical]; set || !taken[canonical] {
			return nil, outside.Failf("denied_header", "the header %.64q cannot be set; leave it out", name)
		}
		if len(v) > maxHeaderValue || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r > '~' }) {
			return nil, outside.Failf("denied_header", "the value of %s is too long, or not plain ASCII", canonical)
		}
		h.Set(canonical, v)
	}
	return h, nil
}

// bodyType is what a body is, if the model does not say so.
func bodyType(body string) string {
	if json.Valid([]byte(body)) {
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// shown are the headers of a response that a model is shown.
var shown = []string{
	"Allow", "Content-Encoding", "Content-Language", "Content-Range", "Content-Type", "Etag", "Last-Modified", "Link", "Location",
	"Ratelimit", "Retry-After", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Request-Id", "X-Total-Count",
}

func show(h http.Header, hidden outside.Hidden) map[string]string {
	some := map[string]string{}
	for _, name := range shown {
		if v := strings.Join(h.Values(name), ", "); v != "" {
			v = string(hidden.Hide([]byte(v), false))
			some[name] = strings.ToValidUTF8(v[:min(len(v), 2*maxHeaderValue)], "�")
		}
	}
	return some
}

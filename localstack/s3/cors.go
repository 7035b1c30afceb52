package s3

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// CORSRule is one rule of a bucket. Origins and headers may hold one * each.
type CORSRule struct {
	AllowedOrigins []string `json:"origins"`
	AllowedMethods []string `json:"methods"`
	AllowedHeaders []string `json:"headers,omitempty"`
	ExposeHeaders  []string `json:"expose,omitempty"`
	MaxAgeSeconds  int      `json:"maxAge,omitempty"`
}

func (r CORSRule) check() error {
	if len(r.AllowedOrigins) == 0 || len(r.AllowedMethods) == 0 {
		return errors.New("origins and methods are required")
	}
	for _, pattern := range slices.Concat(r.AllowedOrigins, r.AllowedHeaders) {
		if strings.Count(pattern, "*") > 1 {
			return errors.New(pattern + " has more than one *")
		}
	}
	for _, method := range r.AllowedMethods {
		if !slices.Contains([]string{"GET", "PUT", "POST", "DELETE", "HEAD"}, method) {
			return errors.New(method + " is not a method that can be allowed")
		}
	}
	return nil
}

// CORS answers preflights, which browsers never sign, and marks the answers of
// next to requests of an allowed origin, refusals included: without the mark a
// page cannot read why it was refused. It belongs outside of sigv4.Verify.
func (s *Service) CORS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		name, _, err := splitPath(r.URL.EscapedPath())
		if err != nil || name == "" || origin == "" && r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		b := s.buckets.get(name)
		if r.Method == http.MethodOptions {
			c := &call{Service: s, w: w, r: r, id: rand.Text()[:16], name: name, bucket: b}
			if err := c.preflight(origin); err != nil {
				c.refuse(err)
			}
			return
		}
		if b != nil {
			if rule := b.rule(origin, r.Method, nil); rule != nil {
				rule.mark(w.Header(), origin)
			}
		}
		next.ServeHTTP(w, r)
	})
}

// AllowsOrigin tells whether a bucket's rules let the request's origin in: with
// the method it has or, for a preflight, asks for.
func (s *Service) AllowsOrigin(r *http.Request) bool {
	name, _, err := splitPath(r.URL.EscapedPath())
	b := s.buckets.get(name)
	if err != nil || b == nil {
		return false
	}
	method := r.Method
	if method == http.MethodOptions {
		method = r.Header.Get("Access-Control-Request-Method")
	}
	return b.rule(r.Header.Get("Origin"), method, nil) != nil
}

func (c *call) preflight(origin string) error {
	method := c.r.Header.Get("Access-Control-Request-Method")
	switch {
	case origin == "":
		return faultf("BadRequest", "Insufficient information. Origin request header needed.")
	case method == "":
		return faultf("BadRequest", "Invalid Access-Control-Request-Method: null")
	case c.bucket == nil:
		return noBucket(c.name)
	case len(c.bucket.CORS) == 0:
		return faultf("AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.")
	}
	headers := splitList(c.r.Header.Get("Access-Control-Request-Headers"))
	rule := c.bucket.rule(origin, method, headers)
	if rule == nil {
		return fault("AccessForbidden").with("Method", method).with("ResourceType", "OBJECT")
	}
	h := c.w.Header()
	rule.mark(h, origin)
	if len(headers) > 0 {
		h.Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
	}
	if rule.MaxAgeSeconds > 0 {
		h.Set("Access-Control-Max-Age", strconv.Itoa(rule.MaxAgeSeconds))
	}
	c.w.WriteHeader(http.StatusOK)
	return nil
}

// rule is the first that allows all of it.
func (b *bucket) rule(origin, method string, headers []string) *CORSRule {
	for i := range b.CORS {
		r := &b.CORS[i]
		if origin == "" || !slices.Contains(r.AllowedMethods, method) || !matchesOne(r.AllowedOrigins, origin) {
			continue
		}
		allowed := func(name string) bool { return matchesOne(r.AllowedHeaders, name) }
		if !slices.ContainsFunc(headers, func(name string) bool { return !allowed(name) }) {
			return r
		}
	}
	return nil
}

func (r *CORSRule) mark(h http.Header, origin string) {
	if slices.Contains(r.AllowedOrigins, "*") {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(r.AllowedMethods, ", "))
	if len(r.ExposeHeaders) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(r.ExposeHeaders, ", "))
	}
	h.Add("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method")
}

func splitList(text string) (names []string) {
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// matchesOne compares without case, as both host names and header names do.
func matchesOne(patterns []string, value string) bool {
	value = strings.ToLower(value)
	for _, pattern := range patterns {
		head, tail, star := strings.Cut(strings.ToLower(pattern), "*")
		if !star && head == value || star && len(value) >= len(head)+len(tail) && strings.HasPrefix(value, head) && strings.HasSuffix(value, tail) {
			return true
		}
	}
	return false
}

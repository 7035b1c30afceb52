package s3

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// signing lists the parameters and headers of a signature, which is verified
// before we are called.
var signing = []string{"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-signedheaders", "x-amz-signature", "x-amz-content-sha256"}

// harmless lists what any request may say without effect.
var harmless = []string{
	"x-id",                        // the SDK's name for the operation; method and path say the same
	"x-amz-user-agent",            // the User-Agent of SDKs in a browser
	"x-amz-expected-bucket-owner", // has an effect: compared in call.run
}

var conditional = []string{"Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"}

// parameters sorts what the request says into query and amz. A presigned URL
// carries x-amz-* in its query as well as in headers.
func (c *call) parameters() error {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return fault("InvalidURI")
	}
	c.query, c.amz = query, map[string]string{}
	for name, values := range query {
		if !utf8.ValidString(name) || !utf8.ValidString(values[0]) {
			return fault("InvalidURI")
		}
		if len(values) != 1 {
			return invalid(name, strings.Join(values, ","), "A query parameter may be given once")
		}
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-amz-") {
			delete(query, name)
			if err := c.say(lower, values[0]); err != nil {
				return err
			}
		}
	}
	for name, values := range c.r.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "x-amz-") {
			if err := c.say(lower, strings.Join(values, ",")); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *call) say(name, value string) error {
	if slices.Contains(signing, name) {
		return nil
	}
	if _, twice := c.amz[name]; twice {
		return invalid(name, value, "A header may be given once, in the headers or in the query")
	}
	c.amz[name] = strings.TrimSpace(value)
	return nil
}

// allow refuses, in order of name, whatever the operation does not know.
func (c *call) allow(op *operation) error {
	for _, name := range slices.Sorted(maps.Keys(c.query)) {
		if !slices.Contains(op.query, name) && !slices.Contains(harmless, name) {
			return unmodelled("query parameter " + name + " of " + op.name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.amz)) {
		switch {
		case name == "x-amz-security-token":
			return fault("InvalidToken") // no key here belongs to a session
		case op.meta && strings.HasPrefix(name, metaPrefix):
		case slices.Contains(op.amz, name) || slices.Contains(harmless, name):
		default:
			return unmodelled("header " + name + " of " + op.name)
		}
	}
	return c.allowHeaders(op)
}

func (c *call) allowHeaders(op *operation) error {
	for _, name := range conditional {
		if _, given := c.r.Header[name]; given && !slices.Contains(op.conditions, name) {
			return unmodelled("header " + name + " of " + op.name)
		}
	}
	if _, given := c.r.Header["Trailer"]; given || len(c.r.Trailer) > 0 {
		return unmodelled("trailers")
	}
	for part := range strings.SplitSeq(c.r.Header.Get("Content-Encoding"), ",") {
		if strings.EqualFold(strings.TrimSpace(part), "aws-chunked") {
			return unmodelled("Content-Encoding aws-chunked")
		}
	}
	return c.fixed(map[string]string{"x-amz-storage-class": "STANDARD", "x-amz-server-side-encryption": "AES256", "x-amz-checksum-mode": "ENABLED"})
}

// fixed refuses all but the one value that a header may have here.
func (c *call) fixed(only map[string]string) error {
	for name, value := range only {
		if got, given := c.amz[name]; given && got != value {
			return unmodelled(name + ": " + got)
		}
	}
	return nil
}

// checkLength demands to know the length of the body beforehand. A request that
// came over a socket must have said it even if there is no body.
func checkLength(r *http.Request) error {
	socket := r.Context().Value(http.ServerContextKey) != nil
	switch {
	case len(r.TransferEncoding) > 0:
		return unmodelled("header Transfer-Encoding").with("Header", "Transfer-Encoding")
	case r.ContentLength < 0, r.ContentLength == 0 && socket && r.Header.Get("Content-Length") == "":
		return fault("MissingContentLength")
	}
	return nil
}

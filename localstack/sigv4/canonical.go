package sigv4

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// appendCanonical writes the canonical request, built from the signed headers
// alone.
func appendCanonical(b []byte, r *http.Request, in signed, hash string) []byte {
	b = append(b, r.Method...)
	b = append(b, '\n')
	b = appendPath(b, r, in.scope.service == "s3")
	b = append(b, '\n')
	b = appendQuery(b, in)
	b = append(b, '\n')
	for _, name := range in.headers {
		b = append(b, name...)
		b = append(b, ':')
		b = appendHeader(b, r, name)
		b = append(b, '\n')
	}
	b = append(b, '\n')
	b = append(b, in.list...)
	b = append(b, '\n')
	return append(b, hash...)
}

// appendPath writes the path as it came over the wire, escaped once more except
// for S3.
func appendPath(b []byte, r *http.Request, s3 bool) []byte {
	path := r.URL.EscapedPath()
	if wire, _, _ := strings.Cut(r.RequestURI, "?"); strings.HasPrefix(wire, "/") {
		path = wire
	}
	if path == "" {
		return append(b, '/')
	}
	if s3 {
		return append(b, path...)
	}
	return appendEscaped(b, path, true)
}

func appendQuery(b []byte, in signed) []byte {
	if len(in.query) == 0 {
		return b
	}
	pairs := make([]string, 0, len(in.query))
	for name, values := range in.query {
		name := string(appendEscaped(nil, name, false))
		for _, value := range values {
			pairs = append(pairs, name+"="+string(appendEscaped(nil, value, false)))
		}
	}
	slices.SortFunc(pairs, func(x, y string) int {
		xName, xValue, _ := strings.Cut(x, "=")
		yName, yValue, _ := strings.Cut(y, "=")
		if c := strings.Compare(xName, yName); c != 0 {
			return c
		}
		return strings.Compare(xValue, yValue)
	})
	for i, pair := range pairs {
		if i > 0 {
			b = append(b, '&')
		}
		b = append(b, pair...)
	}
	return b
}

func appendHeader(b []byte, r *http.Request, name string) []byte {
	switch name {
	case "host":
		return append(b, r.Host...)
	case "content-length":
		if r.ContentLength < 0 {
			return b
		}
		return strconv.AppendInt(b, r.ContentLength, 10)
	}
	for i, value := range r.Header.Values(name) {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendTrimmed(b, value)
	}
	return b
}

// appendTrimmed drops outer spaces and folds inner runs of them into one.
func appendTrimmed(b []byte, value string) []byte {
	value = strings.Trim(value, " \t")
	for i := 0; i < len(value); i++ {
		if value[i] == ' ' && value[i-1] == ' ' { // i > 0: the value is trimmed
			continue
		}
		b = append(b, value[i])
	}
	return b
}

// appendEscaped escapes everything but the unreserved characters of RFC 3986.
func appendEscaped(b []byte, s string, keepSlash bool) []byte {
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9',
			c == '-', c == '_', c == '.', c == '~', c == '/' && keepSlash:
			b = append(b, c)
		default:
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

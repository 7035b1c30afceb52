package gateway

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// hop are the headers between two neighbours; API Gateway keeps them to itself.
var hop = map[string]bool{
	"Connection": true, "Keep-Alive": true, "Proxy-Authenticate": true, "Proxy-Authorization": true,
	"Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true,
}

func requestHeaders(r *http.Request) (map[string]string, bool) {
	headers := map[string]string{"host": r.Host}
	for name, values := range r.Header {
		if hop[name] || name == "Cookie" {
			continue
		}
		value := strings.Join(values, ",")
		if !utf8.ValidString(value) {
			return nil, false
		}
		headers[strings.ToLower(name)] = value
	}
	if r.ContentLength >= 0 && (r.ContentLength > 0 || r.Header.Get("Content-Length") != "") {
		headers["content-length"] = fmt.Sprint(r.ContentLength)
	}
	return headers, true
}

// forwarded adds what API Gateway says about the client and the trace.
func forwarded(headers map[string]string, r *http.Request, source string, now time.Time) {
	if before := headers["x-forwarded-for"]; before != "" {
		source = before + ", " + source
	}
	headers["x-forwarded-for"] = source
	headers["x-forwarded-proto"] = "http"
	if _, port, err := net.SplitHostPort(r.Host); err == nil {
		headers["x-forwarded-port"] = port
	}
	if headers["x-amzn-trace-id"] == "" {
		headers["x-amzn-trace-id"] = fmt.Sprintf("Root=1-%08x-%x", now.Unix(), random(12))
	}
}

func cookies(headers []string) []string {
	var all []string
	for _, h := range headers {
		for c := range strings.SplitSeq(h, ";") {
			if c = strings.TrimSpace(c); c != "" {
				all = append(all, c)
			}
		}
	}
	return all
}

// queryParameters decodes a query; repeated names are joined by a comma, in
// their order.
func queryParameters(raw string) (map[string]string, bool) {
	if raw == "" {
		return nil, true
	}
	query := map[string]string{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, err := url.QueryUnescape(name)
		if err != nil || !utf8.ValidString(name) {
			return nil, false
		}
		if value, err = url.QueryUnescape(value); err != nil || !utf8.ValidString(value) {
			return nil, false
		}
		if before, repeated := query[name]; repeated {
			value = before + "," + value
		}
		query[name] = value
	}
	return query, true
}

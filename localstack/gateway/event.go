package gateway

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"mime"
	"net"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// An httpEvent is AWS's event of format 2.0. The type in aws-lambda-go would add
// an empty client certificate, which AWS sends only where there is one.
type httpEvent struct {
	Version               string            `json:"version"`
	RouteKey              string            `json:"routeKey"`
	RawPath               string            `json:"rawPath"`
	RawQueryString        string            `json:"rawQueryString"`
	Cookies               []string          `json:"cookies,omitempty"`
	Headers               map[string]string `json:"headers"`
	QueryStringParameters map[string]string `json:"queryStringParameters,omitempty"`
	RequestContext        requestContext    `json:"requestContext"`
	Body                  string            `json:"body,omitempty"`
	IsBase64Encoded       bool              `json:"isBase64Encoded"`
}

type requestContext struct {
	AccountID    string                                               `json:"accountId"`
	APIID        string                                               `json:"apiId"`
	DomainName   string                                               `json:"domainName"`
	DomainPrefix string                                               `json:"domainPrefix"`
	HTTP         events.APIGatewayV2HTTPRequestContextHTTPDescription `json:"http"`
	RequestID    string                                               `json:"requestId"`
	RouteKey     string                                               `json:"routeKey"`
	Stage        string                                               `json:"stage"`
	Time         string                                               `json:"time"`
	TimeEpoch    int64                                                `json:"timeEpoch"`
}

// request makes the event of a request, or reports false for what an event cannot
// carry.
func (a *httpAPI) request(r *http.Request, id string, body []byte) (*httpEvent, bool) {
	query, ok := queryParameters(r.URL.RawQuery)
	if !ok || !utf8.ValidString(r.URL.Path) || !utf8.ValidString(r.URL.RawQuery) {
		return nil, false
	}
	headers, ok := requestHeaders(r)
	if !ok {
		return nil, false
	}
	source, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		source = r.RemoteAddr
	}
	now := a.Now().UTC()
	forwarded(headers, r, source, now)
	e := &httpEvent{
		Version:               "2.0",
		RouteKey:              "$default",
		RawPath:               r.URL.Path,
		RawQueryString:        r.URL.RawQuery,
		Cookies:               cookies(r.Header["Cookie"]),
		Headers:               headers,
		QueryStringParameters: query,
		RequestContext:        a.context(r, id, source, now),
	}
	if e.IsBase64Encoded = !isText(r.Header, body); e.IsBase64Encoded {
		e.Body = base64.StdEncoding.EncodeToString(body)
	} else {
		e.Body = string(body)
	}
	return e, true
}

func (a *httpAPI) context(r *http.Request, id, source string, now time.Time) requestContext {
	return requestContext{
		AccountID:    a.Account,
		APIID:        a.APIID,
		DomainName:   r.Host,
		DomainPrefix: a.APIID,
		HTTP: events.APIGatewayV2HTTPRequestContextHTTPDescription{
			Method:    r.Method,
			Path:      r.URL.Path,
			Protocol:  r.Proto,
			SourceIP:  source,
			UserAgent: r.UserAgent(),
		},
		RequestID: id,
		RouteKey:  "$default",
		Stage:     "$default",
		Time:      now.Format("02/Jan/2006:15:04:05 -0700"),
		TimeEpoch: now.UnixMilli(),
	}
}

// encode leaves <, > and & alone, as AWS does: escaped they would count six times.
func encode(e any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// isText says whether a body goes into the event as it is.
func isText(h http.Header, body []byte) bool {
	if len(body) == 0 {
		return true
	}
	if h.Get("Content-Encoding") != "" || !utf8.Valid(body) {
		return false
	}
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	switch {
	case err != nil:
		return false
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "+json"), strings.HasSuffix(kind, "+xml"):
		return true
	}
	return kind == "application/json" || kind == "application/xml" || kind == "application/javascript"
}

// requestID looks like API Gateway's: 16 characters.
func requestID() string { return base64.RawURLEncoding.EncodeToString(random(12)) }

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // it never fails: see crypto/rand
	return b
}

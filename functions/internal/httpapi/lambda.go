package httpapi

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"windlass/functions/internal/fault"
)

// Lambda answers API Gateway's events.
func (a *API) Lambda() func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	proxy := httpadapter.NewV2(a.Handler())
	return func(ctx context.Context, e events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
		ctx = withTrace(ctx, e)
		if err := checkPath(e.RawPath); err != nil {
			return response(ctx, err), nil
		}
		// The adapter parses a URL, so the decoded path is escaped again.
		e.RawPath = (&url.URL{Path: e.RawPath}).EscapedPath()
		r, err := proxy.ProxyWithContext(ctx, e)
		if err != nil {
			return response(ctx, err), nil
		}
		return asBase64(r), nil
	}
}

// checkPath is the path grammar: what it refuses could mean one thing here and
// another behind a proxy.
func checkPath(p string) error {
	switch {
	case !strings.HasPrefix(p, "/"):
		return fault.New(fault.InvalidPath, "the path does not begin with /")
	case !utf8.ValidString(p):
		return fault.New(fault.InvalidPath, "the path is not valid UTF-8")
	}
	for i, r := range p {
		if r == '\\' || unicode.IsControl(r) {
			return fault.New(fault.InvalidPath, "the path has %q at byte %d, which is not allowed", r, i)
		}
	}
	if p == "/" {
		return nil
	}
	for segment := range strings.SplitSeq(p[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return fault.New(fault.InvalidPath, "the path has a segment %q, which is not allowed", segment)
		}
	}
	return nil
}

// asBase64 keeps a body's size what it is: as text it would be escaped again in
// the function's answer, whose 6 MB are counted after that.
func asBase64(r events.APIGatewayV2HTTPResponse) events.APIGatewayV2HTTPResponse {
	if !r.IsBase64Encoded && r.Body != "" {
		r.Body, r.IsBase64Encoded = base64.StdEncoding.EncodeToString([]byte(r.Body)), true
	}
	return r
}

// response is a problem outside the mux.
func response(ctx context.Context, err error) events.APIGatewayV2HTTPResponse {
	p, status := problemOf(ctx, err)
	return asBase64(events.APIGatewayV2HTTPResponse{
		StatusCode: status, Body: string(p), Headers: problemHeaders(status),
	})
}

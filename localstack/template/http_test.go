package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The API on lines 3 to 5, the function on 6 to 8, and so on; the stage stands first
// of all that refers to the API, the route last.
const httpParts = head + "  A:\n    Type: AWS::ApiGatewayV2::Api\n    Properties: {Name: a, ProtocolType: HTTP}\n" +
	"  F:\n    Type: AWS::Serverless::Function\n    Properties: {CodeUri: .build/f, Environment: {Variables: {URL: !GetAtt A.ApiEndpoint}}}\n" +
	"  S:\n    Type: AWS::ApiGatewayV2::Stage\n    Properties: {ApiId: !Ref A, StageName: $default, AutoDeploy: true, AccessLogSettings: {Format: x}}\n" +
	"  I:\n    Type: AWS::ApiGatewayV2::Integration\n    Properties: {ApiId: !Ref A, IntegrationType: AWS_PROXY, PayloadFormatVersion: \"2.0\", IntegrationUri: !Sub \"arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${F.Arn}/invocations\"}\n" +
	"  R:\n    Type: AWS::ApiGatewayV2::Route\n    Properties: {ApiId: !Ref A, RouteKey: $default, Target: !Sub \"integrations/${I}\"}\n"

func TestAnHTTPAPIIsReadFromItsParts(t *testing.T) {
	s, err := parse(t, httpParts, Options{HTTPEndpoint: "http://127.0.0.1:999"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]HTTPAPI{{LogicalID: "A", Name: "windlass-a"}}, s.HTTPAPIs); diff != "" || len(s.SocketAPIs) != 0 {
		t.Error(diff, s.SocketAPIs)
	}
	f := s.Functions[0]
	if diff := cmp.Diff([]Route{{API: "windlass-a", Key: "$default"}}, f.Routes); diff != "" {
		t.Error(diff)
	}
	// It may be set from outside, where others reach the API by another address.
	if diff := cmp.Diff(Variable{Value: "http://127.0.0.1:999"}, f.Env["URL"]); diff != "" {
		t.Error(diff)
	}
}

func TestWhatAnHTTPAPIDoesNotModelIsRefusedWithItsLine(t *testing.T) {
	stage, route, ok := strings.Cut(httpParts[strings.Index(httpParts, "  S:"):], "  I:")
	route = route[strings.Index(route, "  R:"):]
	if !ok || route == "" {
		t.Fatal("the parts are not where they were")
	}
	for name, c := range map[string]struct {
		was, is string
		line    int
		says    string
	}{
		"CORS":                 {"ProtocolType: HTTP", "ProtocolType: HTTP, CorsConfiguration: {AllowOrigins: [a]}", 5, "CorsConfiguration"},
		"the old payload":      {`"2.0"`, `"1.0"`, 14, "2.0"},
		"no payload's version": {"PayloadFormatVersion: \"2.0\", ", "", 13, "2.0"},
		"a stage with a path":  {"$default, AutoDeploy", "prod, AutoDeploy", 10, "$default"},
		"another route":        {"RouteKey: $default", "RouteKey: GET /x", 16, "$default"},
		"two routes":           {route, route + strings.Replace(route, "  R:", "  Q:", 1), 19, "$default"},
		"no route":             {route, "", 4, "a stage and a route"},
		"no stage":             {stage, "", 4, "a stage and a route"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(httpParts, c.was) {
				t.Fatalf("%q is not there", c.was)
			}
			_, err := parse(t, strings.Replace(httpParts, c.was, c.is, 1), Options{})
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Line != c.line || !strings.Contains(refusal.Reason, c.says) {
				t.Errorf("%v, want line %d and %q in it", err, c.line, c.says)
			}
		})
	}
	socket := strings.Replace(partsWhole, "StageName: live", "StageName: $default", 1)
	if _, err := parse(t, head+socket, Options{}); err == nil || !strings.Contains(err.Error(), "only an HTTP API") {
		t.Errorf("sockets at $default: %v", err)
	}
	version := strings.Replace(partsWhole, "IntegrationType", "PayloadFormatVersion: \"2.0\", IntegrationType", 1)
	if _, err := parse(t, head+version, Options{}); err == nil || !strings.Contains(err.Error(), "for HTTP APIs") {
		t.Errorf("a payload's version for sockets: %v", err)
	}
}

package template

import (
	"errors"
	"strings"
	"testing"
)

// Each part on lines of its own: the API on 3 to 5, the function on 6 to 8, and
// so on.
const (
	partAPI         = "  A:\n    Type: AWS::ApiGatewayV2::Api\n    Properties: {Name: a, ProtocolType: WEBSOCKET, RouteSelectionExpression: $request.body.type}\n"
	partFunction    = "  F:\n    Type: AWS::Serverless::Function\n    Properties: {CodeUri: .build/f}\n"
	partIntegration = "  I:\n    Type: AWS::ApiGatewayV2::Integration\n    Properties: {ApiId: !Ref A, IntegrationType: AWS_PROXY, IntegrationUri: !Sub \"arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${F.Arn}/invocations\"}\n"
	partRoute       = "  R:\n    Type: AWS::ApiGatewayV2::Route\n    Properties: {ApiId: !Ref A, RouteKey: $default, Target: !Sub \"integrations/${I}\"}\n"
	partStage       = "  S:\n    Type: AWS::ApiGatewayV2::Stage\n    Properties: {ApiId: !Ref A, StageName: live, AutoDeploy: true}\n"
	partsWhole      = partAPI + partFunction + partIntegration + partRoute + partStage
)

func TestWhatAWebSocketAPIDoesNotModelIsRefusedWithItsLine(t *testing.T) {
	second := strings.ReplaceAll(partAPI, "  A:", "  B:")
	for name, c := range map[string]struct {
		was, is string
		line    int
		says    string
	}{
		"a REST API":                 {"WEBSOCKET", "REST", 5, "WEBSOCKET"},
		"selection by a header":      {"$request.body.type", "$request.header.x", 5, "$request.body.NAME"},
		"selection inside":           {"$request.body.type", "$request.body.a.b", 5, "$request.body.NAME"},
		"API without a name":         {"Name: a, ", "", 5, "Name"},
		"API's property":             {"Name: a", "Name: a, DisableExecuteApiEndpoint: true", 5, "DisableExecuteApiEndpoint"},
		"another integration":        {"AWS_PROXY", "MOCK", 11, "AWS_PROXY"},
		"integration's property":     {"IntegrationType", "TimeoutInMillis: 50, IntegrationType", 11, "TimeoutInMillis"},
		"a function of somebody's":   {"functions/${F.Arn}", "functions/arn:aws:lambda:us-east-1:1:function:f", 11, "IntegrationUri"},
		"an alias":                   {"${F.Arn}", "${F.Arn}:live", 11, "IntegrationUri"},
		"a route of nobody's":        {"$default", "$other", 14, "$other"},
		"an authorizer":              {"RouteKey", "AuthorizationType: AWS_IAM, RouteKey", 14, "NONE"},
		"a route's answer":           {"RouteKey", "RouteResponseSelectionExpression: $default, RouteKey", 14, "RouteResponseSelectionExpression"},
		"no target":                  {", Target: !Sub \"integrations/${I}\"", "", 14, "Target"},
		"target is no integration":   {"integrations/${I}", "integrations/x", 14, "Target"},
		"target is something else":   {"integrations/${I}", "authorizers/${I}", 14, "integrations/"},
		"route twice":                {partRoute, partRoute + strings.ReplaceAll(partRoute, "  R:", "  Again:"), 16, "$default twice"},
		"route of no API":            {"ApiId: !Ref A, RouteKey", "ApiId: !Ref F, RouteKey", 14, "AWS::ApiGatewayV2::Api"},
		"route of another API":       {partRoute, strings.Replace(partRoute, "!Ref A", "!Ref B", 1) + second, 14, "Target"},
		"no route":                   {partRoute, "", 4, "a route"},
		"no stage":                   {partStage, "", 4, "a stage"},
		"two stages":                 {partStage, partStage + strings.NewReplacer("  S:", "  T:", "live", "test").Replace(partStage), 19, "two stages"},
		"deployed by hand":           {"AutoDeploy: true", "AutoDeploy: false", 17, "AutoDeploy"},
		"not deployed":               {", AutoDeploy: true", "", 16, "AutoDeploy"},
		"stage variables":            {"AutoDeploy", "StageVariables: {a: b}, AutoDeploy", 17, "StageVariables"},
		"a stage that names itself":  {"StageName: live", "StageName: !Ref S", 17, "written out"},
		"a stage that is a path":     {"StageName: live", "StageName: a/b", 17, "written out"},
		"an attribute":               {"RouteKey: $default", "RouteKey: !GetAtt A.ApiGatewayManagedOverrides", 14, "A.ApiGatewayManagedOverrides"},
		"HTTP event of a socket API": {"CodeUri: .build/f", "CodeUri: .build/f, Events: {E: {Type: HttpApi, Properties: {ApiId: !Ref A}}}", 8, "AWS::Serverless::HttpApi"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(head+partsWhole, c.was, c.is, 1)
			_, err := parse(t, text, Options{})
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Line != c.line || !strings.Contains(refusal.Reason, c.says) {
				t.Errorf("%v, want line %d and %q in it", err, c.line, c.says)
			}
		})
	}
	if _, err := parse(t, head+partsWhole, Options{}); err != nil {
		t.Errorf("the whole of it: %v", err)
	}
}

// Two functions may read one stream: each has its own place in it.
func TestTwoMappingsOnOneStreamAreBothRead(t *testing.T) {
	table := "  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n" +
		"      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n      StreamSpecification: {StreamViewType: NEW_IMAGE}\n"
	function := "  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: .build/F\n      Events:\n        Commits:\n" +
		"          Type: DynamoDB\n          Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: LATEST, MaximumRetryAttempts: 2, MaximumRecordAgeInSeconds: 60}\n"
	s, err := parse(t, head+table+function+strings.NewReplacer("  F:", "  G:", "/F", "/G").Replace(function), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"windlass-f-commits", "windlass-g-commits"} {
		m := s.Functions[i].Streams[0]
		if m.Name != name || m.Table != "windlass-t" || m.StartingPosition != "LATEST" || m.MaximumRetries != 2 || m.MaximumRecordAge.Seconds() != 60 {
			t.Errorf("%+v", m)
		}
	}
}

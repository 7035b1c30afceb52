package template

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const head = "Transform: AWS::Serverless-2016-10-31\nResources:\n"

func parse(t *testing.T, text string, o Options) (*Stack, error) {
	t.Helper()
	return Parse([]byte(text), o, func(string) ([]byte, error) { return nil, os.ErrNotExist })
}

func fromFile(t *testing.T, name string, o Options) *Stack {
	t.Helper()
	s, err := Load(filepath.Join("testdata", name), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The product's own template must always be one that the embedded stack can
// run: this is the drift check.
func TestTheDeployedTemplateIsModelled(t *testing.T) {
	s, err := Load("../../template.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range []string{"api", "drive", "dispatch", "recover"} {
		if _, ok := s.Function(code); !ok {
			t.Errorf("no function %s", code)
		}
	}
	if len(s.Tables) == 0 || len(s.Buckets) == 0 || len(s.Machines) == 0 || len(s.HTTPAPIs) == 0 {
		t.Errorf("tables %d, buckets %d, machines %d, HTTP APIs %d", len(s.Tables), len(s.Buckets), len(s.Machines), len(s.HTTPAPIs))
	}
}

func TestEveryModelledPropertyIsRead(t *testing.T) {
	got := fromFile(t, "full.yaml", Options{SocketEndpoint: "ws://127.0.0.1:999", Parameters: map[string]string{"Rounds": "3"}})
	want := &Stack{
		Tables: []Table{
			{LogicalID: "LogTable", Name: "windlass-log", HashKey: Attribute{"pk", "S"}, RangeKey: Attribute{"sk", "N"}, StreamView: "NEW_IMAGE"},
			{LogicalID: "LiveTable", Name: "windlass-live", HashKey: Attribute{"pk", "S"}, TTLAttribute: "expires"},
		},
		Buckets: []Bucket{{LogicalID: "BlobBucket", Name: "windlass-blob", CORS: []CORSRule{
			{AllowedOrigins: []string{"https://*.example.com", "http://localhost:3000"}, AllowedMethods: []string{"GET", "PUT"},
				AllowedHeaders: []string{"content-type"}, ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: 600},
			{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"HEAD"}},
		}}},
		HTTPAPIs: []HTTPAPI{{LogicalID: "HttpApi", Name: "windlass-http"}},
		SocketAPIs: []SocketAPI{{
			LogicalID: "SocketApi", Name: "windlass-socket", Selection: "$request.body.type", Stage: "live",
			Routes: map[string]string{"$connect": "windlass-work", "submit": "windlass-work"},
		}},
		Functions: []Function{{
			LogicalID: "WorkFunction", Name: "windlass-work", Code: "work",
			ARN: "arn:aws:lambda:us-east-1:000000000000:function:windlass-work",
			Env: map[string]Variable{
				"TABLE":   {Value: "windlass-log", Physical: true},
				"BUCKET":  {Value: "windlass-blob", Physical: true},
				"ROUNDS":  {Value: "3"},
				"MACHINE": {Value: "arn:aws:states:us-east-1:000000000000:stateMachine:windlass-turn", Physical: true},
				"LABEL":   {Value: "us-east-1/windlass-live", Physical: true},
				"OBJECTS": {Value: "arn:aws:s3:::windlass-blob/*", Physical: true},
				"SOCKET":  {Value: "ws://127.0.0.1:999/live", Physical: true},
			},
			Timeout: 90 * time.Second, MemoryMB: 512,
			Routes: []Route{{API: "windlass-http", Key: "$default"}},
			Streams: []StreamMapping{{
				Name: "windlass-work-commits", Table: "windlass-log", StartingPosition: "TRIM_HORIZON",
				BatchSize: 7, Parallelization: 4, PartialFailures: true, Bisect: true, MaximumRetries: 2,
				MaximumRecordAge: time.Hour, FailureQueue: "windlass-failures", Filters: []string{`{"eventName":["INSERT"]}`},
			}},
			Rules: []Rule{{Name: "windlass-work-ended", Pattern: []byte(
				`{"detail":{"stateMachineArn":["arn:aws:states:us-east-1:000000000000:stateMachine:windlass-turn"]},"source":["aws.states"]}`)}},
			Schedules: []Schedule{{Name: "windlass-work-hourly", Minutes: 120}},
		}},
		Machines: []StateMachine{{
			LogicalID: "TurnStateMachine", Name: "windlass-turn", ARN: "arn:aws:states:us-east-1:000000000000:stateMachine:windlass-turn",
			Definition: []byte(`{"Resource": "arn:aws:lambda:us-east-1:000000000000:function:windlass-work"}` + "\n"),
		}},
		Queues: []Queue{{LogicalID: "Failures", Name: "windlass-failures"}},
		Alarms: []Alarm{
			{
				LogicalID: "Alarm", Description: "What to do", Metrics: []Metric{{"AWS/SQS", "Visible", map[string]string{"QueueName": "windlass-failures"}}},
				Statistic: "Maximum", Period: time.Minute, Periods: 3, Breaching: 2, Threshold: 0.5, Comparison: "GreaterThanThreshold", Missing: "notBreaching",
			},
			{
				LogicalID: "Sum", Metrics: []Metric{{"N", "One", map[string]string{}}, {"N", "Other", map[string]string{"A": "b"}}},
				Statistic: "Sum", Period: 5 * time.Minute, Periods: 1, Breaching: 1, Threshold: 1, Comparison: "GreaterThanThreshold", Missing: "missing",
			},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNotModelledIsRefusedWithItsLine(t *testing.T) {
	table := "  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]\n" +
		"      KeySchema: [{AttributeName: pk, KeyType: HASH}]\n"
	function := "  F:\n    Type: AWS::Serverless::Function\n    Properties:\n      CodeUri: .build/f\n"
	bucket := "  B:\n    Type: AWS::S3::Bucket\n    Properties:\n"
	event := function + "      Events:\n        E:\n          Type: "
	for name, c := range map[string]struct {
		text string
		line int
		says string
	}{
		"resource type":        {"  S:\n    Type: AWS::Kinesis::Stream\n", 4, "AWS::Kinesis::Stream"},
		"property":             {table + "      GlobalSecondaryIndexes: []\n", 8, "GlobalSecondaryIndexes"},
		"resource attribute":   {"  Q:\n    Type: AWS::SQS::Queue\n    Condition: Prod\n", 5, "Condition"},
		"intrinsic":            {function + "      Timeout: !FindInMap [a, b, c]\n", 7, "expected a text"},
		"scalar intrinsic":     {function + "      Timeout: !ImportValue x\n", 7, "!ImportValue"},
		"unknown reference":    {function + "      Timeout: !Ref Nobody\n", 7, "Nobody"},
		"unknown attribute":    {table + function + "      Environment: {Variables: {A: !GetAtt T.StreamArn}}\n", 12, "T.StreamArn"},
		"event type":           {event + "SQS\n", 9, "SQS"},
		"cron":                 {event + "Schedule\n          Properties: {Schedule: \"cron(0 * * * ? *)\"}\n", 10, "cron"},
		"rate in the plural":   {event + "Schedule\n          Properties: {Schedule: rate(1 minutes)}\n", 10, "one minute"},
		"table without stream": {table + event + "DynamoDB\n          Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: LATEST}\n", 15, "no stream"},
		"mapping's property":   {table + "      StreamSpecification: {StreamViewType: NEW_IMAGE}\n" + event + "DynamoDB\n          Properties: {Stream: !GetAtt T.StreamArn, StartingPosition: LATEST, TumblingWindowInSeconds: 3}\n", 16, "TumblingWindowInSeconds"},
		"a route":              {"  A:\n    Type: AWS::Serverless::HttpApi\n" + event + "HttpApi\n          Properties: {ApiId: !Ref A, Path: /x}\n", 12, "Path"},
		"express machine":      {"  M:\n    Type: AWS::Serverless::StateMachine\n    Properties: {Type: EXPRESS, DefinitionUri: x}\n", 5, "STANDARD"},
		"secondary key":        {strings.Replace(table, "[{AttributeName: pk, AttributeType: S}]", "[{AttributeName: pk, AttributeType: S}, {AttributeName: x, AttributeType: S}]", 1), 4, "no key"},
		"out of bounds":        {function + "      Timeout: 901\n", 7, "901"},
		"versions of objects":  {bucket + "      VersioningConfiguration: {Status: Enabled}\n", 6, "VersioningConfiguration"},
		"expiring objects":     {bucket + "      LifecycleConfiguration: {Rules: [{Status: Enabled, ExpirationInDays: 1}]}\n", 6, "ExpirationInDays"},
		"CORS without origins": {bucket + "      CorsConfiguration: {CorsRules: [{AllowedMethods: [GET]}]}\n", 6, "AllowedOrigins"},
		"CORS rule's property": {bucket + "      CorsConfiguration: {CorsRules: [{AllowedOrigins: [a], AllowedMethods: [GET], AllowCredentials: true}]}\n", 6, "AllowCredentials"},
		"a bucket's address":   {bucket + "      Tags: []\n" + function + "      Environment: {Variables: {A: !GetAtt B.DomainName}}\n", 11, "B.DomainName"},
		"same physical name":   {"  Log:\n    Type: AWS::SQS::Queue\n  LogQueue:\n    Type: AWS::SQS::Queue\n", 6, "same name"},
		"property given twice": {function + "      CodeUri: .build/g\n", 7, "CodeUri"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parse(t, head+c.text, Options{})
			if err == nil {
				t.Fatal("accepted")
			}
			var refusal *Error
			if !errors.As(err, &refusal) {
				if name == "property given twice" {
					return // the YAML parser says so itself
				}
				t.Fatalf("not a refusal: %v", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("says %q, want %q in it", err, c.says)
			}
			if refusal.Line != c.line {
				t.Errorf("line %d, want %d: %v", refusal.Line, c.line, err)
			}
		})
	}
}

func TestAParameterOutOfBoundsIsRefused(t *testing.T) {
	text := "Transform: AWS::Serverless-2016-10-31\nParameters:\n  N:\n    Type: Number\n    Default: 0\n    MinValue: 0\n    MaxValue: 5\nResources: {}\n"
	for value, ok := range map[string]bool{"5": true, "6": false, "-1": false, "x": false} {
		if _, err := parse(t, text, Options{Parameters: map[string]string{"N": value}}); (err == nil) != ok {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestAnUnfilledPlaceholderIsRefused(t *testing.T) {
	text := head + "  M:\n    Type: AWS::Serverless::StateMachine\n    Properties: {DefinitionUri: m.json}\n"
	_, err := Parse([]byte(text), Options{}, func(string) ([]byte, error) { return []byte(`{"a": "${Nobody}"}`), nil })
	if err == nil || !strings.Contains(err.Error(), "${Nobody}") {
		t.Errorf("got %v", err)
	}
}

func TestADefinitionOutsideTheTemplatesFolderIsNotRead(t *testing.T) {
	dir := t.TempDir()
	text := head + "  M:\n    Type: AWS::Serverless::StateMachine\n    Properties: {DefinitionUri: ../m.json}\n"
	path := filepath.Join(dir, "template.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, Options{}); err == nil || !strings.Contains(err.Error(), "leaves") {
		t.Errorf("got %v", err)
	}
}

func TestAMissingTemplateSaysSo(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "template.yaml"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestNamesAreKebabCase(t *testing.T) {
	for id, want := range map[string]string{"Log": "log", "LogTable": "log-table", "HTTPApi": "http-api", "A": "a", "EveryMinute": "every-minute", "S3": "s3"} {
		if got := kebab(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/full.yaml", "../../template.yaml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("a: &a [*a]\nResources: *a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Parse(data, Options{}, func(string) ([]byte, error) { return []byte(`{}`), nil })
		if (s == nil) == (err == nil) {
			t.Fatalf("stack %v, error %v", s, err)
		}
	})
}

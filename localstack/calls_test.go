package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/localstack/template"
)

// whole is a body as package sigv4 leaves it.
type whole struct {
	*bytes.Reader
	text []byte
}

func (w whole) Bytes() []byte { return w.text }
func (w whole) Close() error  { return nil }

// signedBy is a request as it arrives behind the check of its signature.
func signedBy(key, service, method, path, target, body string) *http.Request {
	r := httptest.NewRequest(method, path, nil)
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key+"/20261130/us-east-1/"+service+"/aws4_request, SignedHeaders=host, Signature=00")
	r.Header.Set("X-Amz-Date", "20261130T120000Z")
	r.Header.Set("X-Amz-Target", target)
	r.Body = whole{bytes.NewReader([]byte(body)), []byte(body)}
	return r
}

func TestWhatAFunctionAsksIsWrittenDownOnceAndWithoutNames(t *testing.T) {
	c := credentials{"LOCAL", "secret"}
	path := filepath.Join(t.TempDir(), "calls")
	heard, err := openCalls(path, c, &template.Stack{
		Tables:     []template.Table{{LogicalID: "LogTable", Name: "w-log"}, {LogicalID: "LiveTable", Name: "w-live"}},
		Buckets:    []template.Bucket{{LogicalID: "BlobBucket", Name: "w-blob"}},
		Machines:   []template.StateMachine{{LogicalID: "TurnStateMachine", Name: "w-turn"}},
		SocketAPIs: []template.SocketAPI{{LogicalID: "SocketApi", Stage: "live"}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := heard.handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/gone") {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	const dynamo, sfn = "DynamoDB_20120810.", "AWSStepFunctions."
	for _, r := range []*http.Request{
		signedBy("LOCAL", "s3", "GET", "/w-blob/of/a/person", "", ""),
		signedBy("LOCAL_api", "dynamodb", "POST", "/", dynamo+"GetItem", `{"TableName":"w-live","Key":{"pk":{"S":"key#0123"},"sk":{"S":"key"}}}`),
		signedBy("LOCAL_api", "dynamodb", "POST", "/", dynamo+"GetItem", `{"TableName":"w-live","Key":{"pk":{"S":"key#4567"},"sk":{"S":"key"}}}`),
		signedBy("LOCAL_api", "dynamodb", "POST", "/", dynamo+"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"w-log","Item":{"pk":{"S":"acme#s#commit"},"n":{"N":"1"}}}},{"Delete":{"TableName":"w-log","Key":{"pk":{"S":"#unsettled#07"}}}},{"ConditionCheck":{"TableName":"w-log","Key":{"pk":{"S":"acme#s#claim"}}}}]}`),
		signedBy("LOCAL_publish", "dynamodb", "POST", "/", dynamo+"Query", `{"TableName":"w-live","KeyConditionExpression":"#p = :p AND begins_with(sk, :s)","ExpressionAttributeNames":{"#p":"pk"},"ExpressionAttributeValues":{":p":{"S":"subscribers#acme#s"},":s":{"S":"x"}}}`),
		signedBy("LOCAL_drive", "s3", "GET", "/w-blob/acme/s/gone", "", ""),
		signedBy("LOCAL_drive", "s3", "PUT", "/w-blob/acme/s/there", "", ""),
		signedBy("LOCAL_recover", "states", "POST", "/", sfn+"DescribeExecution", `{"executionArn":"arn:aws:states:us-east-1:0:execution:w-turn:name"}`),
		signedBy("LOCAL_recover", "states", "POST", "/", sfn+"StartExecution", `{"stateMachineArn":"arn:aws:states:us-east-1:0:stateMachine:w-turn"}`),
		signedBy("LOCAL_recover", "states", "POST", "/", sfn+"SendTaskSuccess", `{"taskToken":"secret"}`),
		signedBy("LOCAL_publish", "execute-api", "POST", "/live/@connections/abc=", "", ""),
		signedBy("LOCAL_drive", "lambda", "POST", "/2015-03-31/functions/mine/invocations", "", ""),
	} {
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if err := heard.close(); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"function":"api","action":"dynamodb:GetItem","resource":"LiveTable","key":"key#"}
{"function":"api","action":"dynamodb:PutItem","resource":"LogTable","key":"*#commit"}
{"function":"api","action":"dynamodb:DeleteItem","resource":"LogTable","key":"#unsettled#"}
{"function":"api","action":"dynamodb:ConditionCheckItem","resource":"LogTable","key":"*#claim"}
{"function":"publish","action":"dynamodb:Query","resource":"LiveTable","key":"subscribers#"}
{"function":"drive","action":"s3:GetObject","resource":"BlobBucket/*"}
{"function":"drive","action":"s3:ListBucket","resource":"BlobBucket"}
{"function":"drive","action":"s3:PutObject","resource":"BlobBucket/*"}
{"function":"recover","action":"states:DescribeExecution","resource":"TurnStateMachine:execution"}
{"function":"recover","action":"states:StartExecution","resource":"TurnStateMachine"}
{"function":"recover","action":"states:SendTaskSuccess","resource":"TurnStateMachine"}
{"function":"publish","action":"execute-api:ManageConnections","resource":"SocketApi/live/POST"}
{"function":"drive","action":"lambda:InvokeFunction","resource":"ToolFunctions"}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestAFunctionsKeysAreItsOwn(t *testing.T) {
	c := credentials{"LOCAL", "secret"}
	drive, api := c.of("drive"), c.of("api")
	if drive.secret == api.secret || drive.secret == c.secret || c.function(drive.accessKey) != "drive" || c.function("LOCAL") != "" || c.function("OTHER_drive") != "" {
		t.Errorf("%+v, %+v", drive, api)
	}
	for key, want := range map[string]string{"LOCAL": c.secret, "LOCAL_drive": drive.secret, "LOCAL_api": api.secret} {
		if secret, ok := c.lookup(key); !ok || secret != want {
			t.Errorf("%s: %q, %t", key, secret, ok)
		}
	}
	if _, ok := c.lookup("OTHER_drive"); ok {
		t.Error("somebody else's key is known")
	}
}

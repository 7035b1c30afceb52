package dynamodb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"windlass/localstack/awsjson"
	"windlass/localstack/dynamodb"
)

// clock is a time that only tests move.
type clock struct{ ms atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.ms.Store(time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).UnixMilli())
	return c
}

func (c *clock) now() time.Time          { return time.UnixMilli(c.ms.Load()) }
func (c *clock) advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }

func put(t *testing.T, c *sdk.Client, pk, sk string) {
	t.Helper()
	if _, err := c.PutItem(t.Context(), &sdk.PutItemInput{TableName: &spec.Name, Item: item{"pk": str(pk), "sk": str(sk)}}); err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var api smithy.APIError
	var own *awsjson.Error
	switch {
	case errors.As(err, &api) && api.ErrorCode() == code:
	case errors.As(err, &own) && own.Code == code:
	default:
		t.Errorf("got %v, want %s", err, code)
	}
}

func TestEnsureTableKeepsItemsAndRefusesAnotherKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	service, db := open(t, path, dynamodb.Options{})
	put(t, client(service), "p", "1")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	service, _ = open(t, path, dynamodb.Options{}) // ensures the same table again
	again := spec
	again.TTLAttribute = "expires"
	if err := service.EnsureTable(again); err != nil {
		t.Fatal(err)
	}
	out, err := client(service).GetItem(t.Context(), &sdk.GetItemInput{TableName: &spec.Name, Key: item{"pk": str("p"), "sk": str("1")}})
	if err != nil || out.Item == nil {
		t.Errorf("item %v, error %v", out, err)
	}
	other := spec
	other.SortKey.Kind = "N"
	wantCode(t, service.EnsureTable(other), "ResourceInUseException")
}

func TestSubscribersAreWokenByCommitsAlone(t *testing.T) {
	service, _ := open(t, filepath.Join(t.TempDir(), "db"), dynamodb.Options{})
	c := client(service)
	woken, cancel := service.Subscribe(spec.Name)
	defer cancel()
	<-woken // the token to begin with
	put(t, c, "p", "1")
	select {
	case <-woken:
	default:
		t.Error("an acknowledged write left no token")
	}
	put(t, c, "p", "1")
	_, err := c.PutItem(t.Context(), &sdk.PutItemInput{TableName: &spec.Name, Item: item{"pk": str("p"), "sk": str("1"), "x": str("y")}, ConditionExpression: aws.String("attribute_not_exists(pk)")})
	wantCode(t, err, "ConditionalCheckFailedException")
	select {
	case <-woken:
		t.Error("woken by writes that changed nothing")
	default:
	}
}

func TestStreamRecordsResumeAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	service, db := open(t, path, dynamodb.Options{})
	for i := range 5 {
		put(t, client(service), "p", fmt.Sprint(i))
	}
	first, err := service.StreamRecords(spec.Name, "", 2)
	if err != nil || len(first) != 2 {
		t.Fatal(first, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	service, _ = open(t, path, dynamodb.Options{})
	rest, err := service.StreamRecords(spec.Name, first[1].SequenceNumber, 1000)
	if err != nil || len(rest) != 3 {
		t.Fatal(rest, err)
	}
	var record struct {
		EventSourceARN, EventName, EventSource string
		Dynamodb                               struct {
			SequenceNumber string
			Keys           map[string]map[string]string
		}
	}
	if err := json.Unmarshal(rest[0].JSON, &record); err != nil {
		t.Fatal(err)
	}
	arn, _ := service.StreamARN(spec.Name)
	if record.EventSourceARN != arn || record.EventName != "INSERT" || record.Dynamodb.Keys["sk"]["S"] != "2" || record.Dynamodb.SequenceNumber != rest[0].SequenceNumber {
		t.Errorf("record %s", rest[0].JSON)
	}
	last, err := service.LastSequenceNumber(spec.Name)
	if err != nil || last != rest[2].SequenceNumber {
		t.Errorf("last number %s, %v", last, err)
	}
	if more, err := service.StreamRecords(spec.Name, last, 10); err != nil || len(more) != 0 {
		t.Error(more, err)
	}
}

func TestOldRecordsAreTrimmedAndTheirReadersTold(t *testing.T) {
	time := newClock()
	service, _ := open(t, filepath.Join(t.TempDir(), "db"), dynamodb.Options{Now: time.now})
	c := client(service)
	for i := range 10 {
		put(t, c, "p", fmt.Sprint(i))
	}
	old, err := service.StreamRecords(spec.Name, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	time.advance(25 * 60 * 60 * 1e9)
	put(t, c, "p", "late")
	left, err := service.StreamRecords(spec.Name, "", 1000)
	if err != nil || len(left) != 1 || !strings.Contains(string(left[0].JSON), `"late"`) {
		t.Errorf("%d records are left, error %v", len(left), err)
	}
	_, err = service.StreamRecords(spec.Name, old[0].SequenceNumber, 1000)
	wantCode(t, err, "TrimmedDataAccessException")
}

func TestTokensOutliveARestartAndNotTenMinutes(t *testing.T) {
	time := newClock()
	path := filepath.Join(t.TempDir(), "db")
	service, db := open(t, path, dynamodb.Options{Now: time.now})
	add := func(c *sdk.Client, token string) {
		t.Helper()
		_, err := c.TransactWriteItems(t.Context(), &sdk.TransactWriteItemsInput{ClientRequestToken: &token, TransactItems: []types.TransactWriteItem{{Update: &types.Update{
			TableName: &spec.Name, Key: item{"pk": str("n"), "sk": str("n")}, UpdateExpression: aws.String("ADD n :one"),
			ExpressionAttributeValues: item{":one": &types.AttributeValueMemberN{Value: "1"}}}}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	add(client(service), "one")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	service, _ = open(t, path, dynamodb.Options{Now: time.now})
	c := client(service)
	add(c, "one")
	time.advance(9 * 60 * 1e9)
	add(c, "one")
	time.advance(2 * 60 * 1e9)
	add(c, "one")
	add(c, "two")
	out, err := c.GetItem(t.Context(), &sdk.GetItemInput{TableName: &spec.Name, Key: item{"pk": str("n"), "sk": str("n")}})
	if err != nil || out.Item["n"].(*types.AttributeValueMemberN).Value != "3" {
		t.Errorf("the transaction was applied %v times (%v), want 3", out.Item["n"], err)
	}
}

func TestShardIterators(t *testing.T) {
	time := newClock()
	service, _ := open(t, filepath.Join(t.TempDir(), "db"), dynamodb.Options{Now: time.now})
	h := service.StreamsHandler()
	arn, _ := service.StreamARN(spec.Name)
	answer := func(op, body, name string) (value string) {
		t.Helper()
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(post(h, "DynamoDBStreams_20120810."+op, body).Body.Bytes(), &fields); err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(fields[name]), `"`)
	}
	iterator := func(kind, more string) string {
		return answer("GetShardIterator", `{"StreamArn":"`+arn+`","ShardId":"shardId-00000000000000000001-00000001","ShardIteratorType":"`+kind+`"`+more+`}`, "ShardIterator")
	}
	records := func(iterator string) int {
		return strings.Count(answer("GetRecords", `{"ShardIterator":"`+iterator+`"}`, "Records"), `"eventID"`)
	}
	c := client(service)
	put(t, c, "p", "1")
	latest := iterator("LATEST", "")
	if n := records(latest); n != 0 {
		t.Errorf("LATEST gives %d records of the past", n)
	}
	put(t, c, "p", "2")
	if n := records(latest); n != 1 {
		t.Errorf("LATEST gives %d of 1 new record", n)
	}
	first, _ := service.StreamRecords(spec.Name, "", 1)
	at := `,"SequenceNumber":"` + first[0].SequenceNumber + `"`
	for kind, want := range map[string]int{"TRIM_HORIZON": 2, "AT_SEQUENCE_NUMBER": 2, "AFTER_SEQUENCE_NUMBER": 1} {
		more := at
		if kind == "TRIM_HORIZON" {
			more = ""
		}
		if n := records(iterator(kind, more)); n != want {
			t.Errorf("%s gives %d records, want %d", kind, n, want)
		}
	}
	time.advance(16 * 60 * 1e9)
	if w := post(h, "DynamoDBStreams_20120810.GetRecords", `{"ShardIterator":"`+latest+`"}`); w.Header().Get("X-Amzn-ErrorType") != "ExpiredIteratorException" {
		t.Errorf("an iterator of 16 minutes: %s", w.Body)
	}
	if w := post(h, "DynamoDBStreams_20120810.GetRecords", `{"ShardIterator":"bm9uc2Vuc2U="}`); w.Code != 400 {
		t.Errorf("a made-up iterator: %s", w.Body)
	}
	time.advance(25 * 60 * 60 * 1e9)
	put(t, c, "p", "3")
	if w := post(h, "DynamoDBStreams_20120810.GetShardIterator", `{"StreamArn":"`+arn+`","ShardId":"shardId-00000000000000000001-00000001","ShardIteratorType":"AFTER_SEQUENCE_NUMBER"`+at+`}`); w.Header().Get("X-Amzn-ErrorType") != "TrimmedDataAccessException" {
		t.Errorf("a position before the trim horizon: %s", w.Body)
	}
}

func call(h http.Handler, op, body string) *httptest.ResponseRecorder {
	return post(h, "DynamoDB_20120810."+op, body)
}

// post sends a raw request.
func post(h http.Handler, target, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", target)
	r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestWhatIsNotModelledIsRefused(t *testing.T) {
	service, _ := open(t, filepath.Join(t.TempDir(), "db"), dynamodb.Options{})
	h := service.Handler()
	const key = `"Key":{"pk":{"S":"p"},"sk":{"S":"1"}}`
	for _, c := range []struct{ op, body, code, names string }{
		{"BatchWriteItem", `{}`, "UnknownOperationException", "BatchWriteItem"},
		{"GetItem", `{"TableName":"log",` + key + `,"Consistent":true}`, "ValidationException", "Consistent"},
		{"GetItem", `{"TableName":"log",` + key + `,"AttributesToGet":["pk"]}`, "ValidationException", "AttributesToGet"},
		{"GetItem", `{"tablename":"log",` + key + `}`, "ValidationException", "tablename"},
		{"GetItem", `{"TableName":"log","TableName":"log",` + key + `}`, "ValidationException", "twice"},
		{"GetItem", `{"TableName":"log",` + key + `,"ReturnConsumedCapacity":"INDEXES"}`, "ValidationException", "ReturnConsumedCapacity"},
		{"PutItem", `{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"1"}},"Expected":{}}`, "ValidationException", "Expected"},
		{"UpdateItem", `{"TableName":"log",` + key + `,"AttributeUpdates":{}}`, "ValidationException", "AttributeUpdates"},
		{"Query", `{"TableName":"log","KeyConditions":{}}`, "ValidationException", "KeyConditions"},
		{"Query", `{"TableName":"log","IndexName":"i"}`, "ValidationException", "IndexName"},
		{"Scan", `{"TableName":"log","Segment":0,"TotalSegments":2}`, "ValidationException", "Segment"},
		{"TransactWriteItems", `{"TransactItems":[{"Put":{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"1"}},"ReturnValues":"NONE"}}]}`, "ValidationException", "ReturnValues"},
		{"TransactWriteItems", `{"TransactItems":[{"Insert":{}}]}`, "ValidationException", "Insert"},
		{"TransactGetItems", `{"TransactItems":[{"Delete":{"TableName":"log",` + key + `}}]}`, "ValidationException", "Delete"},
		{"BatchGetItem", `{"RequestItems":{"log":{"Keys":[{"pk":{"S":"p"},"sk":{"S":"1"}}]},"log":{"Keys":[]}}}`, "ValidationException", "twice"},
		{"CreateTable", `{"TableName":"abc","Tags":[]}`, "ValidationException", "Tags"},
		{"CreateTable", `{"TableName":"abc","BillingMode":"PROVISIONED"}`, "ValidationException", "PAY_PER_REQUEST"},
		{"CreateTable", `{"TableName":"abc","StreamSpecification":{"Enabled":true}}`, "ValidationException", "StreamSpecification.Enabled"},
		{"DescribeTable", `{"TableName":"log","Verbose":true}`, "ValidationException", "Verbose"},
		{"PutItem", `{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":1}}}`, "SerializationException", ""},
		{"PutItem", `{"TableName":`, "SerializationException", ""},
		{"PutItem", `[]`, "SerializationException", ""},
	} {
		w := call(h, c.op, c.body)
		if w.Code != 400 || w.Header().Get("X-Amzn-ErrorType") != c.code || !strings.Contains(w.Body.String(), c.names) {
			t.Errorf("%s %s: %d %s", c.op, c.body, w.Code, w.Body)
		}
	}
}

// FuzzRequest: no body makes an operation panic, answer a server error, or
// answer anything that is not JSON.
func FuzzRequest(f *testing.F) {
	service, _ := open(f, filepath.Join(f.TempDir(), "db"), dynamodb.Options{})
	h := service.Handler()
	ops := []string{"PutItem", "GetItem", "UpdateItem", "DeleteItem", "BatchGetItem", "Query", "Scan", "TransactWriteItems", "TransactGetItems", "DescribeTable", "CreateTable"}
	f.Add(byte(0), `{"TableName":"log","Item":{"pk":{"S":"p"},"sk":{"S":"1"}},"ConditionExpression":"attribute_not_exists(#n)","ExpressionAttributeNames":{"#n":"pk"}}`)
	f.Add(byte(2), `{"TableName":"log","Key":{"pk":{"S":"p"},"sk":{"S":"1"}},"UpdateExpression":"SET l[0] = :v","ExpressionAttributeValues":{":v":{"N":"1e5"}},"ReturnValues":"UPDATED_NEW"}`)
	f.Add(byte(4), `{"RequestItems":{"log":{"Keys":[{"pk":{"S":"p"},"sk":{"S":"1"}}],"ProjectionExpression":"pk"}}}`)
	f.Add(byte(5), `{"TableName":"log","KeyConditionExpression":"pk = :p AND sk > :s","ExpressionAttributeValues":{":p":{"S":"p"},":s":{"S":"1"}},"Limit":2,"ScanIndexForward":false}`)
	f.Add(byte(7), `{"ClientRequestToken":"t","TransactItems":[{"Delete":{"TableName":"log","Key":{"pk":{"S":"p"},"sk":{"S":"1"}}}},{"ConditionCheck":null}]}`)
	f.Add(byte(8), `{"TransactItems":[{"Get":{"TableName":"log","Key":{"pk":{"S":"p"},"sk":{"S":"1"}}}}]}`)
	f.Fuzz(func(t *testing.T, op byte, body string) {
		w := call(h, ops[int(op)%len(ops)], body)
		if w.Code >= 500 || !json.Valid(bytes.TrimSpace(w.Body.Bytes())) {
			t.Errorf("%s %q: %d %s", ops[int(op)%len(ops)], body, w.Code, w.Body)
		}
	})
}

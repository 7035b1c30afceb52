package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
)

// records are some, one with every kind of attribute and this JSON string.
func records(said string) []byte {
	return fmt.Appendf(nil, `{"Records":[
		{"eventID":"a","eventName":"INSERT","dynamodb":{"ApproximateCreationDateTime":1767322800.5,"Keys":{"pk":{"S":"t#s#commit"},"sk":{"S":"01"}},"SequenceNumber":"111","SizeBytes":3,
			"NewImage":{"body":{"S":%s},"n":{"N":"3"},"b":{"B":"AQI="},"yes":{"BOOL":true},"no":{"NULL":true},"many":{"SS":["a","b"]},"deep":{"M":{"l":{"L":[{"S":"x"},{"N":"1"}]}}}}}},
		{"eventID":"b","dynamodb":{"Keys":{"pk":{"S":"\u0074#\ud83d\ude00"}},"NewImage":{},"SequenceNumber":"112"}},
		{"eventID":"c","dynamodb":{"Keys":{"pk":{"S":"x"}},"NewImage":null,"SequenceNumber":"113"}},
		{"eventID":"d","eventName":"REMOVE","dynamodb":{"Keys":{"pk":{"S":"x"}},"SequenceNumber":"114"}}]}`, said)
}

// What is read of an event is what the library reads.
func TestAnEventIsReadAsTheLibraryReadsIt(t *testing.T) {
	for _, text := range []string{"", "plain", `{"quoted":"\"\\ \n"}`, "ümläut \u2028 😀 \x00\x1f", strings.Repeat("long ", 1000)} {
		said, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		sameAsTheLibrary(t, records(string(said)))
	}
}

func sameAsTheLibrary(t *testing.T, payload []byte) {
	t.Helper()
	got, err := streamEvent(payload)
	if err != nil {
		t.Fatal(err)
	}
	var all, want events.DynamoDBEvent
	if err := json.Unmarshal(payload, &all); err != nil {
		t.Fatal(err)
	}
	for _, r := range all.Records {
		only := events.DynamoDBEventRecord{EventID: r.EventID}
		only.Change.SequenceNumber, only.Change.Keys, only.Change.NewImage = r.Change.SequenceNumber, r.Change.Keys, r.Change.NewImage
		want.Records = append(want.Records, only)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s\nis read as %+v\nwant %+v", payload, got, want)
	}
}

func FuzzAnEventIsReadAsTheLibraryReadsIt(f *testing.F) {
	f.Add("plain")
	f.Add(`\u0000\"{}\ud83d\ude00\/`)
	f.Fuzz(func(t *testing.T, said string) {
		said = `"` + said + `"`
		var text string
		if json.Unmarshal([]byte(said), &text) != nil || strings.Contains(text, "\ufffd") {
			return // no text that DynamoDB would send
		}
		sameAsTheLibrary(t, records(said))
	})
}

func TestABrokenEventIsAnError(t *testing.T) {
	called := false
	h := lambda.NewHandler(onStream(func(context.Context, events.DynamoDBEvent) (r events.DynamoDBEventResponse, err error) {
		called = true
		return r, nil
	}))
	for _, broken := range []string{``, `{"Records":[`, `{"Records":[{"dynamodb":{"Keys":{"pk":{"S":1}}}}]}`, `{"Records":[{"dynamodb":{"NewImage":{"x":{"Z":"1"}}}}]}`, `{"Records":[{"dynamodb":{"NewImage":{"x":{}}}}]}`} {
		if out, err := h.Invoke(t.Context(), []byte(broken)); err == nil || called {
			t.Errorf("%s: %s, called: %t", broken, out, called)
		}
	}
	out, err := h.Invoke(t.Context(), []byte(`{"Records":[]}`))
	if err != nil || !called || string(out) != `{"batchItemFailures":null}` {
		t.Errorf("%s, %v", out, err)
	}
}

func BenchmarkAnEvent(b *testing.B) {
	payload := records(`"` + strings.Repeat(`{\"type\":\"tool.completed\"}`, 120) + `"`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := streamEvent(payload); err != nil {
			b.Fatal(err)
		}
	}
}

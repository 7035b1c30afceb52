package event_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"windlass/eventstore/event"
)

// What is passed on as it is stored reads as what was decoded and written again.
func TestSplitEventsAreTheEvents(t *testing.T) {
	var body []json.RawMessage
	for i, operation := range []string{"", "op", `a"b`} {
		b, err := json.Marshal(event.Event{Operation: operation, Round: i, Data: event.ModelStarted{Attempt: 2}})
		if err != nil {
			t.Fatal(err)
		}
		body = append(body, b)
	}
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := event.Split(text, 41)
	if err != nil || len(stored) != 3 {
		t.Fatalf("%d events, %v", len(stored), err)
	}
	for i, s := range stored {
		var e event.Event
		if err := json.Unmarshal(s.JSON, &e); err != nil {
			t.Fatalf("%s: %v", s.JSON, err)
		}
		if want := uint64(41 + i); e.Seq != want || s.Seq != want || e.Operation != s.Operation {
			t.Errorf("seq %d of %q, which reads as %d of %q; want seq %d", s.Seq, s.Operation, e.Seq, e.Operation, want)
		}
		again, err := e.MarshalJSON()
		if err != nil || string(again) != string(s.JSON) {
			t.Errorf("%s is written as %s (%v)", s.JSON, again, err)
		}
	}
}

func TestABodyThatIsNoneIsNotSplit(t *testing.T) {
	for _, body := range []string{``, `[`, `{}`, `[1]`, `[{}]`, `["a"]`, `[[]]`, `null`} {
		if got, err := event.Split([]byte(body), 1); err == nil {
			t.Errorf("%s: %d events", body, len(got))
		}
	}
}

// Whatever a body is: it is refused, or each of its events is an object, with the next seq
// in front.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{`[{"type":"a","v":1,"data":{}}]`, `[{"operationId":"\u0061"},{"a":[{}]}]`, `[ {"a":1} , {"b":"]}"} ]`, `[{}]`, `[{ }]`, `{}`, `[`, "[{\"a\":\"\xff\"}]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		stored, err := event.Split(body, 7)
		if err != nil {
			return
		}
		var whole []map[string]json.RawMessage
		if err := json.Unmarshal(body, &whole); err != nil || len(whole) != len(stored) {
			t.Fatalf("%q: %d events of %d (%v)", body, len(stored), len(whole), err)
		}
		for i, s := range stored {
			var its map[string]json.RawMessage
			if err := json.Unmarshal(s.JSON, &its); err != nil || s.Seq != uint64(7+i) {
				t.Fatalf("%q: event %d is %q, seq %d (%v)", body, i, s.JSON, s.Seq, err)
			}
			if _, own := whole[i]["seq"]; !own && string(its["seq"]) != fmt.Sprint(s.Seq) {
				t.Fatalf("%q: event %d is %q", body, i, s.JSON)
			}
		}
	})
}

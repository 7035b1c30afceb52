package event_test

import (
	"encoding/json"
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

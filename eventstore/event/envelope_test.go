package event_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
)

// The envelope is written by hand.
func TestAnEnvelopeIsReadAsItWasWritten(t *testing.T) {
	for _, operation := range []string{"", "op", `a"b\c`, "é\n\x01<", "\u2028"} {
		want := event.Event{Seq: 7, At: event.At(time.Unix(1, 2000)), Operation: operation, Round: 3, Data: event.ModelStarted{Attempt: 2}}
		b, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got event.Event
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", b, d)
		}
	}
}

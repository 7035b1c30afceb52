package e2e

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/tests/client"
)

// What a submission means does not depend on the way that it comes.
func TestSubmittingOverASocketIsSubmitting(t *testing.T) {
	ctx, l := open(t)
	s := session()
	socket := dial(ctx, t, l.Client)
	submit := func(prompt string) client.Frame {
		t.Helper()
		f, _ := request(ctx, t, socket, map[string]any{"type": "submit", "session": s, "prompt": prompt, "operationId": "op"})
		return f
	}
	f := submit(demo)
	r := f.Receipt
	if f.Type != "result" || r == nil || !r.Accepted || r.Status != "queued" || r.OperationID != "op" || r.SessionID != s || r.StreamID == "" || r.After != 1 {
		t.Fatalf("%s", f.Raw)
	}
	o, err := l.Wait(ctx, s, "op")
	if err != nil || o.Status != "completed" || o.StreamID != r.StreamID {
		t.Fatalf("%+v, %v", o, err)
	}
	if again := submit(demo).Receipt; again == nil || again.Accepted || again.Status != "completed" || again.After != r.After {
		t.Errorf("%+v", again)
	}
	if again, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"}); err != nil || again.Accepted {
		t.Errorf("by HTTP: %+v, %v", again, err)
	}
	refused(t, submit(demo+"!"), "operation_mismatch")
	f, _ = request(ctx, t, socket, map[string]any{"type": "submit", "session": s, "prompt": `{"rounds":0}`, "agent": "stress"})
	if f.Receipt == nil || !f.Receipt.Accepted || f.Receipt.OperationID == "" {
		t.Fatalf("%s", f.Raw)
	}
	if o, err := l.Wait(ctx, s, f.Receipt.OperationID); err != nil || o.Agent != "stress" || o.Status != "completed" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestASnapshotIsTheListOfOperations(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for i := range 3 {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: "hello", OperationID: fmt.Sprint("op-", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := l.Wait(ctx, s, "op-2"); err != nil {
		t.Fatal(err)
	}
	want, err := l.Operations(ctx, s, 50)
	if err != nil {
		t.Fatal(err)
	}
	f, before := request(ctx, t, dial(ctx, t, l.Client), map[string]any{"type": "snapshot", "session": s})
	if f.Type != "snapshot" || f.Session != s || f.AsOfSeq != uint64(len(rawEvents(ctx, t, l.Client, s, ""))) || len(before) > 0 {
		t.Fatalf("%s", f.Raw)
	}
	if d := cmp.Diff(want, f.Operations); d != "" || len(want) != 3 || want[0].OperationID != "op-2" {
		t.Errorf("the snapshot differs from the list (-list +snapshot):\n%s", d)
	}
}

func TestAPongHoldsTheHeadsOfWhatIsFollowed(t *testing.T) {
	ctx, l := open(t)
	a, b := session(), session()
	put(ctx, t, l.Client, a, "/a")
	put(ctx, t, l.Client, b, "/b")
	socket := dial(ctx, t, l.Client)
	pong := func(want map[string]uint64) {
		t.Helper()
		f, _ := request(ctx, t, socket, map[string]any{"type": "ping"})
		if d := cmp.Diff(want, f.Heads); f.Type != "pong" || d != "" {
			t.Errorf("%s (-want +got):\n%s", f.Raw, d)
		}
	}
	pong(map[string]uint64{})
	for _, s := range []string{a, b} {
		request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "after": 0})
	}
	pong(map[string]uint64{a: 2, b: 2})
	put(ctx, t, l.Client, a, "/more")
	pong(map[string]uint64{a: 3, b: 2})
	if f, _ := request(ctx, t, socket, map[string]any{"type": "unsubscribe", "session": a}); f.Type != "result" || f.Receipt != nil {
		t.Errorf("%s", f.Raw)
	}
	pong(map[string]uint64{b: 2})
}

// The second subscription says when the first would have been posted to. What was
// on its way before is no matter.
func TestNothingComesAfterUnsubscribing(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: "hello", OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	socket := dial(ctx, t, l.Client)
	request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "after": 0})
	request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "operationId": "op", "after": 0})
	request(ctx, t, socket, map[string]any{"type": "unsubscribe", "session": s})
	for _, path := range []string{"/one", "/two"} {
		put(ctx, t, l.Client, s, path)
		last := uint64(len(rawEvents(ctx, t, l.Client, s, "")))
		for f := (client.Frame{}); f.To < last; {
			var err error
			if f, err = socket.Until(ctx, "events"); err != nil || f.OperationID != "op" && f.To >= last {
				t.Fatalf("%s, %v", f.Raw, err)
			}
		}
	}
}

package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"windlass/tests/client"
)

func TestASubscriberGetsTheBacklogAndThenWhatHappens(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for _, path := range []string{"/one", "/two"} {
		put(ctx, t, l.Client, s, path)
	}
	log := rawEvents(ctx, t, l.Client, s, "")
	socket := dial(ctx, t, l.Client)
	done, backlog := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "after": 1})
	if done.Type != "caught_up" || done.Session != s || done.OperationID != "" || done.Seq != uint64(len(log)) || done.Head != done.Seq {
		t.Fatalf("%s", done.Raw)
	}
	var c client.Cursor
	c.At = 1
	for _, f := range backlog {
		if f.Type != "events" || f.Session != s || f.OperationID != "" {
			t.Errorf("%s", f.Raw)
		}
		c.Take(f)
	}
	if c.At != done.Seq {
		t.Fatalf("caught up with %d, after frames to %d", done.Seq, c.At)
	}
	put(ctx, t, l.Client, s, "/three")
	all := collect(ctx, t, socket, 1, done.Seq+1, backlog...)
	same(t, all, rawEvents(ctx, t, l.Client, s, "")[1:])
}

func TestAFollowedTurnIsTheLog(t *testing.T) {
	ctx, l := open(t)
	s := session()
	for _, id := range []string{"a", "b"} {
		if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":20,"callsPerRound":3,"toolBytes":2000,"answerBytes":30000,"reasoningBytes":9,"latencyMs":2}`, OperationID: id, Agent: "stress"}); err != nil {
			t.Fatal(err)
		}
	}
	all := follow(ctx, t, l.Client, s, "", func(e client.Event) bool { return settled(e) && e.OperationID == "b" })
	same(t, all, rawEvents(ctx, t, l.Client, s, ""))
	same(t, follow(ctx, t, l.Client, s, "b", settled), rawEvents(ctx, t, l.Client, s, "b"))
	same(t, follow(ctx, t, l.Client, s, "a", settled), rawEvents(ctx, t, l.Client, s, "a"))
}

// A filter leaves events out, and covers their seqs all the same.
func TestASubscriptionToOneOperationCoversAllSeqs(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	put(ctx, t, l.Client, s, "/later")
	socket := dial(ctx, t, l.Client)
	done, backlog := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": s, "operationId": "op", "after": 0})
	put(ctx, t, l.Client, s, "/live")
	last := uint64(len(rawEvents(ctx, t, l.Client, s, "")))
	if done.OperationID != "op" || done.Seq != last-1 || done.Head != last-1 {
		t.Errorf("%s, and the log has %d events", done.Raw, last)
	}
	for _, f := range backlog {
		if f.OperationID != "op" {
			t.Errorf("a frame of no subscription: %s", f.Raw)
		}
	}
	same(t, collect(ctx, t, socket, 0, last, backlog...), rawEvents(ctx, t, l.Client, s, "op"))
}

// One event may be larger than any frame.
func TestAnEventOverTheFrameLimitIsFetched(t *testing.T) {
	ctx, l := open(t)
	s := session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: `{"rounds":1,"callsPerRound":100,"toolBytes":8000}`, OperationID: "op", Agent: "stress"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	log := rawEvents(ctx, t, l.Client, s, "")
	same(t, follow(ctx, t, l.Client, s, "", settled), log)

	_, backlog := request(ctx, t, dial(ctx, t, l.Client), map[string]any{"type": "subscribe", "session": s, "after": 0})
	found := 0
	for _, f := range backlog {
		if len(f.Raw) > 128<<10 {
			t.Errorf("a frame of %d bytes", len(f.Raw))
		}
		raws, err := f.RawEvents()
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range raws {
			var e struct {
				Seq   uint64
				Data  json.RawMessage
				Fetch string
			}
			if err := json.Unmarshal(raw, &e); err != nil {
				t.Fatal(err)
			}
			large := len(log[e.Seq-1]) > 127<<10
			if large != (e.Fetch != "") || large != (e.Data == nil) {
				t.Errorf("%d bytes came as %.300s", len(log[e.Seq-1]), raw)
			}
			if !large {
				continue
			}
			found++
			var page struct {
				Events  []json.RawMessage
				LastSeq uint64
			}
			if _, err := l.Do(ctx, http.MethodGet, e.Fetch, nil, &page); err != nil || page.LastSeq != uint64(len(log)) {
				t.Errorf("%s: ends at %d, %v", e.Fetch, page.LastSeq, err)
			}
			same(t, page.Events, log[e.Seq-1:e.Seq])
		}
	}
	if found == 0 {
		t.Error("no event was that large: nothing was tested")
	}
}

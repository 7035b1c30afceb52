package frame

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/view"
)

var at = event.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))

// narrow lowers the limit for one test.
func narrow(t *testing.T, to int) {
	t.Helper()
	limit = to
	t.Cleanup(func() { limit = Max })
}

// saying is an event of operation op that takes about size bytes.
func saying(seq uint64, op string, size int) event.Stored {
	e := event.Event{Seq: seq, At: at, Operation: op, Round: 1, Data: event.ModelFailed{Attempt: 1, Error: event.Error{Code: "x", Message: strings.Repeat("m", size)}}}
	b, err := e.MarshalJSON()
	if err != nil {
		panic(err) // a struct of ours
	}
	return event.Stored{Seq: seq, Operation: op, JSON: b}
}

type read struct {
	V                          int
	Type, Session, OperationID string
	From, To                   uint64
	Events                     []struct {
		Seq   uint64
		Type  string
		Data  json.RawMessage
		Fetch string
	}
}

func decode(t *testing.T, b []byte) (f read) {
	t.Helper()
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	return f
}

// However events are cut into frames, the frames cover every seq once, in order,
// hold every event that is asked for, and none is too long.
func TestFramesCoverTheRangeAndHoldItsEvents(t *testing.T) {
	narrow(t, 2048)
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		from := 1 + r.Uint64N(50)
		var all []event.Stored
		var want []uint64
		operation := []string{"", "a"}[r.IntN(2)]
		to := from + r.Uint64N(40)
		for seq := from; seq <= to; seq++ {
			e := saying(seq, []string{"a", "b"}[r.IntN(2)], r.IntN(700)*r.IntN(4))
			all = append(all, e)
			if operation == "" || e.Operation == operation {
				want = append(want, seq)
			}
		}
		frames, err := Events("s", operation, from, to, all)
		if err != nil {
			t.Fatal(err)
		}
		covered := from - 1
		var got []uint64
		for _, b := range frames {
			f := decode(t, b)
			if f.V != 1 || f.Type != "events" || f.Session != "s" || f.OperationID != operation || f.From != covered+1 || f.To < f.From || len(b) > limit {
				t.Fatalf("seed %d: after %d comes %d bytes %.200s", seed, covered, len(b), b)
			}
			covered = f.To
			for _, e := range f.Events {
				if e.Seq < f.From || e.Seq > f.To || (e.Data == nil) == (e.Fetch == "") {
					t.Fatalf("seed %d: event %+v in %d..%d", seed, e, f.From, f.To)
				}
				got = append(got, e.Seq)
			}
		}
		if covered != to || cmp.Diff(want, got) != "" {
			t.Fatalf("seed %d: covered to %d of %d; %s", seed, covered, to, cmp.Diff(want, got))
		}
	}
}

func TestAnEventTooLongForAFrameSaysWhereItIs(t *testing.T) {
	narrow(t, 1024)
	frames, err := Events("s", "", 7, 9, []event.Stored{saying(7, "a", 1), saying(8, "a", 5000), saying(9, "a", 1)})
	if err != nil || len(frames) != 1 {
		t.Fatalf("%d frames, %v", len(frames), err)
	}
	f := decode(t, frames[0])
	if e := f.Events[1]; e.Seq != 8 || e.Type != "model.failed" || e.Data != nil || e.Fetch != "/v1/sessions/s/events?after=7&limit=1" {
		t.Errorf("%+v", e)
	}
}

// An event stands in a frame with the same bytes as in an answer of HTTP.
func TestEventsInFramesAreTheirOwnJSON(t *testing.T) {
	e := saying(1, "a", 3)
	frames, err := Events("s", "", 1, 1, []event.Stored{e})
	if err != nil || string(frames[0]) != `{"v":1,"type":"events","session":"s","from":1,"to":1,"events":[`+string(e.JSON)+`]}` {
		t.Errorf("%s, %v", frames, err)
	}
}

func TestARangeWithNothingInItIsAFrame(t *testing.T) {
	frames, err := Events("s", "a", 4, 9, nil)
	if err != nil || len(frames) != 1 || string(frames[0]) != `{"v":1,"type":"events","session":"s","operationId":"a","from":4,"to":9,"events":[]}` {
		t.Errorf("%s, %v", frames, err)
	}
}

// Clients read these names.
func TestFramesAreAsTheProtocolSays(t *testing.T) {
	for want, f := range map[string]Frame{
		`{"v":1,"type":"caught_up","id":"1","session":"s","seq":3,"head":4}`:          CaughtUp{ID: "1", Session: "s", Seq: 3, Head: 4},
		`{"v":1,"type":"caught_up","session":"s","operationId":"a","seq":0,"head":0}`: CaughtUp{Session: "s", Operation: "a"},
		`{"v":1,"type":"result","id":"1","receipt":{"a":1}}`:                          Result{ID: "1", Receipt: map[string]int{"a": 1}},
		`{"v":1,"type":"result"}`:               Result{},
		`{"v":1,"type":"pong","heads":{"s":3}}`: Pong{Heads: map[string]uint64{"s": 3}},
		`{"v":1,"type":"closing","code":"lifetime","resume":[{"session":"s","operationId":"a","head":3}]}`:    Closing{Lifetime, []Resume{{"s", "a", 3}}},
		`{"v":1,"type":"error","id":"1","session":"s","code":"not_found","message":"<no>","retryable":false}`: Error{ID: "1", Session: "s", Code: "not_found", Message: "<no>"},
	} {
		if got := string(Encode(f)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestASnapshotIsCutToWhatFits(t *testing.T) {
	narrow(t, 4096)
	s := Snapshot{Session: "s", AsOfSeq: 9}
	for range 50 {
		s.Operations = append(s.Operations, view.Operation{Prompt: strings.Repeat("p", 200)})
	}
	b := s.Fitting()
	var got Snapshot
	if err := json.Unmarshal(b, &got); err != nil || len(b) > limit || len(got.Operations) == 0 || len(got.Operations) == 50 {
		t.Errorf("%d bytes, %d operations, %v", len(b), len(got.Operations), err)
	}
}

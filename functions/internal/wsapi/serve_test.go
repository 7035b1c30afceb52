package wsapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"

	"github.com/aws/aws-lambda-go/events"
)

func TestATicketOpensOneConnectionForItsOwner(t *testing.T) {
	w := newWorld(t)
	w.tickets["t"] = acme
	if a, b := w.connect("c1", "t"), w.connect("c2", "t"); a != 200 || b != 401 {
		t.Errorf("%d, then %d; want 200, then 401", a, b)
	}
	if c := w.rows["c1"]; c.Grant != acme || !c.ClosesAt.Equal(now.Add(time.Hour)) || len(w.rows) != 1 {
		t.Errorf("%+v", w.rows)
	}
	w.down = fault.New(fault.Unavailable, "later")
	if status := w.connect("c3", "t"); status != 503 {
		t.Errorf("an outage is %d", status)
	}
	if len(w.posted) != 0 {
		t.Errorf("posted within $connect: %v", w.posted)
	}
}

func TestSubscribeSendsTheBacklogAndSaysSo(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.append("acme", "s", "a", 5) // seqs 3..7
	w.open("c", acme)
	for after := range uint64(8) {
		got := read(t, w.say("c", fmt.Sprintf(`{"v":1,"type":"subscribe","id":"i","session":"s","after":%d}`, after)))
		all, end := seqs(t, got, after)
		last := got[len(got)-1]
		if end != 7 || len(all) != int(7-after) || last.Type != "caught_up" || last.ID != "i" || last.Session != "s" || last.Seq != 7 || last.Head != 7 {
			t.Errorf("after %d: %v, %+v", after, all, last)
		}
	}
	if !w.subs["c"][connection.Subscription{Session: "s"}] {
		t.Error("there is no subscription")
	}
}

// What is appended after the subscription stands is either in the backlog or
// posted live; so it must stand before the head is read.
func TestTheSubscriptionStandsBeforeTheHeadIsRead(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.open("c", acme)
	w.before = func(step string) {
		if step == "subscribe" {
			w.before = func(string) {}
			w.append("acme", "s", "a", 1) // just before it: nobody posts this one
		}
	}
	if all, _ := seqs(t, read(t, w.say("c", `{"v":1,"type":"subscribe","session":"s","after":0}`)), 0); !slices.Equal(all, []uint64{1, 2, 3}) {
		t.Errorf("%v", all)
	}
}

func TestAFilteredBacklogCoversAllAndHoldsItsOperation(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.append("acme", "s", "a", 3000)
	w.submit("acme", "s", "b")
	w.append("acme", "s", "b", 2)
	w.append("acme", "s", "a", 2) // late ones
	w.open("c", acme)
	frames := w.say("c", `{"v":1,"type":"subscribe","session":"s","after":0,"operationId":"b"}`)
	got := read(t, frames)
	all, end := seqs(t, got, 0)
	if !slices.Equal(all, []uint64{3003, 3004, 3005}) || end != 3007 || got[0].OperationID != "b" || len(frames) > 4 {
		t.Errorf("%v to %d in %d frames", all, end, len(frames))
	}
}

// A long log comes in parts, each asked for: nobody is sent without end.
func TestALongBacklogComesInParts(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.append("acme", "s", "a", 20_000)
	w.open("c", acme)
	after, asked := uint64(0), 0
	for after < 20_002 {
		asked++
		got := read(t, w.say("c", fmt.Sprintf(`{"v":1,"type":"subscribe","session":"s","after":%d}`, after)))
		_, end := seqs(t, got, after)
		last := got[len(got)-1]
		if end <= after || last.Type != "caught_up" || last.Seq != end || last.Head != 20_002 {
			t.Fatalf("after %d: to %d, %+v", after, end, last)
		}
		after = end
	}
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestABusyConnectionGetsItsBacklogALittleLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.submit("acme", "s", "a")
		w.open("c", acme)
		refused := 0
		w.refuse = func(string, string) error {
			if refused++; refused%3 != 0 {
				return connection.ErrBusy
			}
			return nil
		}
		got := read(t, w.say("c", `{"v":1,"type":"subscribe","session":"s","after":0}`))
		if all, _ := seqs(t, got, 0); len(all) != 2 || got[len(got)-1].Type != "caught_up" {
			t.Errorf("%+v", got)
		}
	})
}

func TestAConnectionThatIsGoneIsForgotten(t *testing.T) {
	for _, frame := range []string{`{"v":1,"type":"subscribe","session":"s","after":0}`, `{"v":1,"type":"ping"}`, `nonsense`} {
		w := newWorld(t)
		w.submit("acme", "s", "a")
		w.open("c", acme)
		w.refuse = func(string, string) error { return connection.ErrGone }
		w.say("c", frame)
		if len(w.rows) != 0 || len(w.subs) != 0 {
			t.Errorf("%s: %v %v", frame, w.rows, w.subs)
		}
	}
	w := newWorld(t)
	w.open("c", acme)
	w.event("DISCONNECT", "c", "", nil)
	if len(w.rows) != 0 {
		t.Error("$disconnect leaves it")
	}
}

func TestSubmitOnASocketIsTheSameSubmit(t *testing.T) {
	w := newWorld(t)
	w.open("c", acme)
	const frame = `{"v":1,"type":"submit","id":"1","session":"s","prompt":"hello","operationId":"a"}`
	first, second := read(t, w.say("c", frame))[0], read(t, w.say("c", frame))[0]
	if first.Type != "result" || first.ID != "1" || !first.Receipt.Accepted || second.Receipt.Accepted || second.Receipt.OperationID != "a" || second.Receipt.After != 1 {
		t.Errorf("%+v, %+v", first.Receipt, second.Receipt)
	}
	other := read(t, w.say("c", strings.Replace(frame, "hello", "goodbye", 1)))[0]
	if other.Type != "error" || other.ID != "1" || other.Code != "operation_mismatch" || other.OperationID != "a" || other.Retryable {
		t.Errorf("%+v", other)
	}
	made := read(t, w.say("c", `{"v":1,"type":"submit","session":"s","prompt":""}`))[0]
	if made.Code != "empty_prompt" || made.Session != "s" {
		t.Errorf("%+v", made)
	}
}

func TestSnapshotAndPingSayWhereTheLogEnds(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.submit("acme", "s", "b")
	w.submit("acme", "r", "x")
	w.open("c", acme)
	if pong := read(t, w.say("c", `{"v":1,"type":"ping","id":"p"}`))[0]; pong.Type != "pong" || pong.ID != "p" || pong.Heads == nil || len(pong.Heads) != 0 {
		t.Errorf("%+v", pong)
	}
	snapshot := read(t, w.say("c", `{"v":1,"type":"snapshot","id":"q","session":"s"}`))[0]
	if snapshot.Type != "snapshot" || snapshot.ID != "q" || snapshot.AsOfSeq != 3 || len(snapshot.Operations) != 2 || snapshot.Operations[0].OperationID != "b" {
		t.Errorf("%+v", snapshot)
	}
	w.say("c", `{"v":1,"type":"subscribe","session":"s","after":3}`)
	w.say("c", `{"v":1,"type":"subscribe","session":"s","after":3,"operationId":"b"}`)
	w.say("c", `{"v":1,"type":"subscribe","session":"r","after":0}`)
	w.append("acme", "s", "a", 4)
	if pong := read(t, w.say("c", `{"v":1,"type":"ping"}`))[0]; len(pong.Heads) != 2 || pong.Heads["s"] != 7 || pong.Heads["r"] != 2 {
		t.Errorf("%+v", pong)
	}
	done := read(t, w.say("c", `{"v":1,"type":"unsubscribe","id":"u","session":"s"}`))[0]
	if done.Type != "result" || done.ID != "u" || len(w.subs["c"]) != 2 {
		t.Errorf("%+v, %v", done, w.subs)
	}
}

// Another tenant's ids are names of nothing.
func TestNobodyReachesAnothersSession(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.submit("beta", "r", "b")
	w.open("theirs", beta)
	w.open("bound", connection.Grant{Tenant: "acme", Key: acme.Key, Session: "r"})
	for _, id := range []string{"theirs", "bound"} {
		for _, frame := range []string{
			`{"v":1,"type":"subscribe","session":"s","after":0}`,
			`{"v":1,"type":"subscribe","session":"s","after":0,"operationId":"a"}`,
			`{"v":1,"type":"snapshot","session":"s"}`,
		} {
			got := read(t, w.say(id, frame))
			if len(got) != 1 || got[0].Type != "error" || got[0].Code != "not_found" {
				t.Errorf("%s %s: %+v", id, frame, got)
			}
		}
	}
	// The other tenant's session of the same name is another session.
	if got := read(t, w.say("theirs", `{"v":1,"type":"submit","session":"s","prompt":"mine","operationId":"a"}`))[0]; got.Receipt == nil || !got.Receipt.Accepted {
		t.Errorf("%+v", got)
	}
	if got := read(t, w.say("bound", `{"v":1,"type":"submit","session":"s","prompt":"p"}`))[0]; got.Code != "not_found" {
		t.Errorf("%+v", got)
	}
}

func TestFramesThatDoNotFitAreAnsweredAndTheSocketStays(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.open("c", acme)
	for frame, want := range map[string]string{
		``: "invalid_request", `null`: "invalid_request", `[]`: "invalid_request", `7`: "invalid_request", `{`: "invalid_request", `{}`: "invalid_request", `{} {}`: "invalid_request", "\xff": "invalid_request",
		`{"v":2,"type":"ping"}`: "invalid_request", `{"type":"ping"}`: "invalid_request", `{"v":"1","type":"ping"}`: "invalid_request",
		`{"v":1,"type":"publish"}`: "unknown_type", `{"v":1}`: "unknown_type", `{"v":1,"type":7}`: "invalid_request",
		`{"v":1,"type":"ping","type":"subscribe","session":"s","after":0}`: "invalid_request", `{"v":1,"type":"ping","x":}`: "invalid_request",
		`{"v":1,"type":"ping","session":"s"}`: "invalid_request", `{"v":1,"type":"ping","id":7}`: "invalid_request",
		`{"v":1,"type":"ping","id":"` + strings.Repeat("i", 129) + `"}`:                                        "invalid_request",
		`{"v":1,"type":"subscribe","session":"s"}`:                                                             "invalid_request",
		`{"v":1,"type":"subscribe","after":1}`:                                                                 "invalid_request",
		`{"v":1,"type":"subscribe","session":"s","after":-1}`:                                                  "invalid_request",
		`{"v":1,"type":"subscribe","session":"s","after":1.5}`:                                                 "invalid_request",
		`{"v":1,"type":"subscribe","session":"s","after":null}`:                                                "invalid_request",
		`{"v":1,"type":"subscribe","session":"s","after":99}`:                                                  "invalid_request",
		`{"v":1,"type":"subscribe","session":"s","after":0,"aftre":0}`:                                         "invalid_request",
		`{"v":1,"type":"subscribe","session":"<b>#","after":0}`:                                                "not_found",
		`{"v":1,"type":"subscribe","session":"","after":0}`:                                                    "not_found",
		`{"v":1,"type":"subscribe","session":"s","after":0,"operationId":"none"}`:                              "not_found",
		`{"v":1,"type":"unsubscribe","session":"#"}`:                                                           "not_found",
		`{"v":1,"type":"submit","session":"s"}`:                                                                "invalid_request",
		`{"v":1,"type":"submit","session":"a/b","prompt":"p"}`:                                                 "invalid_request",
		`{"v":1,"type":"submit","session":"s","prompt":"p","agent":"nobody"}`:                                  "unknown_agent",
		`{"v":1,"type":"submit","session":"s","prompt":"p","input":{}}`:                                        "invalid_request",
		`{"v":1,"type":"submit","session":"s","prompt":"p","input":["/a"]}`:                                    "invalid_request",
		`{"v":1,"type":"submit","session":"s","prompt":"p","input":[{"type":"file","path":"/a","path":"/b"}]}`: "invalid_request",
		`{"v":1,"type":"submit","session":"s","prompt":"p","input":[{"type":"file","pth":"/a"}]}`:              "invalid_request",
		`{"v":1,"type":"submit","session":"s","prompt":"p","input":[{"type":"image","path":"/a"}]}`:            "invalid_request",
		`{"v":1,"type":"submit","session":"s","prompt":"p","input":[{"type":"file","path":"/none"}]}`:          "not_found",
	} {
		got := read(t, w.say("c", frame))
		if len(got) != 1 || got[0].Type != "error" || got[0].Code != want || got[0].Message == "" || strings.ContainsAny(got[0].Session, "<#/") {
			t.Errorf("%s: %+v, want %s", frame, got, want)
		}
		if w.closed["c"] != 0 || len(w.rows) != 1 {
			t.Fatalf("%s closed the connection", frame)
		}
	}
}

func TestSubscriptionsAreBounded(t *testing.T) {
	w := newWorld(t)
	w.open("c", acme)
	for i := range connection.MaxSubscriptions + 1 {
		w.submit("acme", fmt.Sprint("s", i), "a")
		got := read(t, w.say("c", fmt.Sprintf(`{"v":1,"type":"subscribe","session":"s%d","after":0}`, i)))
		if last := got[len(got)-1]; i < connection.MaxSubscriptions && last.Type != "caught_up" || i == connection.MaxSubscriptions && last.Code != "too_many_subscriptions" {
			t.Errorf("%d: %+v", i, last)
		}
	}
}

func TestAConnectionEndsWithItsLifeAndWithItsKey(t *testing.T) {
	for code, end := range map[string]func(*world){
		"lifetime":     func(w *world) { w.now = now.Add(time.Hour) },
		"unauthorized": func(w *world) { w.revoked[acme.Key] = true },
	} {
		w := newWorld(t)
		w.submit("acme", "s", "a")
		w.open("c", acme)
		w.say("c", `{"v":1,"type":"subscribe","session":"s","after":0}`)
		end(w)
		got := read(t, w.say("c", `{"v":1,"type":"submit","session":"s","prompt":"too late","operationId":"late"}`))
		if len(got) != 1 || got[0].Type != "closing" || got[0].Code != code || len(got[0].Resume) != 1 || got[0].Resume[0].Head != 2 || w.closed["c"] != 1 || len(w.rows) != 0 {
			t.Errorf("%s: %+v, closed %d", code, got, w.closed["c"])
		}
		if ops := read(t, func() []string { w.open("d", beta); return nil }()); ops != nil || w.closed["d"] != 0 {
			t.Errorf("another connection is closed too")
		}
	}
}

func TestAConnectionThatNobodyKnowsIsClosed(t *testing.T) {
	w := newWorld(t)
	if got := w.say("ghost", `{"v":1,"type":"ping"}`); len(got) != 0 || w.closed["ghost"] != 1 {
		t.Errorf("%v, closed %d", got, w.closed["ghost"])
	}
}

func TestAnOutageIsAnErrorThatMayBeTriedAgain(t *testing.T) {
	w := newWorld(t)
	w.open("c", acme)
	w.down = fault.New(fault.Unavailable, "later")
	if got := read(t, w.say("c", `{"v":1,"type":"ping","id":"p"}`)); len(got) != 1 || got[0].Code != "unavailable" || !got[0].Retryable || got[0].ID != "p" || w.closed["c"] != 0 {
		t.Errorf("%+v", got)
	}
}

// What a frame asks for ends in time for an answer of ours.
func TestAHangingLogIsAnErrorInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.submit("acme", "s", "a")
		w.open("c", acme)
		w.api.Replay = hanging{w.service}
		w.subs["c"][connection.Subscription{Session: "s"}] = true // for the ping to look at
		for _, frame := range []string{`{"v":1,"type":"ping","id":"p"}`, `{"v":1,"type":"subscribe","id":"p","session":"s","after":0}`} {
			began := time.Now()
			got := read(t, w.say("c", frame))
			if len(got) != 1 || got[0].Type != "error" || got[0].ID != "p" || time.Since(began) > 25*time.Second {
				t.Errorf("%s: %+v after %v", frame, got, time.Since(began))
			}
		}
	})
}

// hanging is a log that never answers.
type hanging struct{ *session.Service }

func (hanging) Head(ctx context.Context, _ eventstore.Stream) (uint64, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func (hanging) Events(ctx context.Context, _ eventstore.Stream, _ session.EventQuery) (session.EventPage, error) {
	<-ctx.Done()
	return session.EventPage{}, ctx.Err()
}

// A subscription to what is not there costs no ping its answer.
func TestAPingPassesOverSessionsThatAreNotThere(t *testing.T) {
	w := newWorld(t)
	w.submit("acme", "s", "a")
	w.open("c", acme)
	w.say("c", `{"v":1,"type":"subscribe","session":"none","after":0}`)
	w.say("c", `{"v":1,"type":"subscribe","session":"s","after":0}`)
	if pong := read(t, w.say("c", `{"v":1,"type":"ping"}`))[0]; pong.Type != "pong" || len(pong.Heads) != 1 || pong.Heads["s"] != 2 {
		t.Errorf("%+v", pong)
	}
}

func FuzzAnyMessageIsAnsweredOnce(f *testing.F) {
	for _, s := range []string{`{"v":1,"type":"ping","id":"1"}`, `{"v":1,"type":"subscribe","session":"s","after":0}`, `{"v":1,"type":"submit","session":"s","prompt":"p"}`, `{"v":1,"v":2}`, `[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, message string) {
		w := newWorld(t)
		w.open("c", acme)
		got := w.say("c", message)
		for _, frame := range got {
			if !json.Valid([]byte(frame)) {
				t.Errorf("%q", frame)
			}
		}
		if len(got) == 0 || w.closed["c"] != 0 {
			t.Errorf("%q: %v, closed %d", message, got, w.closed["c"])
		}
	})
}

func TestASocketEndsWithTheTokenThatOpenedIt(t *testing.T) {
	w := newWorld(t)
	until := now.Add(10 * time.Minute)
	w.tickets["t"] = connection.Grant{Tenant: "acme", Key: "https://id.example#alice", Until: until}
	e := events.APIGatewayWebsocketProxyRequest{QueryStringParameters: map[string]string{"ticket": "t"}}
	e.RequestContext.EventType, e.RequestContext.ConnectionID = "CONNECT", "c"
	if answer, err := w.api.Lambda()(t.Context(), e); err != nil || answer.StatusCode != 200 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if at := w.rows["c"].ClosesAt; !at.Equal(until) {
		t.Errorf("it closes at %s, its token ends at %s", at, until)
	}
	w.now = until.Add(-time.Microsecond)
	if f := read(t, w.say("c", `{"v":1,"type":"ping"}`)); len(f) != 1 || f[0].Type != "pong" {
		t.Errorf("a moment before: %+v", f)
	}
	w.now = until
	if f := read(t, w.say("c", `{"v":1,"type":"ping"}`)); len(f) != 1 || f[0].Type != "closing" || w.closed["c"] != 1 {
		t.Errorf("at its end: %+v, closed %d times", f, w.closed["c"])
	}
}

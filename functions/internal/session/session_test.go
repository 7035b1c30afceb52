package session_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/view"
)

// Its usage is that of all its operations, settled or not.
func TestASessionShowsWhatItHasUsed(t *testing.T) {
	w := newWorld(t)
	if _, err := w.Session(t.Context(), stream); fault.Of(err).Code != fault.NotFound {
		t.Errorf("no session: %v", err)
	}
	for _, id := range []string{"a/b", ""} {
		if _, err := w.Session(t.Context(), eventstore.Stream{Tenant: "acme", Session: id}); fault.Of(err).Code != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
	w.must("/a", "a file opens it")
	want := view.Session{SessionID: "s", StreamID: "id-1", OpenedAt: event.At(at), AsOfSeq: 2, Usage: event.Usage{CostUSD: "0"}}
	look := func(when string) {
		t.Helper()
		got, err := w.Session(t.Context(), stream)
		if d := cmp.Diff(want, got); d != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", when, err, d)
		}
		page, err := w.Sessions(t.Context(), "acme", session.ListQuery{Limit: 10})
		if d := cmp.Diff([]view.Session{want}, page.Sessions); d != "" || err != nil {
			t.Errorf("%s, listed: %v (-want +got):\n%s", when, err, d)
		}
	}
	want.Retention = "forever"
	look("opened")
	w.submit("a", "one")
	w.submit("b", "two")
	want.Agent, want.AsOfSeq, want.Unsettled = "demo", 4, 2
	look("submitted")
	answered := func(n int64, cost event.USD) event.ModelCompleted {
		return event.ModelCompleted{Attempt: 1, Usage: event.Tokens{InputTokens: n, CachedTokens: 1, CacheWriteTokens: 2}, CostUSD: cost, Stop: "end"}
	}
	w.start()
	w.append(answered(10, "0.25"))
	w.complete("done")
	want.AsOfSeq, want.Unsettled = 8, 1
	want.Usage = event.Usage{Tokens: event.Tokens{InputTokens: 10, CachedTokens: 1, CacheWriteTokens: 2}, ModelCalls: 1, CostUSD: "0.25"}
	look("one is done")
	w.start()
	w.append(answered(7, "0.5"))
	want.AsOfSeq = 11
	want.Usage = event.Usage{Tokens: event.Tokens{InputTokens: 17, CachedTokens: 2, CacheWriteTokens: 4}, ModelCalls: 2, CostUSD: "0.75"}
	look("another is under way")
}

func TestAPageOfSessionsKeepsItsOrder(t *testing.T) {
	w := newWorld(t)
	for i := range 40 {
		if _, err := w.Submit(t.Context(), eventstore.Stream{Tenant: "acme", Session: fmt.Sprintf("s-%02d", i)}, session.Submission{Prompt: "p"}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := w.Sessions(t.Context(), "acme", session.ListQuery{Limit: 40})
	if err != nil || len(p.Sessions) != 40 {
		t.Fatalf("%d sessions, %v", len(p.Sessions), err)
	}
	for i, s := range p.Sessions {
		if want := fmt.Sprintf("s-%02d", 39-i); s.SessionID != want || s.AsOfSeq != 2 || s.Unsettled != 1 {
			t.Errorf("place %d: %+v, want %s", i, s, want)
		}
	}
}

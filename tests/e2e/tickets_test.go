package e2e

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"windlass/tests/client"
)

// opened reports a handshake's status; a socket that it opened is closed again.
func opened(ctx context.Context, t *testing.T, url string) int {
	t.Helper()
	s, status, err := client.Open(ctx, url)
	if err == nil {
		s.Kill()
	} else if status == 0 {
		t.Fatal(err)
	}
	return status
}

func TestATicketOpensOneSocket(t *testing.T) {
	ctx, l := open(t)
	ticket, err := l.Ticket(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	if ends, err := time.Parse(time.RFC3339, ticket.ExpiresAt); err != nil || ends.IsZero() || !strings.Contains(ticket.URL, ticket.Ticket) || strings.Contains(ticket.URL, l.Key) {
		t.Fatalf("%+v, %v", ticket, err)
	}
	for i, want := range []int{http.StatusSwitchingProtocols, http.StatusUnauthorized, http.StatusUnauthorized} {
		if got := opened(ctx, t, ticket.URL); got != want {
			t.Errorf("handshake %d: %d, want %d", i+1, got, want)
		}
	}
}

// Of two handshakes with one ticket at the same time one is let in.
func TestATicketIsSingleUseAlsoAtTheSameTime(t *testing.T) {
	ctx, l := open(t)
	for range 5 {
		ticket, err := l.Ticket(ctx, "")
		if err != nil {
			t.Fatal(err)
		}
		statuses := make(chan int)
		for range 4 {
			go func() {
				s, status, err := client.Open(ctx, ticket.URL)
				if err == nil {
					s.Kill()
				}
				statuses <- status
			}()
		}
		got := map[int]int{}
		for range 4 {
			got[<-statuses]++
		}
		if got[http.StatusSwitchingProtocols] != 1 || got[http.StatusUnauthorized] != 3 {
			t.Errorf("%v", got)
		}
	}
}

func TestNoSocketWithoutATicket(t *testing.T) {
	ctx, l := open(t)
	ticket, err := l.Ticket(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	base, _, _ := strings.Cut(ticket.URL, "?")
	for _, query := range []string{
		"", "?ticket=", "?ticket=x", "?ticket=" + strings.Repeat("A", len(ticket.Ticket)), "?ticket=" + ticket.Ticket + "A",
		"?ticket=" + strings.ToLower(ticket.Ticket[:len(ticket.Ticket)-2]) + "__", "?key=" + l.Key, "?ticket=" + l.Key, "?Ticket=" + ticket.Ticket,
	} {
		if got := opened(ctx, t, base+query); got != http.StatusUnauthorized {
			t.Errorf("%q: %d", query, got)
		}
	}
	if got := opened(ctx, t, ticket.URL); got != http.StatusSwitchingProtocols {
		t.Errorf("the ticket itself, after all of them: %d", got)
	}
	for _, key := range []string{"", "wl_wrong_0123456789abcdef"} {
		_, err := (client.Client{URL: l.URL, Key: key}).Ticket(ctx, "")
		problem(t, err, http.StatusUnauthorized, "unauthorized")
	}
	for _, body := range []string{`{"session":""}`, `{"session":"a/b"}`, `{"sesion":"a"}`, `{"session":7}`, `[]`} {
		_, err := l.Raw(ctx, http.MethodPost, "/v1/tickets", []byte(body), nil)
		problem(t, err, http.StatusBadRequest, "invalid_request")
	}
}

func TestATicketForOneSessionOpensNoOther(t *testing.T) {
	ctx, l := open(t)
	mine, other := session(), session()
	put(ctx, t, l.Client, mine, "/a")
	put(ctx, t, l.Client, other, "/a")
	socket, err := l.Dial(ctx, mine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(socket.Kill)
	for _, frame := range framesOf(other) {
		f, before := request(ctx, t, socket, frame)
		if refused(t, f, "not_found"); len(before) > 0 {
			t.Errorf("%v brought %s", frame, before[0].Raw)
		}
	}
	if n := len(rawEvents(ctx, t, l.Client, other, "")); n != 2 {
		t.Errorf("the other session has %d events", n)
	}
	if f, _ := request(ctx, t, socket, map[string]any{"type": "subscribe", "session": mine, "after": 0}); f.Type != "caught_up" || f.Head != 2 {
		t.Errorf("%s", f.Raw)
	}
}

// framesOf is every frame that names a session.
func framesOf(session string) []map[string]any {
	return []map[string]any{
		{"type": "subscribe", "session": session, "after": 0},
		{"type": "subscribe", "session": session, "after": 1, "operationId": "op"},
		{"type": "unsubscribe", "session": session},
		{"type": "unsubscribe", "session": session, "operationId": "op"},
		{"type": "snapshot", "session": session},
		{"type": "submit", "session": session, "prompt": "hello", "operationId": "op"},
	}
}

// To another tenant a session is the same as one that there never was.
func TestNoFrameReachesAnotherTenantsSession(t *testing.T) {
	ctx, l := open(t)
	s, nothing := session(), session()
	if _, err := l.Submit(ctx, s, client.Submission{Prompt: demo, OperationID: "op"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	before := rawEvents(ctx, t, l.Client, s, "")
	theirs := dial(ctx, t, l.Other)
	of, ofNothing := framesOf(s), framesOf(nothing)
	for i, frame := range of[:len(of)-1] {
		got, pushed := request(ctx, t, theirs, frame)
		want, _ := request(ctx, t, theirs, ofNothing[i])
		said := strings.NewReplacer(want.ID, got.ID, nothing, s).Replace(string(want.Raw))
		if string(got.Raw) != said || len(pushed) > 0 {
			t.Errorf("%v: %s %v, of nothing: %s", frame, got.Raw, pushed, want.Raw)
		}
	}
	put(ctx, t, l.Client, s, "/mine")
	if f, pushed := request(ctx, t, theirs, map[string]any{"type": "ping"}); len(f.Heads) != 0 || len(pushed) > 0 {
		t.Errorf("%s, and before it %v", f.Raw, pushed)
	}
	// The same names are another session to them, and what happens in one does not
	// show in the other.
	f, _ := request(ctx, t, theirs, of[len(of)-1])
	if f.Receipt == nil || !f.Receipt.Accepted || f.Receipt.After != 1 {
		t.Fatalf("%s", f.Raw)
	}
	if _, err := l.Other.Wait(ctx, s, "op"); err != nil {
		t.Fatal(err)
	}
	_, backlog := request(ctx, t, theirs, map[string]any{"type": "subscribe", "session": s, "after": 0})
	put(ctx, t, l.Client, s, "/mine-too")
	put(ctx, t, l.Other, s, "/theirs")
	log := rawEvents(ctx, t, l.Other, s, "")
	same(t, collect(ctx, t, theirs, 0, uint64(len(log)), backlog...), log)
	if mine := rawEvents(ctx, t, l.Client, s, ""); len(mine) != len(before)+2 {
		t.Errorf("%d events, there were %d", len(mine), len(before))
	}
}

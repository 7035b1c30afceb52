package connection_test

import (
	"encoding/base64"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

func TestATicketOpensOneConnectionWithItsGrant(t *testing.T) {
	w := newWorld(t)
	for _, g := range []connection.Grant{acme, {Tenant: "beta", Key: "key-2", Session: "demo"}} {
		ticket, expiresAt, err := w.IssueTicket(t.Context(), g)
		try(t, err)
		if want := start.Add(30 * time.Second); !expiresAt.Equal(want) {
			t.Errorf("it expires at %s, want %s", expiresAt, want)
		}
		got, err := w.RedeemTicket(t.Context(), ticket)
		if d := cmp.Diff(g, got); err != nil || d != "" {
			t.Errorf("redeemed (-want +got):\n%s%v", d, err)
		}
		got, err = w.RedeemTicket(t.Context(), ticket)
		wants(t, "redeemed again", err, fault.Unauthorized)
		if got != (connection.Grant{}) {
			t.Errorf("a refused ticket grants %+v", got)
		}
	}
	if rows := w.rows(t); len(rows) != 0 {
		t.Errorf("left behind: %v", rows)
	}
}

// A ticket that outlived the token behind it would open what the token cannot.
func TestATicketAndItsSocketEndWithTheTokenBehindThem(t *testing.T) {
	for left, want := range map[time.Duration]time.Duration{time.Second: time.Second, 30 * time.Second: 30 * time.Second, time.Hour: 30 * time.Second} {
		w := newWorld(t)
		g := connection.Grant{Tenant: "acme", Key: "https://id.example#alice", Session: "demo", Until: start.Add(left)}
		ticket, expiresAt, err := w.IssueTicket(t.Context(), g)
		try(t, err)
		if !expiresAt.Equal(start.Add(want)) {
			t.Errorf("of a token with %s left: it expires at %s", left, expiresAt)
		}
		w.now = expiresAt.Add(-time.Microsecond)
		got, err := w.RedeemTicket(t.Context(), ticket)
		if d := cmp.Diff(g, got); err != nil || d != "" {
			t.Errorf("redeemed (-want +got):\n%s%v", d, err)
		}
		ticket, _, err = w.IssueTicket(t.Context(), g)
		try(t, err)
		if w.now = start.Add(left); left <= connection.TicketLife {
			_, err = w.RedeemTicket(t.Context(), ticket)
			wants(t, "a ticket after its token", err, fault.Unauthorized)
		}
		for _, at := range []time.Duration{left - 1, left, left + 1} {
			if ends := g.Ends(start.Add(at)); !ends.Equal(start.Add(min(at, left))) {
				t.Errorf("%s of %s: %s", at, left, ends)
			}
		}
	}
}

func TestOneOfTwoThatRedeemATicketAtTheSameTimeWins(t *testing.T) {
	w := newWorld(t)
	for range 50 {
		ticket, _, err := w.IssueTicket(t.Context(), acme)
		try(t, err)
		var grants [2]connection.Grant
		var errs [2]error
		var both sync.WaitGroup
		for n := range 2 {
			both.Go(func() { grants[n], errs[n] = w.RedeemTicket(t.Context(), ticket) })
		}
		both.Wait()
		winner := 0
		if errs[0] != nil {
			winner = 1
		}
		if errs[winner] != nil || grants[winner] != acme {
			t.Fatalf("nobody won: %v, %v", errs[0], errs[1])
		}
		wants(t, "the loser", errs[1-winner], fault.Unauthorized)
	}
}

// The table still has the row: DynamoDB deletes it when it likes.
func TestATicketIsRefusedFromItsLastMomentOn(t *testing.T) {
	for late, code := range map[time.Duration]fault.Code{-time.Microsecond: "", 0: fault.Unauthorized, time.Microsecond: fault.Unauthorized, 24 * time.Hour: fault.Unauthorized} {
		w := newWorld(t)
		ticket, expiresAt, err := w.IssueTicket(t.Context(), acme)
		try(t, err)
		w.now = expiresAt.Add(late)
		_, err = w.RedeemTicket(t.Context(), ticket)
		wants(t, late.String()+" after its end", err, code)
		if left := len(w.rows(t)); code != "" && left != 1 {
			t.Errorf("%s: %d rows, want the expired ticket's", late, left)
		}
	}
}

func TestEveryWrongTicketIsRefusedInTheSameWords(t *testing.T) {
	w := newWorld(t)
	ticket, _, err := w.IssueTicket(t.Context(), acme)
	try(t, err)
	_, want := w.RedeemTicket(t.Context(), base64.RawURLEncoding.EncodeToString(make([]byte, 32)))
	wants(t, "unknown", want, fault.Unauthorized)
	for _, wrong := range []string{"", " ", ticket[:42], ticket + "A", ticket + "=", ticket + "\n", ticket[:20] + "\n" + ticket[20:], " " + ticket[1:], "+/" + ticket[2:], "#" + ticket[1:], strings.Repeat(ticket, 1000)} {
		if _, err := w.RedeemTicket(t.Context(), wrong); err == nil || err.Error() != want.Error() {
			t.Errorf("%.60q: %v, want %v", wrong, err, want)
		}
	}
	if _, err := w.RedeemTicket(t.Context(), ticket); err != nil {
		t.Errorf("the right ticket, after all the wrong ones: %v", err)
	}
}

func TestATicketNamesASessionThatCanBeOne(t *testing.T) {
	w := newWorld(t)
	for _, session := range []string{"a/b", "a#b", ".", strings.Repeat("s", 129)} {
		_, _, err := w.IssueTicket(t.Context(), connection.Grant{Tenant: "acme", Key: "key-1", Session: session})
		wants(t, session, err, fault.InvalidRequest)
	}
	if rows := w.rows(t); len(rows) != 0 {
		t.Errorf("stored: %v", rows)
	}
}

// What reads the table, or a log of its errors, must not be able to open anything.
func TestATicketIsNeitherStoredNorInAnError(t *testing.T) {
	w := newWorld(t)
	ticket, _, err := w.IssueTicket(t.Context(), acme)
	try(t, err)
	for key, row := range w.rows(t) {
		for _, v := range append([]string{key}, row["tenant"], row["key"], row["kind"], row["expiresAt"]) {
			if strings.Contains(v, ticket) {
				t.Errorf("the ticket is in %q", v)
			}
		}
	}
	w.faulty(down)
	_, err = w.RedeemTicket(t.Context(), ticket)
	wants(t, "a table that is down", err, fault.Unavailable)
	if strings.Contains(err.Error(), ticket) {
		t.Errorf("the ticket is in %q", err)
	}
}

func FuzzTicketsThatNobodyIssuedAreRefused(f *testing.F) {
	f.Add("")
	f.Add(strings.Repeat("A", 43))
	f.Add(strings.Repeat("-_", 21) + "B")
	f.Add(strings.Repeat("A", 42) + "\n")
	w := newWorld(f)
	f.Fuzz(func(t *testing.T, ticket string) {
		g, err := w.RedeemTicket(t.Context(), ticket)
		wants(t, ticket, err, fault.Unauthorized)
		if g != (connection.Grant{}) {
			t.Errorf("%q grants %+v", ticket, g)
		}
	})
}

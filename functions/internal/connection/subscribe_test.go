package connection_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/functions/internal/connection"
	"windlass/functions/internal/fault"
)

func TestAConnectionIsFoundUntilItIsLongOver(t *testing.T) {
	w := newWorld(t)
	bound := acme
	bound.Session = "demo"
	for id, g := range map[string]connection.Grant{"c1=": acme, "c2=": bound} {
		want := w.open(t, id, g)
		got, err := w.Connection(t.Context(), id)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("connection (-want +got):\n%s%v", d, err)
		}
	}
	_, err := w.Connection(t.Context(), "c3=")
	wants(t, "one that there never was", err, fault.NotFound)

	// One that is to be closed must be found, or nobody could close it.
	for over, code := range map[time.Duration]fault.Code{0: "", 30 * time.Minute: "", time.Hour: fault.NotFound, 240 * time.Hour: fault.NotFound} {
		w.now = start.Add(110*time.Minute + over)
		_, err := w.Connection(t.Context(), "c1=")
		wants(t, over.String()+" over its time", err, code)
	}
}

func TestSubscriptionsAreSeenFromBothSides(t *testing.T) {
	w := newWorld(t)
	c1, c2 := w.open(t, "c1=", acme), w.open(t, "c2=", connection.Grant{Tenant: "acme", Key: "key-2"})
	other := connection.Subscription{Session: "other"}
	for _, s := range []connection.Subscription{other, op, demo} {
		try(t, w.Subscribe(t.Context(), c1, s))
	}
	try(t, w.Subscribe(t.Context(), c2, demo))
	w.follows(t, c1, demo, op, other)
	w.follows(t, c2, demo)
	w.followed(t, "acme", subscriber(c1, ""), subscriber(c1, "op-1"), subscriber(c2, ""))

	try(t, w.Unsubscribe(t.Context(), c1, demo))
	w.follows(t, c1, op, other)
	w.followed(t, "acme", subscriber(c1, "op-1"), subscriber(c2, ""))
}

func TestSomeSubscribersAreTheFirst(t *testing.T) {
	w := newWorld(t)
	var want []connection.Subscriber
	for i := range 5 {
		c := w.open(t, fmt.Sprintf("c%d=", i), acme)
		try(t, w.Subscribe(t.Context(), c, demo))
		want = append(want, subscriber(c, ""))
	}
	for most := 1; most < 7; most++ {
		got, err := w.SomeSubscribers(t.Context(), eventstore.Stream{Tenant: "acme", Session: "demo"}, int32(most))
		if d := cmp.Diff(want[:min(most, 5)], got); err != nil || d != "" {
			t.Errorf("the first %d (-want +got):\n%s%v", most, d, err)
		}
	}
	if got, err := w.SomeSubscribers(t.Context(), eventstore.Stream{Tenant: "beta", Session: "demo"}, 9); err != nil || len(got) > 0 {
		t.Errorf("another tenant's: %v, %v", got, err)
	}
}

// A session of the same name belongs to somebody else, whatever the names are.
func TestNobodySeesAnotherTenantsSubscriptions(t *testing.T) {
	w := newWorld(t)
	ours := w.open(t, "c1=", acme)
	try(t, w.Subscribe(t.Context(), ours, demo))
	for n, tenant := range []string{"beta", "acme-2", "acm", "acme:demo"} {
		theirs := w.open(t, fmt.Sprint("their", n), connection.Grant{Tenant: tenant, Key: "key-2"})
		w.followed(t, tenant)
		try(t, w.Subscribe(t.Context(), theirs, demo))
		w.followed(t, tenant, subscriber(theirs, ""))
		try(t, w.Forget(t.Context(), theirs.ID))
	}
	w.followed(t, "acme", subscriber(ours, ""))
}

func TestAConnectionForOneSessionFollowsNoOther(t *testing.T) {
	w := newWorld(t)
	bound := acme
	bound.Session = "demo"
	c := w.open(t, "c1=", bound)
	try(t, w.Subscribe(t.Context(), c, op))
	wants(t, "another session", w.Subscribe(t.Context(), c, connection.Subscription{Session: "other"}), fault.NotFound)
	wants(t, "leaving another session", w.Unsubscribe(t.Context(), c, connection.Subscription{Session: "other"}), fault.NotFound)
	w.follows(t, c, op)
}

func TestASubscriptionNamesWhatCanBeThere(t *testing.T) {
	w := newWorld(t)
	c := w.open(t, "c1=", acme)
	for _, bad := range []string{"a#b", "a/b", "..", "é", strings.Repeat("s", 129)} {
		for _, s := range []connection.Subscription{{Session: bad}, {Session: "demo", Operation: bad}, {Operation: "op-1"}} {
			wants(t, "subscribe "+bad, w.Subscribe(t.Context(), c, s), fault.InvalidRequest)
			wants(t, "unsubscribe "+bad, w.Unsubscribe(t.Context(), c, s), fault.InvalidRequest)
		}
	}
	w.follows(t, c)
}

func TestRepeatingChangesNothing(t *testing.T) {
	w := newWorld(t)
	c := w.open(t, "c1=", acme)
	try(t, w.Unsubscribe(t.Context(), c, demo))
	opened := w.rows(t)
	try(t, w.Subscribe(t.Context(), c, demo))
	subscribed := w.rows(t)
	try(t, w.Subscribe(t.Context(), c, demo))
	if d := cmp.Diff(subscribed, w.rows(t)); d != "" {
		t.Errorf("a repeated subscribe (-before +after):\n%s", d)
	}
	for range 2 {
		try(t, w.Unsubscribe(t.Context(), c, demo))
		if d := cmp.Diff(opened, w.rows(t)); d != "" {
			t.Errorf("unsubscribed (-before +after):\n%s", d)
		}
	}
}

func TestSubscriptionsAreCountedExactly(t *testing.T) {
	w := newWorld(t)
	c := w.open(t, "c1=", acme)
	var all []connection.Subscription
	for n := range connection.MaxSubscriptions {
		all = append(all, connection.Subscription{Session: "demo", Operation: fmt.Sprintf("op-%02d", n)})
		for range 2 {
			try(t, w.Subscribe(t.Context(), c, all[n]))
		}
	}
	wants(t, "one more", w.Subscribe(t.Context(), c, demo), fault.TooManySubscriptions)
	wants(t, "one that is there", w.Subscribe(t.Context(), c, all[7]), "")
	w.follows(t, c, all...)
	for range 2 {
		try(t, w.Unsubscribe(t.Context(), c, all[7]))
	}
	wants(t, "one in its place", w.Subscribe(t.Context(), c, demo), "")
	wants(t, "one more again", w.Subscribe(t.Context(), c, all[7]), fault.TooManySubscriptions)
}

func TestTheBoundHoldsForSubscribersAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	c := w.open(t, "c1=", acme)
	var all sync.WaitGroup
	codes := make(chan fault.Code, 40)
	for n := range cap(codes) {
		all.Go(func() {
			err := w.Subscribe(t.Context(), c, connection.Subscription{Session: "demo", Operation: fmt.Sprint("op-", n)})
			if err == nil {
				codes <- ""
				return
			}
			codes <- fault.Of(err).Code
		})
	}
	all.Wait()
	close(codes)
	got := map[fault.Code]int{}
	for code := range codes {
		got[code]++
	}
	if d := cmp.Diff(map[fault.Code]int{"": 32, fault.TooManySubscriptions: 8}, got); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
}

// DynamoDB deletes rows when it likes. Those that stand for a connection that is
// long over would cost a post each.
func TestSubscribersThatAreLongOverAreLeftOut(t *testing.T) {
	w := newWorld(t)
	old := w.open(t, "c1=", acme)
	try(t, w.Subscribe(t.Context(), old, demo))
	w.now = w.now.Add(time.Hour)
	young := w.open(t, "c2=", acme)
	try(t, w.Subscribe(t.Context(), young, demo))
	w.now = old.ClosesAt.Add(time.Hour - time.Second)
	w.followed(t, "acme", subscriber(old, ""), subscriber(young, ""))
	w.now = old.ClosesAt.Add(time.Hour)
	w.followed(t, "acme", subscriber(young, ""))
}

// A page of DynamoDB ends at 1 MB.
func TestSubscribersOfManyPagesAreAllThere(t *testing.T) {
	w := newWorld(t)
	key, pages := strings.Repeat("k", 100<<10), 0
	var want []connection.Subscriber
	for n := range 25 {
		c := w.open(t, fmt.Sprintf("c%02d=", n), connection.Grant{Tenant: "acme", Key: key})
		try(t, w.Subscribe(t.Context(), c, demo))
		want = append(want, subscriber(c, ""))
	}
	w.faulty(count("Query", &pages))
	got, err := w.Subscribers(t.Context(), eventstore.Stream{Tenant: "acme", Session: "demo"})
	if err != nil || !cmp.Equal(want, got) {
		t.Errorf("%d subscribers, %v; want %d", len(got), err, len(want))
	}
	if pages < 3 {
		t.Errorf("%d pages: the test reads too little", pages)
	}
}

func BenchmarkSubscribers(b *testing.B) {
	w := newWorld(b)
	for n := range 100 {
		try(b, w.Subscribe(b.Context(), w.open(b, fmt.Sprintf("L0SM9cOFvHcC%03d=", n), acme), demo))
	}
	for b.Loop() {
		got, err := w.Subscribers(b.Context(), eventstore.Stream{Tenant: "acme", Session: "demo"})
		if err != nil || len(got) != 100 {
			b.Fatalf("%d subscribers, %v", len(got), err)
		}
	}
}

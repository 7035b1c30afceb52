package sockets

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/coder/websocket"

	"windlass/functions/harness"
	"windlass/tests/client"
)

// rows counts the live table's rows of connections, by their kind.
func (d *deployment) rows(ctx context.Context, t *testing.T) map[string]int {
	t.Helper()
	kinds := map[string]int{}
	pages := dynamodb.NewScanPaginator(dynamodb.NewFromConfig(d.AWS(ctx)), &dynamodb.ScanInput{TableName: aws.String(d.Endpoints.Tables["LiveTable"])})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			pk := item["pk"].(*types.AttributeValueMemberS).Value
			if kind, _, _ := strings.Cut(pk, "#"); kind != "key" {
				kinds[kind]++
			}
		}
	}
	return kinds
}

// forgotten publishes until no row is left. Once is enough for most: a connection to
// which a post took too long is passed over for a while, and found out later.
func (d *deployment) forgotten(ctx context.Context, t *testing.T) {
	t.Helper()
	for n := 0; ; n++ {
		left := d.rows(t.Context(), t) // outlives ctx, to say what is left
		if len(left) == 0 {
			return
		}
		if n%100 == 0 && ctx.Err() == nil {
			d.published++ // the same file again appends nothing
			put(ctx, t, d.Client(), "s", fmt.Sprint("/published-", d.published))
		}
		if ctx.Err() != nil {
			d.Kill()
			t.Fatalf("rows are left: %v\n%s", left, d.Log())
		}
	}
}

// subscribe opens sockets that follow a session, and waits until they do.
func (d *deployment) subscribe(ctx context.Context, t *testing.T, n int) (all []*client.Socket) {
	t.Helper()
	for range n {
		s := dial(ctx, t, d.Client())
		if err := s.Subscribe(ctx, "s", "", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Until(ctx, "caught_up"); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	if got := d.rows(ctx, t); got["connection"] != 2*n || got["subscribers"] != n {
		t.Fatalf("%d connections with one subscription each have rows %v", n, got)
	}
	return all
}

// Nobody says goodbye: the clients vanish, and then the process does, which tells
// no $disconnect. The next thing that is published finds out.
func TestConnectionsThatVanishLeaveNoRows(t *testing.T) {
	const connections = 200
	ctx, d := start(t)
	put(ctx, t, d.Client(), "s", "/first")
	for _, s := range d.subscribe(ctx, t, connections) {
		s.Kill()
	}
	d.forgotten(ctx, t)

	d.subscribe(ctx, t, connections)
	d.replace()
	d.forgotten(ctx, t)
}

// A key that is revoked ends the sockets that it opened: at what they say next, and
// at what they would be sent next.
func TestARevokedKeyEndsItsSockets(t *testing.T) {
	ctx, d := start(t)
	live := d.Endpoints.Tables["LiveTable"]
	mine := client.Client{URL: d.Endpoints.API, Key: "wl_second_0123456789abcdef"}
	if err := harness.PutKey(ctx, d.AWS(ctx), live, mine.Key, "dev"); err != nil {
		t.Fatal(err)
	}
	subscribed := func(c client.Client) *client.Socket {
		t.Helper()
		s := dial(ctx, t, c)
		if err := s.Subscribe(ctx, "s", "", 0); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Until(ctx, "caught_up"); err != nil {
			t.Fatal(err)
		}
		return s
	}
	put(ctx, t, mine, "s", "/a")
	other := subscribed(d.Client())
	put(ctx, t, mine, "s", "/b")
	for f := (client.Frame{}); f.To < 3; { // no earlier commit is on its way any more
		var err error
		if f, err = other.Until(ctx, "events"); err != nil {
			t.Fatal(err)
		}
	}
	talks, listens := subscribed(mine), subscribed(mine)
	following := follow(ctx, client.Follower{Client: func() client.Client { return mine }, Session: "s"}, func(client.Event) bool { return false })
	if err := harness.RevokeKey(ctx, d.AWS(ctx), live, harness.KeyID(mine.Key)); err != nil {
		t.Fatal(err)
	}
	ended := func(s *client.Socket, f client.Frame) {
		t.Helper()
		if f.Code != "unauthorized" || len(f.Resume) != 1 || f.Resume[0].Session != "s" {
			t.Errorf("%q", f.Raw)
		}
		if status := closed(ctx, s); status != websocket.StatusNormalClosure {
			t.Errorf("closed with %d", status)
		}
	}
	ended(talks, pinged(ctx, t, talks, "closing"))
	put(ctx, t, d.Client(), "s", "/c")
	f, err := listens.Until(ctx, "closing")
	if err != nil {
		t.Fatal(err)
	}
	ended(listens, f)
	var refused *client.Problem
	if err := <-following.done; !errors.As(err, &refused) || refused.HTTP != http.StatusUnauthorized {
		t.Errorf("a follower with the revoked key ended with %v", err)
	}
	if f := pinged(ctx, t, other, "pong"); f.Heads["s"] != 4 {
		t.Errorf("another key's socket: %q", f.Raw)
	}
}

// Package e2e is one suite for every lane: it knows URLs and keys, and nothing
// of what is behind them.
//
// Without settings it starts the embedded stack. WINDLASS_TEST_URL with
// WINDLASS_TEST_KEY and WINDLASS_TEST_OTHER_KEY (of another tenant) runs it
// against any deployment.
package e2e

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"windlass/functions/harness"
	"windlass/tests/client"
	"windlass/tests/embedded"
)

// lane is what the suite runs against.
type lane struct {
	client.Client               // of one tenant
	Other         client.Client // of another one
}

var sessions atomic.Int64

// session is a name that no other test of this or an earlier run uses.
func session() string {
	return fmt.Sprintf("e2e-%d-%d", time.Now().UnixNano(), sessions.Add(1))
}

func open(t *testing.T) (context.Context, lane) {
	t.Helper()
	ctx := embedded.Context(t)
	if url := os.Getenv("WINDLASS_TEST_URL"); url != "" {
		l := lane{client.Client{URL: url, Key: os.Getenv("WINDLASS_TEST_KEY")}, client.Client{URL: url, Key: os.Getenv("WINDLASS_TEST_OTHER_KEY")}}
		if l.Key == "" || l.Other.Key == "" {
			t.Fatal("WINDLASS_TEST_URL is set: set WINDLASS_TEST_KEY and WINDLASS_TEST_OTHER_KEY too")
		}
		return ctx, l
	}
	s := embedded.Start(t)
	other := client.Client{URL: s.Endpoints.API, Key: "wl_other_0123456789abcdef"}
	if err := harness.PutKey(ctx, s.AWS(ctx), s.Endpoints.Tables["LiveTable"], other.Key, "other"); err != nil {
		t.Fatal(err)
	}
	return ctx, lane{s.Client(), other}
}

// problem expects err to be a problem document with this status and code.
func problem(t *testing.T, err error, status int, code string) {
	t.Helper()
	p, ok := err.(*client.Problem)
	if !ok {
		t.Errorf("got %v, want %d %s", err, status, code)
		return
	}
	if p.HTTP != status || p.Status != status || p.Code != code || p.ContentType != "application/problem+json" || p.TraceID == "" || p.Detail == "" || p.Title == "" {
		t.Errorf("got %d %s, want %d %s", p.HTTP, p.Body, status, code)
	}
}

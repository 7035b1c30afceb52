package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"windlass/tests/client"
)

// dial opens a socket that ends with the test.
func dial(ctx context.Context, t *testing.T, c client.Client) *client.Socket {
	t.Helper()
	s, err := c.Dial(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// request sends a frame and returns its answer; what comes before is returned too.
func request(ctx context.Context, t *testing.T, s *client.Socket, frame map[string]any) (answer client.Frame, before []client.Frame) {
	t.Helper()
	id := fmt.Sprint("request-", sessions.Add(1))
	frame["id"] = id
	if err := s.Send(ctx, frame); err != nil {
		t.Fatal(err)
	}
	for {
		f, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("no answer to %v: %v", frame, err)
		}
		if f.V != 1 {
			t.Errorf("a frame without its version: %s", f.Raw)
		}
		if f.ID == id {
			return f, before
		}
		before = append(before, f)
	}
}

// same expects events as HTTP gives them, byte for byte.
func same(t *testing.T, got, want []json.RawMessage) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
		t.Errorf("%d events differ from the log's %d:\n%s\n%s", len(got), len(want), cut(got), cut(want))
	}
}

func cut(events []json.RawMessage) string { return fmt.Sprintf("%.2000s", events) }

func rawEvents(ctx context.Context, t *testing.T, c client.Client, session, operation string) []json.RawMessage {
	t.Helper()
	all, err := c.RawEvents(ctx, session, operation)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func put(ctx context.Context, t *testing.T, c client.Client, session, path string) {
	t.Helper()
	if _, _, err := c.PutFile(ctx, session, path, []byte("x"), nil); err != nil {
		t.Fatal(err)
	}
}

// collect takes what frames bring, and the socket's next ones, until they cover
// the seqs to the last. A frame of before the subscription may come late, or twice.
func collect(ctx context.Context, t *testing.T, s *client.Socket, after, to uint64, frames ...client.Frame) (all []json.RawMessage) {
	t.Helper()
	c := client.Cursor{At: after}
	for {
		for _, f := range frames {
			raws, err := f.RawEvents()
			if err != nil {
				t.Fatal(err)
			}
			for i, raw := range raws {
				f.Events[i].Data = raw
			}
			for _, e := range c.Take(f) {
				all = append(all, e.Data)
			}
		}
		if c.At >= to {
			return all
		}
		f, err := s.Until(ctx, "events")
		if err != nil {
			t.Fatalf("seq %d of %d was reached: %v", c.At, to, err)
		}
		frames = []client.Frame{f}
	}
}

var errEnough = errors.New("enough")

// follow collects events as they came, until one is the last.
func follow(ctx context.Context, t *testing.T, c client.Client, session, operation string, last func(client.Event) bool) (all []json.RawMessage) {
	t.Helper()
	f := client.Follower{
		Client: func() client.Client { return c }, Session: session, Operation: operation,
		See: func(e client.Event, raw []byte) error {
			all = append(all, raw)
			if last(e) {
				return errEnough
			}
			return nil
		},
	}
	if err := f.Run(ctx); !errors.Is(err, errEnough) {
		t.Fatalf("after %d events: %v", len(all), err)
	}
	return all
}

func settled(e client.Event) bool {
	return e.Type == "operation.completed" || e.Type == "operation.failed"
}

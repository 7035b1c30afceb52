package tools

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"windlass/tests/embedded"
)

// heldFamily is a boss whose two workers are at work, and wait.
func heldFamily(ctx context.Context, t *testing.T) (*family, *embedded.Stack) {
	t.Helper()
	f := newFamily(ctx)
	f.held = make(chan struct{})
	stack := embedded.Start(t, folder(t, definitions), model(t, f.answer))
	submit(ctx, t, stack, "s", "boss", "go")
	for range 2 {
		select {
		case <-f.begun:
		case <-ctx.Done():
			t.Fatal("the workers are not at work")
		}
	}
	return f, stack
}

func remove(ctx context.Context, t *testing.T, s *embedded.Stack, session string) {
	t.Helper()
	if a, err := s.Client().Send(ctx, http.MethodDelete, "/v1/sessions/"+session, nil, nil); err != nil || a.Status != http.StatusNoContent {
		t.Fatalf("%d, %v", a.Status, err)
	}
}

// A boss that is deleted has its workers cancelled, though the process is killed right
// behind the deletion.
func TestADeletionReachesTheDelegatedThroughAKill(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	f, stack := heldFamily(ctx, t)
	defer close(f.held)
	both := children(t, verified(ctx, t, stack, "s"))
	remove(ctx, t, stack, "s")
	stack.Kill()
	stack.Restart()
	for _, c := range both {
		if o, err := stack.Client().Wait(ctx, c.Session, c.ID); err != nil || o.Status != "cancelled" {
			t.Errorf("%s: %+v, %v", c.Session, o, err)
		}
		verified(ctx, t, stack, c.Session)
	}
	if _, err := stack.Client().Events(ctx, "s", 0); err == nil || !strings.Contains(err.Error(), "session_deleted") {
		t.Errorf("the boss: %v", err)
	}
}

// A boss hears of a worker that is deleted, and goes on.
func TestABossHearsOfAWorkerThatIsDeleted(t *testing.T) {
	t.Parallel()
	ctx := patience(t)
	f, stack := heldFamily(ctx, t)
	both := children(t, verified(ctx, t, stack, "s"))
	remove(ctx, t, stack, both[0].Session)
	stack.Kill()
	stack.Restart()
	close(f.held)
	out := *settled(ctx, t, stack, "s").Output
	if !strings.Contains(out, "deleted") || !strings.Contains(out, "did B") {
		t.Errorf("the boss was told %q", out)
	}
	if events := verified(ctx, t, stack, "s"); count(events, "child.settled") != 2 || count(events, "tool.failed") != 1 {
		t.Errorf("%d ends were told, %d calls failed", count(events, "child.settled"), count(events, "tool.failed"))
	}
}

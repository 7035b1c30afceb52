//go:build unix

package isolated

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"windlass/tests/client"
)

// Each kill is an error of the state machine's task, which asks for another Drive:
// that one takes over.
func TestKillingDriveInMidTurn(t *testing.T) {
	const kills, rounds, calls = 5, 80, 2
	ctx, s := start(t)
	c := s.Client()
	if _, err := c.Submit(ctx, "s", load(rounds, calls, 20)); err != nil {
		t.Fatal(err)
	}
	var seen []client.Event
	for i := range kills {
		log := progress(ctx, t, c, len(seen)+rand.N(25))
		samePrefix(t, seen, log)
		seen = log
		pid := busy(ctx, t, s, "drive", nil)
		kill(t, pid)
		t.Logf("kill %d: process %d, after seq %d", i+1, pid, len(seen))
	}
	op := verified(ctx, t, c, "s")
	samePrefix(t, seen, events(ctx, t, c, "s"))
	if op.Rounds != rounds+1 || op.ModelAnswers != rounds+1 || op.Results != rounds*calls {
		t.Errorf("%+v", op)
	}
	if op.Takeovers == 0 {
		t.Error("no kill hit the turn: nothing was tested")
	}
	t.Logf("%d takeovers, %d generations", op.Takeovers, op.Generations)
}

// lost expects that a request was not answered by its function.
func lost(t *testing.T, err error) {
	t.Helper()
	var p *client.Problem
	if !errors.As(err, &p) || p.HTTP < http.StatusInternalServerError {
		t.Errorf("got %v, want what the gateway says of a function that is gone", err)
	}
}

func TestKillingApiBetweenTheReceiptAndTheAnswer(t *testing.T) {
	ctx, s := start(t)
	c := s.Client()
	if _, err := c.Submit(ctx, "s", load(3, 1, 400)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		waiting := make(chan error, 1)
		go func() {
			_, err := c.Operation(ctx, "s", "op", 20)
			waiting <- err
		}()
		pid := busy(ctx, t, s, "api", waiting)
		if pid == 0 {
			t.Fatalf("answered before the kill: %v", <-waiting)
		}
		kill(t, pid)
		lost(t, <-waiting)
	}
	verified(ctx, t, c, "s")
}

// api is stopped at some instant of a submission and killed there. Whether the
// prompt was stored or not, the same submission again makes it one operation.
func TestKillingApiInASubmission(t *testing.T) {
	const attempts, enough = 40, 2
	ctx, s := start(t)
	c := s.Client()
	stored, unstored, answered := 0, 0, 0
	for i := 0; i < attempts && stored < enough; i++ {
		session := fmt.Sprint("s-", i)
		submitted := make(chan error, 1)
		go func() {
			_, err := c.Submit(ctx, session, load(1, 1, 0))
			submitted <- err
		}()
		pid := busy(ctx, t, s, "api", submitted)
		for range i % 6 { // a little later each time
			described(ctx, t, s)
		}
		there := false
		if pid != 0 && syscall.Kill(pid, syscall.SIGSTOP) == nil {
			// Another process of api answers, if this one has not: one that was stopped behind
			// its answer would be asked itself.
			working := func(c child) bool { return c.PID == pid && c.Busy }
			if slices.ContainsFunc(described(ctx, t, s).Children, working) {
				look, cancel := context.WithTimeout(ctx, 2*time.Second)
				log, err := c.Events(look, session, 0)
				cancel()
				there = err == nil && len(log) > 0
				kill(t, pid)
			} else if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
		}
		err := <-submitted
		again, retried := c.Submit(ctx, session, load(1, 1, 0))
		switch {
		case retried != nil:
			t.Fatal(retried)
		case err == nil:
			answered++
		case there:
			stored++
			lost(t, err)
			if again.Accepted {
				t.Errorf("%s was accepted twice: %+v", session, again)
			}
		default:
			unstored++
			lost(t, err)
		}
		verified(ctx, t, c, session)
	}
	t.Logf("killed after the prompt was stored %d times, before that %d times; too late %d times", stored, unstored, answered)
	if stored == 0 {
		t.Error("no kill came between the log and the receipt: nothing was tested")
	}
}

func TestKillingPublishWhileFollowing(t *testing.T) {
	const kills = 8
	ctx, s := start(t)
	c := s.Client()
	const rounds, calls = 60, 3
	if _, err := c.Submit(ctx, "s", load(rounds, calls, 15)); err != nil {
		t.Fatal(err)
	}
	seen, ended := follow(ctx, s)
	after := 0
	for i := range kills {
		after = len(progress(ctx, t, c, after+rand.N(20)))
		if after > rounds*calls*2 { // the turn is ahead of the kills, and ends soon
			break
		}
		find(ctx, t, s, func(p child) bool {
			if p.Function != "windlass-publish" {
				return false
			}
			kill(t, p.PID)
			t.Logf("kill %d: process %d, busy: %t, after seq %d", i+1, p.PID, p.Busy, after)
			return true
		})
	}
	verified(ctx, t, c, "s")
	sawAll(ctx, t, c, seen, ended)
}

package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/turn"
)

func always(string) bool { return true }

func (w *world) put(path, data string) (session.FileWritten, error) {
	return w.PutFile(w.t.Context(), stream, session.FileWrite{Path: path, Data: data, Holds: always})
}

func (w *world) read(path string) string {
	w.t.Helper()
	f, err := w.ReadFile(w.t.Context(), stream, session.FileRead{Path: path, Method: "GET", Known: func(string) bool { return false }})
	if err != nil {
		w.t.Fatalf("%s: %v", path, err)
	}
	return f.Data
}

func (w *world) summary() []byte {
	w.t.Helper()
	head, _, err := w.Journal.Head(w.t.Context(), stream)
	if err != nil {
		w.t.Fatal(err)
	}
	return head.Summary
}

// A file is nobody's operation: the queue, the head and who drives it stay as
// they are, and nobody is woken.
func TestAFileChangesNothingOfTheTurn(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "one")
	w.start()
	before := w.summary()
	if _, err := w.put("/f", "data"); err != nil {
		t.Fatal(err)
	}
	if err := w.DeleteFile(t.Context(), stream, session.FileWrite{Path: "/f", Holds: always}); err != nil {
		t.Fatal(err)
	}
	if after := w.summary(); !bytes.Equal(before, after) {
		t.Errorf("the summary was\n%s and is\n%s", before, after)
	}
	for c, err := range w.Journal.Read(t.Context(), stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, file := c.Events[0].Data.(event.WorkspaceWritten); file && (c.Wake || c.By != "") {
			t.Errorf("the file's commit wakes: %t, by %q", c.Wake, c.By)
		}
	}
}

func TestWritersOfManyFilesAllGetThrough(t *testing.T) {
	w := newWorld(t)
	const writers, each = 8, 10
	var all sync.WaitGroup
	for i := range writers {
		all.Go(func() {
			for j := range each {
				if _, err := w.put(fmt.Sprint("/", i, "/", j), "data"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	opened := 0
	for _, e := range w.events() {
		if _, ok := e.Data.(event.SessionOpened); ok {
			opened++
		}
	}
	if p, err := w.Files(t.Context(), stream, "", session.ListQuery{Limit: 1000}); err != nil || len(p.Files) != writers*each || opened != 1 {
		t.Errorf("%d files, opened %d times, %v", len(p.Files), opened, err)
	}
}

// Of many that may only make the file, one does; of many that may only replace
// what they read, one does.
func TestAPreconditionHoldsAtTheMomentOfTheWrite(t *testing.T) {
	w := newWorld(t)
	if _, err := w.put("/other", "x"); err != nil {
		t.Fatal(err)
	}
	race := func(holds func(string) bool, round int) (won, lost int) {
		var mu sync.Mutex
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				_, err := w.PutFile(t.Context(), stream, session.FileWrite{Path: "/f", Data: fmt.Sprint(round, " by ", i), Holds: holds})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case fault.Of(err).Code == fault.PreconditionFailed:
					lost++
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		return won, lost
	}
	if won, lost := race(func(h string) bool { return h == "" }, 1); won != 1 || lost != 15 {
		t.Errorf("created by %d, refused to %d", won, lost)
	}
	f, err := w.ReadFile(t.Context(), stream, session.FileRead{Path: "/f", Known: always})
	if err != nil {
		t.Fatal(err)
	}
	if won, lost := race(func(h string) bool { return h == f.SHA256 }, 2); won != 1 || lost != 15 {
		t.Errorf("replaced by %d, refused to %d", won, lost)
	}
}

// The same write after an answer that was lost, as a client would send it.
func TestAWriteWhoseAnswerWasLostIsNotDoneTwice(t *testing.T) {
	for _, f := range []flaky.Fault{flaky.Fail, flaky.Lose, flaky.Throttle} {
		n := 0
		w := over(t, flaky.New(memory.New(), flaky.Script{{When: func(c flaky.Call) bool { n++; return c.Op == flaky.Append && n%3 != 0 }, Do: f}}))
		for _, data := range []string{"1", "2", "2"} {
			if _, err := w.put("/f", data); err != nil {
				t.Errorf("%s: %v", f, err)
			}
		}
		if got := w.read("/f"); got != "2" || len(w.events()) != 3 {
			t.Errorf("%s: %q after %d events", f, got, len(w.events()))
		}
	}
}

// never loses every append to somebody else.
type never struct{ eventstore.Driver }

func (n never) Append(_ context.Context, w eventstore.Write) error {
	return &eventstore.Conflict{Existing: eventstore.Record{ID: "another", Stream: w.Record.Stream, First: w.Record.First}}
}

func TestTryingComesToAnEnd(t *testing.T) {
	w := over(t, never{memory.New()})
	_, err := w.put("/f", "data")
	var lost *eventstore.Conflict
	if !errors.As(err, &lost) || fault.Of(err).Code != fault.Unavailable {
		t.Errorf("%v", err)
	}
}

// A session that a file opened takes the agent of its first operation, as one that
// an operation opened does.
func TestFirstOperationGivesASessionThatAFileOpenedItsAgent(t *testing.T) {
	w := newWorld(t)
	if _, err := w.put("/a", "x"); err != nil {
		t.Fatal(err)
	}
	for _, sub := range []session.Submission{{OperationID: "first", Prompt: "p", Agent: "other"}, {OperationID: "second", Prompt: "p"}} {
		if _, err := w.Submit(t.Context(), stream, sub); err != nil {
			t.Fatal(err)
		}
		if o, err := w.Operation(t.Context(), stream, sub.OperationID); err != nil || o.Agent != "other" {
			t.Errorf("%s is of agent %q, %v", sub.OperationID, o.Agent, err)
		}
	}
	if got, want := string(w.summary()), string(turn.Fold(w.events()).Summary().Encode()); got != want {
		t.Errorf("the summary is\n%s, folding gives\n%s", got, want)
	}
}

package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/callback"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

func (w *world) delete() {
	w.t.Helper()
	if err := w.Delete(w.t.Context(), stream); err != nil {
		w.t.Fatal(err)
	}
}

// since are the events' names, with whose they are, from a seq on.
func (w *world) since(from int) (all []string) {
	w.t.Helper()
	for _, e := range w.events()[from-1:] {
		all = append(all, strings.TrimSpace(e.Operation+" "+e.Data.EventType()))
	}
	return all
}

func TestDeletingIsOneCommitThatEndsEverything(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.submit("b", "p")
	w.start()
	w.delete()
	want := []string{"a operation.cancel_requested", "a model.failed", "a operation.cancelled", "b operation.cancel_requested", "b operation.cancelled", "session.deleted"}
	if d := cmp.Diff(want, w.since(6)); d != "" {
		t.Errorf("events (-want +got):\n%s", d)
	}
	head, at, err := w.Journal.Head(t.Context(), stream)
	if err != nil || !at.Closed() || head.First != 6 || !head.Wake || w.turns.woken != 1 {
		t.Errorf("%+v, %v, woken %d times; want one commit that wakes", head, err, w.turns.woken)
	}
	w.delete()
	if n := len(w.events()); n != 11 {
		t.Errorf("%d events after deleting again", n)
	}
}

func TestWhatThereNeverWasCannotBeDeleted(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"s", "", "..", "a/b"} {
		if err := w.Delete(t.Context(), eventstore.Stream{Tenant: "acme", Session: name}); fault.Of(err).Code != fault.NotFound {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// erased takes away what a sweep takes away.
func (w *world) erased() {
	w.t.Helper()
	if more, err := w.Journal.Erase(w.t.Context(), stream, time.Now().Add(time.Hour), 1000); more || err != nil {
		w.t.Fatal(more, err)
	}
}

// Whether or not the sweep has been there, and whatever is asked.
func TestEverythingOfADeletedSessionIsRefused(t *testing.T) {
	long := strings.Repeat("x", 2*event.MaxInline)
	for _, swept := range []bool{false, true} {
		w := newWorld(t)
		w.submit("a", "p")
		w.start()
		if _, err := w.PutFile(t.Context(), stream, session.FileWrite{Path: "/f", Data: long, Holds: func(string) bool { return true }}); err != nil {
			t.Fatal(err)
		}
		up, err := w.Upload(t.Context(), stream, session.UploadRequest{SHA256: strings.Repeat("0", 64), Bytes: 3})
		if err != nil {
			t.Fatal(err)
		}
		w.delete()
		if swept {
			w.erased()
		}
		before := w.blobs.Keys()
		ctx := t.Context()
		any := func(string) bool { return true }
		step := callback.Step{Stream: stream, Operation: "a", Round: 1}
		list := session.ListQuery{Limit: 10}
		for name, do := range map[string]func() error{
			"submit": func() error { _, err := w.Submit(ctx, stream, session.Submission{Prompt: "p"}); return err },
			"submit again": func() error {
				_, err := w.Submit(ctx, stream, session.Submission{OperationID: "a", Prompt: "p"})
				return err
			},
			"submit long": func() error { _, err := w.Submit(ctx, stream, session.Submission{Prompt: long + "p"}); return err },
			"interrupt": func() error {
				_, err := w.Submit(ctx, stream, session.Submission{Prompt: long + "q", IfBusy: "interrupt"})
				return err
			},
			"submit a file": func() error {
				_, err := w.Submit(ctx, stream, session.Submission{Prompt: long + "r", Input: []session.Part{{Path: "/f"}}})
				return err
			},
			"cancel":        func() error { _, err := w.Cancel(ctx, stream, "a"); return err },
			"cancel unseen": func() error { _, err := w.Cancel(ctx, stream, "never"); return err },
			"steer":         func() error { _, err := w.Steer(ctx, stream, "a", session.Message{Text: "more"}); return err },
			"decide": func() error {
				_, err := w.Decide(ctx, stream, "a", "1.0", session.Answer{Decision: event.Approve, Arguments: "{}"})
				return err
			},
			"called back": func() error { _, err := w.CalledBack(ctx, step, session.CallResult{Output: "out"}); return err },
			"called long": func() error { _, err := w.CalledBack(ctx, step, session.CallResult{Output: long + "s"}); return err },
			"put": func() error {
				_, err := w.PutFile(ctx, stream, session.FileWrite{Path: "/g", Data: "d", Holds: any})
				return err
			},
			"put long": func() error {
				_, err := w.PutFile(ctx, stream, session.FileWrite{Path: "/g", Data: long + "t", Holds: any})
				return err
			},
			"put an upload": func() error {
				_, err := w.PutFile(ctx, stream, session.FileWrite{Path: "/g", Upload: up.ID, Holds: any})
				return err
			},
			"delete a file": func() error { return w.DeleteFile(ctx, stream, session.FileWrite{Path: "/f", Holds: any}) },
			"read a file": func() error {
				_, err := w.ReadFile(ctx, stream, session.FileRead{Path: "/f", Known: func(string) bool { return false }})
				return err
			},
			"files": func() error { _, err := w.Files(ctx, stream, "/", list); return err },
			"upload": func() error {
				_, err := w.Upload(ctx, stream, session.UploadRequest{SHA256: strings.Repeat("1", 64), Bytes: 3})
				return err
			},
			"blob":       func() error { _, err := w.Blob(ctx, stream, strings.Repeat("0", 64), "GET"); return err },
			"operation":  func() error { _, err := w.Operation(ctx, stream, "a"); return err },
			"settled":    func() error { _, err := w.Settled(ctx, stream, "a", time.Hour); return err },
			"operations": func() error { _, err := w.Operations(ctx, stream, list); return err },
			"session":    func() error { _, err := w.Session(ctx, stream); return err },
			"events":     func() error { _, err := w.Events(ctx, stream, session.EventQuery{Limit: 10}); return err },
			"its events": func() error {
				_, err := w.Events(ctx, stream, session.EventQuery{Limit: 10, Operation: "a"})
				return err
			},
			"followed": func() error {
				_, err := w.Followed(ctx, stream, session.EventQuery{After: 1 << 20, Limit: 10}, time.Hour)
				return err
			},
			"transcript": func() error { _, err := w.Transcript(ctx, stream, session.TranscriptQuery{Limit: 10}); return err },
		} {
			if err := do(); err == nil || fault.Of(err).Code != fault.SessionDeleted {
				t.Errorf("%s, swept %t: %v, want %s", name, swept, err, fault.SessionDeleted)
			}
		}
		if p, err := w.Sessions(ctx, "acme", list); err != nil || len(p.Sessions) != 0 {
			t.Errorf("listed: %+v, %v", p, err)
		}
		if d := cmp.Diff(before, w.blobs.Keys()); d != "" {
			t.Errorf("blobs were put, swept %t (-before +after):\n%s", swept, d)
		}
		// Who follows it and missed its end is behind, and asks.
		if seq, err := w.Head(ctx, stream); err != nil || seq != 9 {
			t.Errorf("its last seq is %d, %v", seq, err)
		}
	}
}

// One too large for the last commit is ended in several; whoever comes between starts
// nothing that is not ended too.
func TestALongQueueIsDeletedToo(t *testing.T) {
	w := newWorld(t)
	const n = 300
	for i := range n {
		w.submit(fmt.Sprint(strings.Repeat("long", 25), i), "p")
	}
	w.start()
	w.delete()
	ended := map[string]int{}
	for _, e := range w.events() {
		if _, ok := e.Data.(event.OperationCancelled); ok {
			ended[e.Operation]++
		}
	}
	head, _, err := w.Journal.Head(t.Context(), stream)
	if err != nil || len(ended) != n || !head.Closed || len(head.Body) > eventstore.SpillBody {
		t.Errorf("%d of %d have ended, %+v, %v", len(ended), n, head, err)
	}
	for id, times := range ended {
		if times != 1 {
			t.Errorf("%s ended %d times", id, times)
		}
	}
}

func TestALongRoundIsDeletedToo(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "p")
	w.start()
	var items []event.ModelItem
	for i := range 1000 {
		items = append(items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: fmt.Sprint("c", i), Name: "t", Arguments: event.Text("{}")}})
	}
	w.append(event.ModelCompleted{Attempt: 1, Items: items})
	w.delete()
	failed := 0
	for _, e := range w.events() {
		if _, ok := e.Data.(event.ToolFailed); ok {
			failed++
		}
	}
	if all := w.since(len(w.events())); failed != 1000 || all[0] != "session.deleted" {
		t.Errorf("%d results, %v", failed, all)
	}
}

// Whatever is lost on the way, and whoever else appends: an accepted operation is
// cancelled with the session, another is refused, and the log has one end.
func TestDeletingRacesWithSubmitting(t *testing.T) {
	for _, fault1 := range []flaky.Fault{flaky.Pass, flaky.Lose, flaky.Fail, flaky.Twice} {
		for nth := 2; nth < 8; nth++ {
			d := flaky.New(memory.New(), flaky.Script{{When: flaky.Nth(flaky.Append, nth), Do: fault1}})
			w := over(t, d)
			w.submit("first", "p")
			var all sync.WaitGroup
			var mu sync.Mutex
			taken := map[string]bool{"first": true}
			for i := range 6 {
				all.Go(func() {
					id := fmt.Sprint("op-", i)
					_, err := w.Submit(t.Context(), stream, session.Submission{OperationID: id, Prompt: "p"})
					switch {
					case err == nil:
						mu.Lock()
						taken[id] = true
						mu.Unlock()
					case fault.Of(err).Code != fault.SessionDeleted:
						t.Errorf("%s: %v", id, err)
					}
				})
			}
			for range 2 {
				all.Go(func() {
					if err := w.Delete(t.Context(), stream); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			left, ends := map[string]bool{}, 0
			for _, e := range w.events() {
				switch e.Data.(type) {
				case event.OperationAccepted:
					left[e.Operation] = true
					delete(taken, e.Operation)
				case event.OperationCancelled:
					delete(left, e.Operation)
				case event.SessionDeleted:
					ends++
				}
			}
			if len(left) > 0 || len(taken) > 0 || ends != 1 {
				t.Errorf("%s of append %d: %v are left half, %v were taken and are not there, %d ends", fault1, nth, left, taken, ends)
			}
		}
	}
}

// A driver holds a position from before.
func TestADriverThatAppendsLateLoses(t *testing.T) {
	for _, swept := range []bool{false, true} {
		w := newWorld(t)
		w.submit("a", "p")
		w.start()
		_, at, err := w.Journal.Head(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		w.delete()
		if swept { // as the first sweep does: what is young stays, and its place with it
			if _, err := w.Journal.Erase(t.Context(), stream, time.Now().Add(-time.Hour), 1000); err != nil {
				t.Fatal(err)
			}
		}
		late := eventstore.Draft{By: "driver", Events: []event.Event{{At: event.At(time.Now()), Operation: "a", Data: event.ModelCompleted{Attempt: 1}}}}
		if _, _, err := w.Journal.Append(context.Background(), at, late); eventstore.CodeOf(err) != eventstore.LostRace {
			t.Errorf("swept %t: %v", swept, err)
		}
	}
}

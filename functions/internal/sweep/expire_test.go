package sweep_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/sweep"
)

const day = 24 * time.Hour

// settle ends everything in a session, as drivers do.
func (w *world) settle(s eventstore.Stream) {
	w.t.Helper()
	for {
		now, err := fold.Open(w.t.Context(), w.Journal, s)
		try(w.t, err)
		op := now.State.Head()
		if op == nil {
			return
		}
		e := event.Event{At: event.At(time.Now()), Operation: op.ID, Data: event.OperationCompleted{Output: event.Text("done")}}
		_, _, err = w.Journal.Append(w.t.Context(), now.At, index.Draft(s, &now.State, "driver", []event.Event{e}))
		try(w.t, err)
	}
}

func (w *world) retain(s eventstore.Stream, retention string) {
	w.t.Helper()
	_, err := w.Retain(w.t.Context(), s, retention)
	try(w.t, err)
}

// minute is recover's: sessions whose time is over are deleted, and those that are deleted
// are swept.
func (w *world) minute() {
	w.t.Helper()
	for shard := range index.Shards {
		try(w.t, w.Expire(w.t.Context(), shard))
	}
	w.sweep()
}

// gone says that a session is deleted.
func (w *world) gone(s eventstore.Stream) bool {
	w.t.Helper()
	_, at, err := w.Journal.Head(w.t.Context(), s)
	try(w.t, err)
	return at.Closed()
}

// expiring are the rows of that index, of all sessions.
func (w *world) expiring() (all []string) {
	for _, key := range w.log.Keys() {
		if strings.HasPrefix(key, "#expiring#") {
			all = append(all, key)
		}
	}
	return all
}

// aged is a session with something of every kind in the log, settled, which is kept for 30 days; its neighbours
// are kept for ever, or longer.
func aged(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for i, s := range append(neighbours, stream) {
		w.fill(s, "old")
		w.settle(s)
		w.retain(s, []string{"forever", "31d", "3650d", "721h", "30d"}[i])
	}
	return w
}

func TestASessionIsDeletedWhenItsTimeIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := aged(t)
		its, err := w.Session(t.Context(), stream)
		try(t, err)
		if want := time.Now().Add(30 * day); its.ExpiresAt == nil || !its.ExpiresAt.Equal(event.At(want).Time) || its.Retention != "30d" {
			t.Errorf("%+v, want it kept until %s", its, want)
		}
		time.Sleep(30*day - time.Minute)
		w.attend(stream, "new") // to follow is nothing that happens
		before := len(w.left(stream))
		time.Sleep(time.Minute - time.Second)
		w.minute()
		if w.gone(stream) || len(w.left(stream)) != before {
			t.Fatal("deleted before its time")
		}
		time.Sleep(time.Second)
		w.minute()
		if _, err := w.Submit(t.Context(), stream, session.Submission{Prompt: "p"}); fault.Of(err).Code != fault.SessionDeleted {
			t.Errorf("a later request: %v", err)
		}
		time.Sleep(sweep.Linger - time.Second)
		w.minute()
		time.Sleep(time.Second)
		w.minute()
		if left := w.left(stream); len(left) != 1 || !strings.HasPrefix(left[0], "acme#s#commit ") {
			t.Errorf("left: %v, want the tombstone", left)
		}
		for _, s := range neighbours[:3] {
			if w.gone(s) {
				t.Errorf("%s went too", s)
			}
		}
		if !w.gone(neighbours[3]) {
			t.Errorf("%s, kept for an hour longer, is there an hour later", neighbours[3])
		}
	})
}

// Nothing is put, and nothing in the log or its summaries is other than before, for who
// has no retention.
func TestWhatIsKeptForEverHasNoRow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lived(t)
		w.Retention = func(context.Context, string) (int64, error) { return 0, nil }
		w.fill(stream, "third")
		w.settle(stream)
		if rows := w.expiring(); len(rows) != 0 {
			t.Errorf("rows %v", rows)
		}
		head, _, err := w.Journal.Head(t.Context(), stream)
		try(t, err)
		if s := string(head.Summary); strings.Contains(s, "retention") || strings.Contains(s, "expires") {
			t.Errorf("its summary is %s", s)
		}
		for c, err := range w.Journal.Read(t.Context(), stream, 0) {
			try(t, err)
			for _, e := range c.Events {
				if e.Data.EventType() == "session.retained" {
					t.Errorf("seq %d is %s", e.Seq, e.Data.EventType())
				}
			}
		}
		time.Sleep(4000 * day)
		w.minute()
		if w.gone(stream) {
			t.Error("it was deleted")
		}
	})
}

// Queued and running work keeps a session, however long it takes; so does what happens in
// it, which begins its time anew. There is one row at most.
func TestWorkAndWritesKeepASession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := aged(t)
		rows := func(want int) {
			t.Helper()
			mine := slices.DeleteFunc(w.expiring(), func(key string) bool { return !names(key, stream) })
			if len(mine) != want {
				t.Errorf("rows %v, want %d", mine, want)
			}
		}
		rows(1)
		time.Sleep(29 * day)
		w.fill(stream, "more") // queued, and a file
		rows(0)
		time.Sleep(100 * day)
		w.minute()
		if w.gone(stream) {
			t.Fatal("deleted while an operation waits")
		}
		w.settle(stream)
		rows(1)
		time.Sleep(29 * day)
		_, err := w.PutFile(t.Context(), stream, session.FileWrite{Path: "/x", Data: "x", Holds: func(string) bool { return true }})
		try(t, err)
		rows(1)
		time.Sleep(29 * day)
		w.minute()
		if w.gone(stream) {
			t.Fatal("deleted 29 days after a file was written")
		}
		time.Sleep(day)
		w.minute()
		rows(0)
		if !w.gone(stream) {
			t.Error("it is still there")
		}
	})
}

func TestARetentionIsProlongedAndShortened(t *testing.T) {
	for retention, want := range map[string]time.Duration{"60d": 60 * day, "10d": 21 * day, "25d": 25 * day, "forever": 0, "default": 40 * day} {
		synctest.Test(t, func(t *testing.T) {
			w := aged(t)
			w.Retention = func(context.Context, string) (int64, error) { return int64(40 * day / time.Second), nil }
			began := time.Now()
			time.Sleep(21 * day)
			for range 3 { // the same again is nothing
				w.retain(stream, retention)
			}
			for time.Since(began) < 100*day && !w.gone(stream) {
				w.minute()
				time.Sleep(day)
			}
			if took := time.Since(began) - day; w.gone(stream) != (want > 0) || want > 0 && took != want {
				t.Errorf("%s: gone %t after %s; want %s", retention, w.gone(stream), took, want)
			}
		})
	}
}

// A tenant's setting holds for a session from its next operation on, and never for one
// that has its own.
func TestATenantsRetention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lived(t)
		own := neighbours[0]
		w.retain(own, "7d")
		setting := 20 * day
		w.Retention = func(_ context.Context, tenant string) (int64, error) {
			if tenant != "acme" {
				return 0, nil
			}
			return int64(setting / time.Second), nil
		}
		opened, byFile, byCancel := eventstore.Stream{Tenant: "acme", Session: "new"}, eventstore.Stream{Tenant: "acme", Session: "file"}, eventstore.Stream{Tenant: "acme", Session: "cancelled"}
		_, err := w.PutFile(t.Context(), byFile, session.FileWrite{Path: "/x", Data: "x", Holds: func(string) bool { return true }})
		try(t, err)
		_, err = w.Cancel(t.Context(), byCancel, "unseen")
		try(t, err)
		want := func(s eventstore.Stream, days string, expires bool) {
			t.Helper()
			its, err := w.Session(t.Context(), s)
			try(t, err)
			if its.Retention != days || (its.ExpiresAt != nil) != expires {
				t.Errorf("%s: %s, expires at %v; want %s", s, its.Retention, its.ExpiresAt, days)
			}
		}
		want(byFile, "20d", true)
		want(byCancel, "20d", true)
		for _, s := range append(neighbours, stream, opened) {
			w.fill(s, "next")
			w.settle(s)
		}
		want(stream, "20d", true)
		want(opened, "20d", true)
		want(own, "7d", true)
		want(neighbours[2], "forever", false) // another tenant's
		setting = 30 * day
		w.fill(opened, "again")
		w.settle(opened)
		want(opened, "30d", true)
		w.fill(own, "again")
		w.settle(own)
		want(own, "7d", true)
		time.Sleep(20 * day)
		w.minute()
		for s, gone := range map[eventstore.Stream]bool{stream: true, byFile: true, byCancel: true, own: true, opened: false, neighbours[2]: false, neighbours[3]: false} {
			if w.gone(s) != gone {
				t.Errorf("%s: gone %t, want %t", s, !gone, gone)
			}
		}
	})
}

package sweep_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/sweep"
)

// Rows are stored: their keys and bytes must not change.
func TestStoredRowsNeverChange(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	data := `{"tenant":"acme","session":"s","openedAt":"2026-01-02T03:04:05.678901Z","deletedAt":"2026-01-02T03:05:05.678901Z"`
	want := []eventstore.Row{
		{RowKey: eventstore.RowKey{Partition: "#deleted#05", Sort: "2026-01-02T03:05:05.678901Z#acme#s"}, Kind: "deleted", Data: []byte(data + `}`)},
		{RowKey: eventstore.RowKey{Partition: "#deleted#05", Sort: "2026-01-02T04:05:05.678901Z#acme#s"}, Kind: "deleted", Data: []byte(data + `,"last":true}`)},
	}
	if d := cmp.Diff(want, sweep.Rows(stream, event.At(at), at.Add(time.Minute))); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
}

// lived is a session that is an hour and more old, busy, and watched, among neighbours
// that are as busy.
func lived(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for _, s := range append(neighbours, stream) {
		w.fill(s, "old")
	}
	time.Sleep(2 * time.Hour)
	for _, s := range append(neighbours, stream) {
		w.fill(s, "new")
		w.attend(s, "new")
	}
	time.Sleep(time.Minute)
	return w
}

// tombstone is what stays for good.
var tombstone = []string{"acme#s#commit " + eventstore.SeqKey(6)}

func TestTwoSweepsLeaveTheTombstoneAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lived(t)
		var theirs [][]string
		for _, s := range neighbours {
			theirs = append(theirs, w.left(s))
		}
		before := len(w.left(stream))
		try(t, w.Delete(t.Context(), stream))
		w.sweep()
		first := w.left(stream)
		want := []string{
			// What is young holds its place; so does the tombstone.
			"acme#s#commit " + eventstore.SeqKey(4), "acme#s#commit " + eventstore.SeqKey(5), tombstone[0],
		}
		var log, blobs, rows []string
		for _, key := range first {
			switch {
			case strings.HasPrefix(key, "acme#s#"):
				log = append(log, key)
			case strings.HasPrefix(key, "#"):
				rows = append(rows, key)
			case strings.HasPrefix(key, "acme/s/"):
				blobs = append(blobs, key)
			}
		}
		if d := cmp.Diff(want, log); d != "" || len(blobs) != 2 || len(rows) != 1 || before < 15 {
			t.Errorf("after the first sweep there are %d blobs and the rows %v, of %d items; the log (-want +got):\n%s", len(blobs), rows, before, d)
		}
		// Whoever was at work finds no hole, and puts what nobody will ask for.
		key := eventstore.BlobKey{Stream: stream, SHA256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"}
		try(t, w.blobs.PutBlob(t.Context(), key, "text/plain", []byte("foo")))
		w.says(stream, "new")
		w.orphan(stream)
		time.Sleep(sweep.Linger - time.Second)
		w.sweep()
		if n := len(w.left(stream)); n != len(first)+2 {
			t.Errorf("swept too early: %d items, were %d and 2", n, len(first))
		}
		time.Sleep(time.Second)
		w.sweep()
		if d := cmp.Diff(tombstone, w.left(stream)); d != "" {
			t.Errorf("left (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"token of acme/s"}, w.machine.answered); d != "" {
			t.Errorf("tokens that were answered (-want +got):\n%s", d)
		}
		for i, s := range neighbours {
			got := w.left(s)
			if s.Tenant == stream.Tenant { // they share the connection that was made an orphan
				theirs[i] = remove(theirs[i], "connection#c-acme connection")
			}
			if d := cmp.Diff(theirs[i], got); d != "" {
				t.Errorf("%s lost (-want +got):\n%s", s, d)
			}
		}
		time.Sleep(300 * 24 * time.Hour)
		if _, err := w.Submit(t.Context(), stream, session.Submission{Prompt: "p"}); fault.Of(err).Code != fault.SessionDeleted {
			t.Errorf("its name was given again: %v", err)
		}
		try(t, w.Delete(t.Context(), stream))
	})
}

func remove(all []string, one string) (rest []string) {
	for _, s := range all {
		if s != one {
			rest = append(rest, s)
		}
	}
	return rest
}

// Whatever the row says, the log decides.
func TestASessionThatIsNotDeletedIsNotSwept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := lived(t)
		other := neighbours[0]
		_, at, err := w.Journal.Head(t.Context(), other)
		try(t, err)
		_, _, err = w.Journal.Append(t.Context(), at, eventstore.Draft{
			Events: []event.Event{{At: event.At(time.Now()), Data: event.WorkspaceDeleted{Path: "/x"}}}, Rows: sweep.Rows(stream, event.At(time.Now()), time.Now()),
		})
		try(t, err)
		before := w.left(stream)
		for range 2 {
			if err := w.sweeper().Shard(t.Context(), index.Shard(stream)); eventstore.CodeOf(err) != eventstore.Invalid {
				t.Errorf("%v", err)
			}
			time.Sleep(sweep.Linger)
		}
		if d := cmp.Diff(before, w.left(stream)); d != "" {
			t.Errorf("it lost (-want +got):\n%s", d)
		}
	})
}

// A session takes more than one visit, one that cannot be read stands in its way, and the
// time is over in between.
func TestASweepGoesOnPastWhatFailsAndWhereItWasStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.fill(stream, "a")
		_, at, err := w.Journal.Head(t.Context(), stream)
		try(t, err)
		const commits = 5000
		bad := sweep.Rows(stream, event.At(time.Now()), time.Now())[:1]
		bad[0].Data = []byte(`{"tenant":""}`)
		for i := range commits {
			d := eventstore.Draft{Events: []event.Event{{At: event.At(time.Now()), Data: event.WorkspaceDeleted{Path: "/x"}}}, Claim: &eventstore.Claim{Key: fmt.Sprint("c", i)}}
			if i == 0 {
				d.Rows = bad
			}
			_, at, err = w.Journal.Append(t.Context(), at, d)
			try(t, err)
		}
		time.Sleep(2 * time.Hour)
		try(t, w.Delete(t.Context(), stream))
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if err := w.sweeper().Shard(over, index.Shard(stream)); err != nil {
			t.Errorf("its time was over: %v", err)
		}
		stopped, cancel := context.WithCancel(t.Context())
		visits := 0
		s := w.sweeper()
		wake := s.Wake
		s.Wake = func(ctx context.Context, of eventstore.Stream) error {
			if visits++; visits == 2 {
				cancel()
			}
			return wake(ctx, of)
		}
		if err := s.Shard(stopped, index.Shard(stream)); err != nil || visits != 2 {
			t.Errorf("stopped in visit %d: %v", visits, err)
		}
		if n := len(w.left(stream)); n < 2000 || n > 4500 {
			t.Errorf("two visits left %d items", n)
		}
		time.Sleep(sweep.Linger)
		if err := w.sweeper().Shard(t.Context(), index.Shard(stream)); eventstore.CodeOf(err) != eventstore.Corrupt {
			t.Errorf("%v; want the row named that cannot be read", err)
		}
		if n := len(w.left(stream)); n != 2 { // the tombstone, and that row
			t.Errorf("%d items are left: %v", n, w.left(stream))
		}
	})
}

package sweep_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/sweep"
)

// Who submits at the very moment is either before the deletion, which then does not
// happen, or is told. Each call of recover's to the log is that moment in turn.
func TestASubmissionThatMeetsTheDeletion(t *testing.T) {
	accepted, refused := 0, 0
	for n, calls := 1, 2; n < calls; n++ {
		synctest.Test(t, func(t *testing.T) {
			w := aged(t)
			time.Sleep(30 * day)
			var receipt session.Receipt
			var submitted error
			at := 0
			met := &meeting{Driver: w.log, before: func() {
				if at++; at == n {
					receipt, submitted = w.Submit(t.Context(), stream, session.Submission{OperationID: "late", Prompt: "p"})
				}
			}}
			j := eventstore.New(met, eventstore.WithBlobs(w.blobs))
			s := *w.Service
			s.Journal, s.Opened = j, &fold.Sessions{}
			try(t, s.Expire(t.Context(), index.Shard(stream)))
			if at < n {
				calls = n
				return
			}
			calls = n + 2
			switch {
			case w.gone(stream):
				refused++
				if submitted == nil || fault.Of(submitted).Code != fault.SessionDeleted {
					t.Errorf("call %d: deleted, and submitting was answered with %+v, %v", n, receipt, submitted)
				}
			default:
				accepted++
				o, err := w.Operation(t.Context(), stream, "late")
				if submitted != nil || !receipt.Accepted || err != nil || o.Status != "queued" {
					t.Errorf("call %d: %+v, %v; then %+v, %v", n, receipt, submitted, o, err)
				}
				w.settle(stream)
				time.Sleep(30 * day)
				w.minute()
				if !w.gone(stream) {
					t.Errorf("call %d: it is kept for ever", n)
				}
			}
		})
	}
	if accepted < 3 {
		t.Errorf("%d were accepted, %d refused: the test meets nothing", accepted, refused)
	}
	// What comes behind the last commit is refused: TestASessionIsDeletedWhenItsTimeIsOver.
}

// meeting is a log where something happens before each of recover's calls.
type meeting struct {
	*memory.Driver
	before func()
}

func (m *meeting) Append(ctx context.Context, w eventstore.Write) error {
	m.before()
	return m.Driver.Append(ctx, w)
}

func (m *meeting) Records(ctx context.Context, q eventstore.RecordQuery) ([]eventstore.Record, bool, error) {
	m.before()
	return m.Driver.Records(ctx, q)
}

func (m *meeting) Rows(ctx context.Context, q eventstore.RowQuery) ([]eventstore.Row, bool, error) {
	m.before()
	return m.Driver.Rows(ctx, q)
}

// Killed at each of its calls, carried out or not, and again in the run that follows.
func TestAnExpiryThatDiesAnywhereIsMadeGood(t *testing.T) {
	for _, after := range []bool{false, true} {
		for n, calls := 1, 2; n < calls; n++ {
			synctest.Test(t, func(t *testing.T) {
				w := aged(t)
				time.Sleep(30*day - time.Minute)
				w.attend(stream, "new")
				time.Sleep(time.Minute)
				dying := func(m *mortal) error {
					j := eventstore.New(mortalLog{w.log, m}, eventstore.WithBlobs(mortalBlobs{w.blobs, m}))
					s := *w.Service
					s.Journal, s.Opened = j, &fold.Sessions{}
					return s.Expire(t.Context(), index.Shard(stream))
				}
				if err := dying(&mortal{n: n, after: after}); err == nil {
					calls = n // it was over before
					return
				}
				calls = n + 2
				_ = dying(&mortal{n: n/2 + 1, after: !after})
				w.minute()
				time.Sleep(sweep.Linger)
				w.minute()
				if left := w.left(stream); len(left) != 1 || !strings.HasPrefix(left[0], "acme#s#commit ") {
					t.Errorf("dead at call %d, carried out %t: left %v", n, after, left)
				}
				if n > 100 {
					t.Fatal("it never ends")
				}
			})
		}
	}
}

// Runs at the same time delete once.
func TestExpiriesMayRunAtTheSameTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := aged(t)
		time.Sleep(30 * day)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if err := w.Expire(t.Context(), index.Shard(stream)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if !w.gone(stream) {
			t.Error("it is there")
		}
	})
}

// One call deletes so many, the next ones the rest; a row that cannot be read, and one
// that a build left which knew of none, are not in the way.
func TestAnExpiryIsBoundedAndGoesOnPastWhatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		var all []eventstore.Stream
		for i := 0; len(all) < 450; i++ {
			if s := (eventstore.Stream{Tenant: "acme", Session: fmt.Sprint("s-", i)}); index.Shard(s) == 3 {
				all = append(all, s)
			}
		}
		_, at, err := w.Journal.Head(t.Context(), stream)
		try(t, err)
		bad, stale := index.ExpiringRow(all[0], 1, event.At(time.Now())), index.ExpiringRow(all[1], 99, event.At(time.Now()))
		bad.Data = []byte(`{"tenant":""}`)
		_, _, err = w.Journal.Append(t.Context(), at, eventstore.Draft{Events: []event.Event{{At: event.At(time.Now()), Data: event.WorkspaceDeleted{Path: "/x"}}}, Rows: []eventstore.Row{bad, stale}})
		try(t, err)
		w.Retention = func(context.Context, string) (int64, error) { return 3600, nil }
		for _, s := range all {
			_, err := w.PutFile(t.Context(), s, session.FileWrite{Path: "/x", Data: "x", Holds: func(string) bool { return true }})
			try(t, err)
		}
		time.Sleep(time.Hour)
		for call, want := range []int{200, 400, 450} {
			if err := w.Expire(t.Context(), 3); eventstore.CodeOf(err) != eventstore.Corrupt {
				t.Errorf("call %d: %v; want the row named that cannot be read", call, err)
			}
			gone := 0
			for _, s := range all {
				if w.gone(s) {
					gone++
				}
			}
			if gone != want {
				t.Errorf("call %d: %d are gone, want %d", call, gone, want)
			}
		}
		if rows := w.expiring(); len(rows) != 1 {
			t.Errorf("rows %v, want the one that cannot be read", rows)
		}
		over, cancel := context.WithCancel(t.Context())
		cancel()
		try(t, w.Expire(over, 3))
	})
}

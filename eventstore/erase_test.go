package eventstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
)

// shut closes the stream with a commit of one event.
func shut(t *testing.T, d eventstore.Driver) eventstore.Position {
	t.Helper()
	last := eventstore.Draft{Events: []event.Event{{At: event.At(time.Unix(0, 0)), Data: event.SessionDeleted{}}}, Closes: true}
	_, after, err := eventstore.New(d).Append(t.Context(), head(t, d), last)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func TestNothingIsAppendedBehindTheCommitThatClosedTheStream(t *testing.T) {
	for _, n := range []int{0, 3} {
		d := flaky.New(memory.New(), nil)
		if commits(t, d, sizesOf(n)...); head(t, d).Closed() {
			t.Fatal("closed from the start")
		}
		early := head(t, d)
		ends := map[string]eventstore.Position{"the append's": shut(t, d), "the head's": head(t, d)}
		for _, c := range log(t, d, 0) {
			ends["a read's"] = c.After()
		}
		before := len(d.Calls())
		for name, at := range ends {
			_, _, err := eventstore.New(d).Append(t.Context(), at, draft(1))
			if eventstore.CodeOf(err) != eventstore.Closed || !at.Closed() || at.Seq() != uint64(n)+1 {
				t.Errorf("%s position, of seq %d: %v, want it %s", name, at.Seq(), err, eventstore.Closed)
			}
		}
		if sent := len(d.Calls()) - before; sent != 0 {
			t.Errorf("%d requests were made to refuse an append", sent)
		}
		var lost *eventstore.Conflict
		if _, _, err := eventstore.New(d).Append(t.Context(), early, draft(1)); !errors.As(err, &lost) || !lost.Existing.Closed {
			t.Errorf("who was there before: %v, want a conflict with the last commit", err)
		}
	}
}

func sizesOf(n int) (sizes []int) {
	for range n {
		sizes = append(sizes, 1)
	}
	return sizes
}

// Its events have to be there when everything else is gone, so they stand in the item.
func TestTheCommitThatClosesIsNeverKeptApart(t *testing.T) {
	d, b := memory.New(), memory.NewBlobs()
	j := eventstore.New(d, eventstore.WithBlobs(b))
	large := eventstore.Draft{Closes: true, Events: []event.Event{{Data: event.OperationFailed{Error: event.Error{Message: strings.Repeat("x", eventstore.SpillBody)}}}}}
	if _, _, err := j.Append(t.Context(), head(t, d), large); eventstore.CodeOf(err) != eventstore.TooLarge || len(b.Keys()) != 0 {
		t.Errorf("%v with %d blobs, want it %s", err, len(b.Keys()), eventstore.TooLarge)
	}
}

func TestNoValueIsKeptForAClosedStream(t *testing.T) {
	d, b := memory.New(), memory.NewBlobs()
	j := eventstore.New(d, eventstore.WithBlobs(b))
	value := strings.Repeat("x", event.MaxInline+1)
	if _, err := j.Keep(t.Context(), session, value, "text/plain"); err != nil || len(b.Keys()) != 1 {
		t.Fatalf("%v, %d blobs", err, len(b.Keys()))
	}
	shut(t, d)
	if _, err := j.Keep(t.Context(), session, value+"y", "text/plain"); eventstore.CodeOf(err) != eventstore.Closed || len(b.Keys()) != 1 {
		t.Errorf("%v, %d blobs; want it %s", err, len(b.Keys()), eventstore.Closed)
	}
}

// Whatever is missing was erased: a reader comes to the end at once, wherever it stood.
func TestAReaderOfAnErasedStreamGetsItsLastCommit(t *testing.T) {
	const n = 6
	for gone := range 1 << n {
		d := memory.New()
		commits(t, d, sizesOf(n)...)
		shut(t, d)
		for i := range n {
			if gone&(1<<i) != 0 {
				if err := d.Erase(t.Context(), eventstore.RowKey{Partition: eventstore.RecordPartition(session), Sort: eventstore.SeqKey(uint64(i) + 1)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for after := range uint64(n + 2) {
			var got, want []uint64
			for _, c := range log(t, d, after) {
				got = append(got, c.First)
			}
			for i := after; i < n && gone&(1<<i) == 0; i++ {
				want = append(want, i+1)
			}
			if after <= n {
				want = append(want, n+1)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%b are gone, after %d (-want +got):\n%s", gone, after, d)
			}
		}
	}
}

func TestAGapInAStreamThatIsNotClosedIsCorrupt(t *testing.T) {
	d := memory.New()
	commits(t, d, 1, 1, 1)
	_ = d.Erase(t.Context(), eventstore.RowKey{Partition: eventstore.RecordPartition(session), Sort: eventstore.SeqKey(2)})
	for _, err := range eventstore.New(d).Read(t.Context(), session, 0) {
		if err != nil {
			if eventstore.CodeOf(err) != eventstore.Corrupt {
				t.Errorf("%v", err)
			}
			return
		}
	}
	t.Error("nobody said so")
}

// erasing is a stream of commits of a minute each, with a claim and a blob a commit.
func erasing(t *testing.T, n int) (*eventstore.Journal, *memory.Driver, *memory.Blobs) {
	t.Helper()
	d, b := memory.New(), memory.NewBlobs()
	now := time.Unix(0, 0)
	j := eventstore.New(d, eventstore.WithBlobs(b), eventstore.WithClock(func() time.Time { now = now.Add(time.Minute); return now }), eventstore.WithRetry(eventstore.Retry{Attempt: time.Minute, Total: time.Minute}))
	other := eventstore.Stream{Tenant: session.Tenant, Session: session.Session + "-1"}
	for _, s := range []eventstore.Stream{session, other} {
		for i := range n {
			_, at, err := j.Head(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			c := draft(1)
			c.Claim = &eventstore.Claim{Key: fmt.Sprint("op-", i), Fingerprint: "f"}
			c.Rows = []eventstore.Row{{RowKey: eventstore.RowKey{Partition: s.String() + "#row", Sort: fmt.Sprint(i)}, Kind: "test", Data: []byte("{}")}}
			if _, _, err := j.Append(t.Context(), at, c); err != nil {
				t.Fatal(err)
			}
			if _, err := j.Put(t.Context(), s, fmt.Append(nil, i), "text/plain"); err != nil {
				t.Fatal(err)
			}
		}
	}
	return j, d, b
}

func TestOnlyAClosedStreamIsErased(t *testing.T) {
	j, d, b := erasing(t, 3)
	before := append(d.Keys(), b.Keys()...)
	if _, err := j.Erase(t.Context(), session, time.Now(), 100); eventstore.CodeOf(err) != eventstore.Invalid {
		t.Errorf("%v, want %s", err, eventstore.Invalid)
	}
	for _, partition := range []string{"", eventstore.RecordPartition(session), eventstore.ClaimKey(session, "k").Partition} {
		_, err := j.EraseRows(t.Context(), partition, "", 100)
		one := j.EraseRow(t.Context(), eventstore.RowKey{Partition: partition, Sort: eventstore.SeqKey(1)})
		if eventstore.CodeOf(err) != eventstore.Invalid || eventstore.CodeOf(one) != eventstore.Invalid {
			t.Errorf("rows of %q: %v, %v; want %s", partition, err, one, eventstore.Invalid)
		}
	}
	if d := cmp.Diff(before, append(d.Keys(), b.Keys()...)); d != "" {
		t.Errorf("erased (-want +got):\n%s", d)
	}
}

// In any bite, whatever was left by a call before, all goes but the last commit, and
// nothing of a session with a like name.
func TestErasingLeavesTheLastCommitAlone(t *testing.T) {
	for _, limit := range []int{1, 7, 200} {
		j, d, b := erasing(t, 150)
		shut(t, d)
		calls := 1
		for ; ; calls++ {
			more, err := j.Erase(t.Context(), session, time.Now().Add(time.Hour), limit)
			if err != nil {
				t.Fatal(err)
			}
			if !more {
				break
			}
		}
		for more := true; more; {
			var err error
			if more, err = j.EraseRows(t.Context(), session.String()+"#row", "", limit); err != nil {
				t.Fatal(err)
			}
		}
		var left []string
		for _, key := range append(d.Keys(), b.Keys()...) {
			if !strings.Contains(key, session.Session+"-1") {
				left = append(left, key)
			}
		}
		if d := cmp.Diff([]string{eventstore.RecordPartition(session) + " " + eventstore.SeqKey(151)}, left); d != "" {
			t.Errorf("%d at a time left (-want +got):\n%s", limit, d)
		}
		if n := len(d.Keys()) + len(b.Keys()); n != 150*4+1 {
			t.Errorf("%d at a time: %d keys are left, want those of the other session", limit, n)
		}
		if limit < 150 && calls < 150/limit {
			t.Errorf("%d at a time: done in %d calls", limit, calls)
		}
	}
}

func TestErasingKeepsWhatIsYounger(t *testing.T) {
	j, d, b := erasing(t, 10)
	shut(t, d)
	if more, err := j.Erase(t.Context(), session, time.Unix(0, 0).Add(4*time.Minute), 100); more || err != nil {
		t.Fatalf("%t, %v", more, err)
	}
	var firsts []uint64
	for _, c := range log(t, d, 3) {
		firsts = append(firsts, c.First)
	}
	if d := cmp.Diff([]uint64{4, 5, 6, 7, 8, 9, 10, 11}, firsts); d != "" {
		t.Errorf("commits (-want +got):\n%s", d)
	}
	if n := len(b.Keys()); n != 20 {
		t.Errorf("%d blobs, want all: they are younger", n)
	}
}

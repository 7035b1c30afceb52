package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"windlass/eventstore"
)

// eraseItems: a driver that does not erase has nothing to show here.
func eraseItems(t *testing.T, d eventstore.Driver) {
	e, ok := d.(eventstore.Eraser)
	if !ok {
		t.Skipf("%T erases nothing", d)
	}
	s, other := newStream(), newStream()
	row := func(s eventstore.Stream, sort string) eventstore.Row {
		return eventstore.Row{RowKey: eventstore.RowKey{Partition: s.String(), Sort: sort}, Kind: "test", Data: []byte("{}")}
	}
	first, second, theirs := newRecord(s, 1, 2), newRecord(s, 3, 1), newRecord(other, 1, 1)
	mustSend(t, d, eventstore.Write{Record: first, Claim: &eventstore.Claim{Key: "a", First: 1}, Rows: []eventstore.Row{row(s, "a")}})
	mustSend(t, d, eventstore.Write{Record: second, Claim: &eventstore.Claim{Key: "b", First: 3}, Rows: []eventstore.Row{row(s, "b")}})
	mustSend(t, d, eventstore.Write{Record: theirs, Claim: &eventstore.Claim{Key: "a", First: 1}, Rows: []eventstore.Row{row(other, "a")}})
	place := eventstore.RowKey{Partition: eventstore.RecordPartition(s), Sort: eventstore.SeqKey(1)}
	for range 2 { // again is as once
		for _, key := range []eventstore.RowKey{place, eventstore.ClaimKey(s, "a"), row(s, "a").RowKey} {
			if err := e.Erase(t.Context(), key); err != nil {
				t.Fatalf("%v: %v", key, err)
			}
		}
	}
	got, _ := all(t, d, forward(s))
	equal(t, "records", []eventstore.Record{second}, got)
	got, _ = all(t, d, forward(other))
	equal(t, "the other's records", []eventstore.Record{theirs}, got)
	for key, want := range map[eventstore.RowKey]bool{
		eventstore.ClaimKey(s, "a"): false, eventstore.ClaimKey(s, "b"): true, eventstore.ClaimKey(other, "a"): true,
		row(s, "a").RowKey: false, row(s, "b").RowKey: true, row(other, "a").RowKey: true,
	} {
		if _, found, err := d.Row(t.Context(), key); found != want || err != nil {
			t.Errorf("%v: found %t, %v", key, found, err)
		}
	}
	mustSend(t, d, eventstore.Write{Record: newRecord(s, 1, 2)}) // the place is free again: who must not take it is the Journal's to know
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.Erase(ctx, place); err == nil || eventstore.CodeOf(err) != eventstore.Unavailable {
		t.Errorf("a cancelled context: %v, want %s", err, eventstore.Unavailable)
	}
}

func eraseBlobs(t *testing.T, b eventstore.Blobs) {
	e, ok := b.(eventstore.BlobEraser)
	if !ok {
		t.Skipf("%T erases nothing", b)
	}
	began := time.Now().Add(-time.Minute) // S3 tells seconds, by its own clock
	mine, other := blobKey([]byte("0")), blobKey([]byte("0"))
	var hashes []string
	for i := range 5 {
		data := []byte(fmt.Sprint(i))
		for _, s := range []eventstore.Stream{mine.Stream, other.Stream} {
			key := blobKey(data)
			key.Stream = s
			putBlob(t, b, key, data)
			if s == mine.Stream {
				hashes = append(hashes, key.SHA256)
			}
		}
	}
	slices.Sort(hashes)
	listed(t, e, mine.Stream, began, hashes)
	for range 2 { // again is as once
		if err := e.EraseBlobs(t.Context(), mine.Stream, hashes[1:4]); err != nil {
			t.Fatal(err)
		}
	}
	listed(t, e, mine.Stream, began, []string{hashes[0], hashes[4]})
	listed(t, e, other.Stream, began, hashes)
	listed(t, e, blobKey(nil).Stream, began, nil)
}

// listed pages through a stream's blobs by two.
func listed(t *testing.T, e eventstore.BlobEraser, s eventstore.Stream, since time.Time, want []string) {
	t.Helper()
	var got []string
	for after, more := "", true; more; {
		var page []eventstore.Blob
		var err error
		page, more, err = e.ListBlobs(t.Context(), s, after, 2)
		if err != nil || len(page) > 2 || len(page) == 0 && more {
			t.Fatalf("%d blobs, more %t, %v", len(page), more, err)
		}
		for _, b := range page {
			if got = append(got, b.SHA256); b.Put.Before(since) || b.Put.After(time.Now().Add(time.Minute)) {
				t.Errorf("%s was put at %s", b.SHA256, b.Put)
			}
			after = b.SHA256
		}
	}
	equal(t, "blobs", want, got)
}

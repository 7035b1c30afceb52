package storetest

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
)

// Run checks a driver. open is called once for each case and may return the same
// backend every time.
func Run(t *testing.T, open func(t *testing.T) eventstore.Driver) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, eventstore.Driver)
	}{
		{"an empty stream has no records", emptyStream},
		{"a record comes back as it was", recordComesBack},
		{"bytes are copied at the border", bytesAreCopied},
		{"a commit at the limits is stored", commitAtTheLimits},
		{"a taken place is a conflict that shows who stands there", takenPlace},
		{"the same commit sent again stores nothing new", sameCommitAgain},
		{"a cancelled context is unavailable", cancelledContext},
		{"records are ordered as seqs are", orderOfSeqs},
		{"records page in both directions", recordPaging},
		{"a page of records is bounded in bytes", pageBytes},
		{"a limit under one is invalid", noLimit},
		{"one of 32 racers wins a place", racersForAPlace},
		{"one of 32 racers wins a claim", racersForAClaim},
		{"a claim can be read", claimCanBeRead},
		{"a taken claim decides before a taken place", takenClaim},
		{"a claimed commit sent again stores nothing new", claimedCommitAgain},
		{"claims belong to their stream", claimsOfStreams},
		{"rows are put, replaced and deleted", rowsMove},
		{"a refused append moves no row", rowsOfRefusedAppends},
		{"rows page in both directions", rowPaging},
		{"streams with like names are apart", likeNames},
		{"no id makes two streams one", noIDMakesTwoStreamsOne},
		{"what is erased is gone, and nothing else", eraseItems},
		{"any schedule of faults leaves one dense log", schedules},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

// deadline ends loops that poll a backend.
const deadline = 30 * time.Second

func newStream() eventstore.Stream {
	return eventstore.Stream{Tenant: "tenant", Session: ulid.Make().String()}
}

// newRecord makes a commit of n events. Drivers do not look into bodies.
func newRecord(s eventstore.Stream, first uint64, n int) eventstore.Record {
	return eventstore.Record{
		Stream: s, First: first, Last: first + uint64(n) - 1, ID: ulid.Make().String(),
		At:   time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC),
		Body: []byte("[1" + strings.Repeat(",1", n-1) + "]"),
	}
}

// send appends and repeats what was throttled, as the Journal does.
func send(t *testing.T, d eventstore.Driver, w eventstore.Write) error {
	t.Helper()
	for end := time.Now().Add(deadline); ; runtime.Gosched() {
		err := d.Append(t.Context(), w)
		if err == nil || eventstore.CodeOf(err) != eventstore.Throttled || time.Now().After(end) {
			return err
		}
	}
}

func mustSend(t *testing.T, d eventstore.Driver, w eventstore.Write) {
	t.Helper()
	if err := send(t, d, w); err != nil {
		t.Fatal(err)
	}
}

// all reads a whole stream, in pages of at most limit, and counts them.
func all(t *testing.T, d eventstore.Driver, q eventstore.RecordQuery) (records []eventstore.Record, pages int) {
	t.Helper()
	for {
		page, more, err := d.Records(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > q.Limit {
			t.Fatalf("a page of %d records, the limit is %d", len(page), q.Limit)
		}
		pages++
		records = append(records, page...)
		if !more {
			return records, pages
		}
		if len(page) == 0 {
			t.Fatal("an empty page says that there is more")
		}
		q.From = page[len(page)-1].Last + 1
		if q.Descending {
			if q.From = page[len(page)-1].First - 1; q.From == 0 {
				return records, pages
			}
		}
	}
}

func forward(s eventstore.Stream) eventstore.RecordQuery {
	return eventstore.RecordQuery{Stream: s, From: 1, Limit: 1000}
}

func allRows(t *testing.T, d eventstore.Driver, q eventstore.RowQuery) (rows []eventstore.Row, pages int) {
	t.Helper()
	for {
		page, more, err := d.Rows(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) > q.Limit {
			t.Fatalf("a page of %d rows, the limit is %d", len(page), q.Limit)
		}
		pages++
		rows = append(rows, page...)
		if !more {
			return rows, pages
		}
		if len(page) == 0 {
			t.Fatal("an empty page says that there is more")
		}
		q.After = page[len(page)-1].Sort
	}
}

// equal compares bytes as a whole: byte by byte a full item takes seconds.
func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got, cmp.Comparer(bytes.Equal)); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func cancelledContext(t *testing.T, d eventstore.Driver) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := newStream()
	_, _, records := d.Records(ctx, forward(s))
	_, _, row := d.Row(ctx, eventstore.ClaimKey(s, "k"))
	_, _, rows := d.Rows(ctx, eventstore.RowQuery{Partition: "p", Limit: 1})
	for name, err := range map[string]error{
		"append":  d.Append(ctx, eventstore.Write{Record: newRecord(s, 1, 1)}),
		"claim":   d.Append(ctx, eventstore.Write{Record: newRecord(s, 1, 1), Claim: &eventstore.Claim{Key: "k", First: 1}}),
		"records": records, "row": row, "rows": rows,
	} {
		if err == nil || eventstore.CodeOf(err) != eventstore.Unavailable {
			t.Errorf("%s: %v, want %s", name, err, eventstore.Unavailable)
		}
	}
}

func noLimit(t *testing.T, d eventstore.Driver) {
	s := newStream()
	for _, limit := range []int{0, -1} {
		_, _, records := d.Records(t.Context(), eventstore.RecordQuery{Stream: s, From: 1, Limit: limit})
		_, _, rows := d.Rows(t.Context(), eventstore.RowQuery{Partition: "p", Limit: limit})
		for _, err := range []error{records, rows} {
			if err == nil || eventstore.CodeOf(err) != eventstore.Invalid {
				t.Errorf("limit %d: %v, want %s", limit, err, eventstore.Invalid)
			}
		}
	}
}

func name(i int) string { return fmt.Sprintf("%03d", i) }

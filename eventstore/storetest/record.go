package storetest

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"windlass/eventstore"
)

func emptyStream(t *testing.T, d eventstore.Driver) {
	for _, descending := range []bool{false, true} {
		q := forward(newStream())
		q.Descending, q.From = descending, eventstore.MaxSeq
		page, more, err := d.Records(t.Context(), q)
		if len(page) != 0 || more || err != nil {
			t.Errorf("%v, more %v, %v: want nothing", page, more, err)
		}
	}
	if row, found, err := d.Row(t.Context(), eventstore.ClaimKey(newStream(), "k")); found || err != nil {
		t.Errorf("%v, %v, %v: want no row", row, found, err)
	}
	if page, more, err := d.Rows(t.Context(), eventstore.RowQuery{Partition: newStream().String(), Limit: 1}); len(page) != 0 || more || err != nil {
		t.Errorf("%v, more %v, %v: want no rows", page, more, err)
	}
}

func recordComesBack(t *testing.T, d eventstore.Driver) {
	s := newStream()
	bare := newRecord(s, 1, 1)
	full := newRecord(s, 2, 3)
	full.By, full.Wake, full.Settles = "turn-1/2026-01-02T03:04:05Z/0/request", true, true
	full.Summary = []byte(`{"head":"op-1"}`)
	full.Body = []byte("[\"quote \\\" and back \\\\\",\"\u2028 é 😀 <b>&\",  {\"a\" : 1e400}]")
	withRows := newRecord(s, 5, 1)
	withRows.By, withRows.Wake, withRows.Summary = full.By, true, full.Summary
	last := newRecord(s, 6, 1)
	last.Closed = true
	mustSend(t, d, eventstore.Write{Record: bare})
	mustSend(t, d, eventstore.Write{Record: last})
	mustSend(t, d, eventstore.Write{Record: full})
	mustSend(t, d, eventstore.Write{Record: withRows, Claim: &eventstore.Claim{Key: "k", Fingerprint: "f", First: 5},
		Rows: []eventstore.Row{{RowKey: eventstore.RowKey{Partition: s.String(), Sort: "a"}, Kind: "test", Data: []byte("{}")}}})
	got, _ := all(t, d, forward(s))
	equal(t, "records", []eventstore.Record{bare, full, withRows, last}, got)
}

func bytesAreCopied(t *testing.T, d eventstore.Driver) {
	s := newStream()
	key := eventstore.RowKey{Partition: s.String(), Sort: "a"}
	r := newRecord(s, 1, 1)
	r.Summary = []byte(`{"a":1}`)
	want := r
	want.Summary, want.Body = bytes.Clone(r.Summary), bytes.Clone(r.Body)
	data := []byte(`{"b":2}`)
	mustSend(t, d, eventstore.Write{Record: r, Rows: []eventstore.Row{{RowKey: key, Kind: "test", Data: data}}})
	scribble := func(b []byte) {
		for i := range b {
			b[i] = 'x'
		}
	}
	for _, b := range [][]byte{r.Summary, r.Body, data} {
		scribble(b)
	}
	for range 2 {
		got, _ := all(t, d, forward(s))
		equal(t, "records", []eventstore.Record{want}, got)
		row, _, err := d.Row(t.Context(), key)
		if err != nil || string(row.Data) != `{"b":2}` {
			t.Errorf("row %q, %v", row.Data, err)
		}
		scribble(got[0].Summary)
		scribble(got[0].Body)
		scribble(row.Data)
	}
}

func commitAtTheLimits(t *testing.T, d eventstore.Driver) {
	s := newStream()
	s.Tenant = strings.Repeat("t", eventstore.MaxID)
	s.Session += strings.Repeat("s", eventstore.MaxID-len(s.Session))
	r := newRecord(s, eventstore.MaxSeq, 1)
	r.By = strings.Repeat("b", eventstore.MaxName)
	r.Body = []byte(`["` + strings.Repeat("é", (eventstore.MaxInlineBody-4)/2) + `"]`)
	r.Summary = []byte(`"` + strings.Repeat("s", eventstore.MaxSummary-2) + `"`)
	plain := r
	plain.First, plain.Last, plain.ID = 1, 1, newRecord(s, 1, 1).ID
	w := eventstore.Write{Record: r, Claim: &eventstore.Claim{Key: strings.Repeat("k", eventstore.MaxID), Fingerprint: strings.Repeat("f", eventstore.MaxName), First: r.First}}
	for i := range eventstore.MaxRows {
		w.Rows = append(w.Rows, eventstore.Row{
			RowKey: eventstore.RowKey{Partition: strings.Repeat("p", eventstore.MaxName-len(s.Session)) + s.Session, Sort: strings.Repeat("r", eventstore.MaxName-3) + name(i)},
			Kind:   strings.Repeat("k", eventstore.MaxName), Data: []byte(`"` + strings.Repeat("d", eventstore.MaxRow-2) + `"`)})
	}
	mustSend(t, d, eventstore.Write{Record: plain})
	mustSend(t, d, w)
	got, _ := all(t, d, forward(s))
	equal(t, "records", []eventstore.Record{plain, r}, got)
	rows, pages := allRows(t, d, eventstore.RowQuery{Partition: w.Rows[0].Partition, Limit: 1000})
	equal(t, "rows", w.Rows, rows)
	if pages < 2 {
		t.Errorf("%d bytes of rows came in one page", eventstore.MaxRows*eventstore.MaxRow)
	}
}

func takenPlace(t *testing.T, d eventstore.Driver) {
	s := newStream()
	first, second := newRecord(s, 1, 3), newRecord(s, 1, 1)
	mustSend(t, d, eventstore.Write{Record: first})
	row := []eventstore.Row{{RowKey: eventstore.RowKey{Partition: s.String(), Sort: "a"}, Kind: "test", Data: []byte("{}")}}
	for name, w := range map[string]eventstore.Write{
		"alone": {Record: second}, "with rows": {Record: second, Rows: row},
		"with a free claim": {Record: second, Claim: &eventstore.Claim{Key: "k", First: 1}},
	} {
		var lost *eventstore.Conflict
		if err := send(t, d, w); !errors.As(err, &lost) {
			t.Fatalf("%s: %v, want a conflict", name, err)
		}
		equal(t, name+": who stands there", first, lost.Existing)
	}
	got, _ := all(t, d, forward(s))
	equal(t, "records", []eventstore.Record{first}, got)
}

func sameCommitAgain(t *testing.T, d eventstore.Driver) {
	s := newStream()
	r := newRecord(s, 1, 2)
	w := eventstore.Write{Record: r}
	mustSend(t, d, w)
	ownAnswer(t, send(t, d, w), r)
	mustSend(t, d, eventstore.Write{Record: newRecord(s, 3, 1)})
	ownAnswer(t, send(t, d, w), r)
	if got, _ := all(t, d, forward(s)); len(got) != 2 {
		t.Errorf("%d records, want 2", len(got))
	}
}

// ownAnswer is what a commit may be told that is stored already.
func ownAnswer(t *testing.T, err error, own eventstore.Record) {
	t.Helper()
	var lost *eventstore.Conflict
	var claimed *eventstore.Claimed
	switch {
	case err == nil:
	case errors.As(err, &lost):
		equal(t, "conflict", own, lost.Existing)
	case errors.As(err, &claimed) && claimed.Commit != nil:
		equal(t, "claimed", own, *claimed.Commit)
	default:
		t.Errorf("%v: want nil or an answer that shows the commit itself", err)
	}
}

func orderOfSeqs(t *testing.T, d eventstore.Driver) {
	s := newStream()
	var want []uint64
	for _, first := range []uint64{100, 9, eventstore.MaxSeq, 10, 1, 1 << 32, 99} {
		mustSend(t, d, eventstore.Write{Record: newRecord(s, first, 1)})
		want = append(want, first)
	}
	slices.Sort(want)
	got, _ := all(t, d, forward(s))
	equal(t, "ascending", want, firsts(got))
	slices.Reverse(want)
	got, _ = all(t, d, eventstore.RecordQuery{Stream: s, From: eventstore.MaxSeq, Descending: true, Limit: 3})
	equal(t, "descending", want, firsts(got))
}

func firsts(records []eventstore.Record) (f []uint64) {
	for _, r := range records {
		f = append(f, r.First)
	}
	return f
}

func recordPaging(t *testing.T, d eventstore.Driver) {
	s := newStream()
	for first := uint64(1); first <= 19; first += 3 {
		mustSend(t, d, eventstore.Write{Record: newRecord(s, first, 3)})
	}
	for _, c := range []struct {
		from       uint64
		descending bool
		limit      int
		want       []uint64
	}{
		{1, false, math.MaxInt32, []uint64{1, 4, 7, 10, 13, 16, 19}},
		{1, false, math.MaxInt, []uint64{1, 4, 7, 10, 13, 16, 19}},
		{1, false, 1, []uint64{1}},
		{1, false, 3, []uint64{1, 4, 7}},
		{7, false, 2, []uint64{7, 10}},
		{8, false, 2, []uint64{10, 13}},
		{19, false, 2, []uint64{19}},
		{20, false, 2, nil},
		{eventstore.MaxSeq, true, 1, []uint64{19}},
		{19, true, 2, []uint64{19, 16}},
		{18, true, 2, []uint64{16, 13}},
		{5, true, 9, []uint64{4, 1}},
		{1, true, 9, []uint64{1}},
	} {
		page, more, err := d.Records(t.Context(), eventstore.RecordQuery{Stream: s, From: c.from, Descending: c.descending, Limit: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "page", c.want, firsts(page))
		if end := len(c.want) == 0 || c.want[len(c.want)-1] == 1 && c.descending || c.want[len(c.want)-1] == 19 && !c.descending; !end && !more {
			t.Errorf("%+v: says that this is the end", c)
		}
	}
	for limit := 1; limit <= 8; limit++ {
		q := forward(s)
		q.Limit = limit
		got, _ := all(t, d, q)
		equal(t, "ascending", []uint64{1, 4, 7, 10, 13, 16, 19}, firsts(got))
		q.Descending, q.From = true, 19
		got, _ = all(t, d, q)
		equal(t, "descending", []uint64{19, 16, 13, 10, 7, 4, 1}, firsts(got))
	}
}

func pageBytes(t *testing.T, d eventstore.Driver) {
	s := newStream()
	const n, size = 8, 300 << 10
	for i := range n {
		r := newRecord(s, uint64(i+1), 1)
		r.Body = []byte(`["` + strings.Repeat("x", size) + `"]`)
		mustSend(t, d, eventstore.Write{Record: r})
	}
	q := forward(s)
	page, more, err := d.Records(t.Context(), q)
	if err != nil || len(page) == 0 || len(page)*size > eventstore.PageBytes+size || !more {
		t.Errorf("%d records of %d bytes in a page, more %v, %v", len(page), size, more, err)
	}
	got, _ := all(t, d, q)
	equal(t, "ascending", []uint64{1, 2, 3, 4, 5, 6, 7, 8}, firsts(got))
	q.Descending, q.From = true, n
	got, _ = all(t, d, q)
	equal(t, "descending", []uint64{8, 7, 6, 5, 4, 3, 2, 1}, firsts(got))
}

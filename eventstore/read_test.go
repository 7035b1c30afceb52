package eventstore_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
)

func TestReadStartsAtTheCommitThatContainsTheNextSeq(t *testing.T) {
	d := memory.New()
	commits(t, d, 1, 3, 1, 2) // 1, 2-4, 5, 6-7
	for after, want := range map[uint64][]uint64{
		0: {1, 2, 5, 6}, 1: {2, 5, 6}, 2: {2, 5, 6}, 3: {2, 5, 6}, 4: {5, 6}, 5: {6}, 6: {6}, 7: nil, 8: nil, 100: nil,
		eventstore.MaxSeq - 1: nil, eventstore.MaxSeq: nil, math.MaxUint64: nil,
	} {
		var got []uint64
		for _, c := range log(t, d, after) {
			got = append(got, c.First)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("after %d (-want +got):\n%s", after, d)
		}
	}
}

// Without a key for the next seq, the look for its commit would find nothing and
// the whole log would be read to be passed over.
func TestCursorBeyondTheLastSeqReadsNothing(t *testing.T) {
	for _, after := range []uint64{eventstore.MaxSeq, math.MaxUint64} {
		d := flaky.New(memory.New(), nil)
		for range eventstore.New(d).Read(t.Context(), session, after) {
			t.Errorf("after %d: there is something", after)
		}
		if n := len(d.Calls()); n != 0 {
			t.Errorf("after %d: %d reads", after, n)
		}
	}
}

func TestReadOfAnEmptyStreamIsEmpty(t *testing.T) {
	for _, after := range []uint64{0, 1, 7} {
		if got := log(t, memory.New(), after); got != nil {
			t.Errorf("after %d: %v", after, got)
		}
	}
}

func TestReadPagesThroughALongLog(t *testing.T) {
	d := memory.New()
	want := commits(t, d, sizes(9)...)
	got := log(t, d, 0)
	if len(got) != len(want) || got[len(got)-1].Last != want[len(want)-1] {
		t.Errorf("read %d commits, want %d", len(got), len(want))
	}
	for range eventstore.New(d).Read(t.Context(), session, 0) {
		break // stops at once
	}
}

// sizes are commits of which a few fill a page.
func sizes(n int) (s []int) {
	for range n {
		s = append(s, 2500)
	}
	return s
}

// growing appends more commits right before its n-th read of records.
type growing struct {
	*memory.Driver
	reads int
	at    int
	grow  func()
}

func (g *growing) Records(ctx context.Context, q eventstore.RecordQuery) ([]eventstore.Record, bool, error) {
	if g.reads++; g.reads == g.at {
		g.grow()
	}
	return g.Driver.Records(ctx, q)
}

// A cursor may lie beyond the end. Commits that land between the look for its
// commit and the read are neither a gap nor before the cursor.
func TestLogThatGrowsDuringAReadIsNotCorrupt(t *testing.T) {
	for after := uint64(0); after < 9; after++ {
		for at := 1; at <= 2; at++ {
			d := memory.New()
			commits(t, d, 1, 2)
			g := &growing{Driver: d, at: at, grow: func() { commits(t, d, 1, 3, 1) }} // 4, 5-7, 8
			var got []uint64
			for c, err := range eventstore.New(g).Read(t.Context(), session, after) {
				if err != nil {
					t.Fatalf("after %d, grown before read %d: %v", after, at, err)
				}
				if c.Last <= after {
					t.Errorf("after %d: seqs %d to %d", after, c.First, c.Last)
				}
				got = append(got, c.First)
			}
		}
	}
}

// stored is a driver that holds just these records, as a broken backend might.
type stored struct {
	eventstore.Driver
	records []eventstore.Record
}

func (s stored) Records(_ context.Context, q eventstore.RecordQuery) (page []eventstore.Record, more bool, err error) {
	for i := range s.records {
		if q.Descending {
			i = len(s.records) - 1 - i
		}
		if r := s.records[i]; len(page) < q.Limit && (!q.Descending && r.First >= q.From || q.Descending && r.First <= q.From) {
			page = append(page, r)
		}
	}
	return page, false, nil
}

func TestBrokenLogIsCorrupt(t *testing.T) {
	one := `{"type":"operation.started","v":1,"at":"2026-01-02T03:04:05.000000Z","data":{}}`
	rec := func(first, last uint64, body string) eventstore.Record {
		return eventstore.Record{Stream: session, First: first, Last: last, ID: "id", Body: []byte(body)}
	}
	for name, records := range map[string][]eventstore.Record{
		"it does not begin at 1":      {rec(2, 2, "["+one+"]")},
		"a gap":                       {rec(1, 1, "["+one+"]"), rec(3, 3, "["+one+"]")},
		"a seq is covered twice":      {rec(1, 2, "["+one+","+one+"]"), rec(2, 2, "["+one+"]")},
		"a commit stands there twice": {rec(1, 1, "["+one+"]"), rec(1, 1, "["+one+"]")},
		"fewer events than it says":   {rec(1, 2, "["+one+"]")},
		"more events than it says":    {rec(1, 1, "["+one+","+one+"]")},
		"no events":                   {rec(1, 1, "[]")},
		"null":                        {rec(1, 1, "null")},
		"a torn body":                 {rec(1, 1, "["+one)},
		"no body":                     {rec(1, 1, "")},
		"an event without a type":     {rec(1, 1, `[{"v":1,"data":{}}]`)},
		"it ends before it begins":    {rec(1, 0, "[]")},
		"seq 0":                       {rec(0, 0, "["+one+"]"), rec(1, 1, "["+one+"]")},
		"another stream's":            {{Stream: eventstore.Stream{Tenant: "acme", Session: "s-2"}, First: 1, Last: 1, Body: []byte("[" + one + "]")}},
	} {
		var last error
		yielded := 0
		for _, err := range eventstore.New(stored{records: records}).Read(t.Context(), session, 0) {
			if last != nil {
				t.Errorf("%s: read on behind an error", name)
			}
			last = err
			yielded++
		}
		if name == "seq 0" {
			continue // nobody looks before seq 1; the head's check is below
		}
		if last == nil || eventstore.CodeOf(last) != eventstore.Corrupt {
			t.Errorf("%s: %v after %d commits, want %s", name, last, yielded, eventstore.Corrupt)
		}
	}
}

// A position from a torn head could point into a commit.
func TestTornHeadGivesNoPosition(t *testing.T) {
	for _, r := range []eventstore.Record{
		{Stream: session, First: 5, Last: 4}, {Stream: session, First: 5}, {Stream: session}, {Stream: session, First: 1, Last: eventstore.MaxSeq + 1},
		{Stream: eventstore.Stream{Tenant: "acme", Session: "s-2"}, First: 1, Last: 1},
	} {
		_, at, err := eventstore.New(stored{records: []eventstore.Record{r}}).Head(t.Context(), session)
		if err == nil || eventstore.CodeOf(err) != eventstore.Corrupt || at != (eventstore.Position{}) {
			t.Errorf("%+v: %v, %v, want %s", r, at, err, eventstore.Corrupt)
		}
	}
}

func TestMissingClaimsAndRowsAreNotFound(t *testing.T) {
	j := eventstore.New(memory.New())
	_, claim := j.Claim(t.Context(), session, "op-1")
	_, row := j.Row(t.Context(), eventstore.RowKey{Partition: "p", Sort: "s"})
	for _, err := range []error{claim, row} {
		var e *eventstore.Error
		if !errors.As(err, &e) || e.Code != eventstore.NotFound {
			t.Errorf("%v, want %s", err, eventstore.NotFound)
		}
	}
}

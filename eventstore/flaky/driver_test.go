package flaky_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/eventstore/storetest"
)

func TestWithoutAScriptTheContractIsKept(t *testing.T) {
	storetest.Run(t, func(*testing.T) eventstore.Driver { return flaky.New(memory.New(), nil) })
}

func TestSentTwiceTheContractIsKept(t *testing.T) {
	d := flaky.New(memory.New(), flaky.Script{{When: flaky.From(1), Do: flaky.Twice}})
	if err := d.Append(t.Context(), write(1)); eventstore.CodeOf(err) != eventstore.LostRace {
		t.Errorf("%v, want the second answer", err)
	}
}

var stream = eventstore.Stream{Tenant: "t", Session: "s"}

func write(first uint64) eventstore.Write {
	return eventstore.Write{Record: eventstore.Record{Stream: stream, First: first, Last: first, ID: fmt.Sprint("id-", first), By: fmt.Sprint("by-", first%2), Body: []byte("[1]")}}
}

func stored(t *testing.T, d eventstore.Driver) (firsts []uint64) {
	t.Helper()
	page, _, err := d.Records(t.Context(), eventstore.RecordQuery{Stream: stream, From: 1, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range page {
		firsts = append(firsts, r.First)
	}
	return firsts
}

func TestEachFaultDoesWhatItSays(t *testing.T) {
	for fault, want := range map[flaky.Fault]struct {
		code   eventstore.Code // empty for no error
		stored int
		landed int
	}{
		flaky.Pass: {"", 1, 1}, flaky.Throttle: {eventstore.Throttled, 0, 0}, flaky.Fail: {eventstore.Unavailable, 0, 0},
		flaky.Lose: {eventstore.Unavailable, 1, 1}, flaky.Twice: {eventstore.LostRace, 1, 1}, flaky.Hold: {eventstore.Unavailable, 0, 1},
	} {
		m := memory.New()
		d := flaky.New(m, flaky.Sequence(fault))
		err := d.Append(t.Context(), write(1))
		if (err == nil) != (want.code == "") || err != nil && eventstore.CodeOf(err) != want.code {
			t.Errorf("%s: %v, want %q", fault, err, want.code)
		}
		if n := len(stored(t, m)); n != want.stored {
			t.Errorf("%s: %d stored, want %d", fault, n, want.stored)
		}
		if err := d.Land(t.Context()); err != nil {
			t.Errorf("%s: landed: %v", fault, err)
		}
		if n := len(stored(t, m)); n != want.landed {
			t.Errorf("%s: %d stored in the end, want %d", fault, n, want.landed)
		}
	}
}

func TestHeldRequestsLandInOrderAsTheyWereSent(t *testing.T) {
	m := memory.New()
	d := flaky.New(m, flaky.Script{{When: flaky.Every(flaky.Append), Do: flaky.Hold}})
	for first := range uint64(3) {
		w := write(first + 1)
		_ = d.Append(t.Context(), w)
		w.Record.Body[1] = 'x' // the sender's bytes are its own again
	}
	if err := d.Land(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.Drop()
	if n := len(d.Held()); n != 1 {
		t.Errorf("%d held, want 1", n)
	}
	if err := d.Land(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]uint64{1, 3}, stored(t, m)); diff != "" {
		t.Error(diff)
	}
	page, _, err := m.Records(t.Context(), eventstore.RecordQuery{Stream: stream, From: 1, Limit: 1})
	if err != nil || string(page[0].Body) != "[1]" {
		t.Errorf("%q, %v", page[0].Body, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Land(ctx); err != nil {
		t.Errorf("nothing is held: %v", err)
	}
}

func TestReadsFailByScript(t *testing.T) {
	key := eventstore.RowKey{Partition: "p", Sort: "s"}
	for fault, want := range map[flaky.Fault]eventstore.Code{flaky.Throttle: eventstore.Throttled, flaky.Fail: eventstore.Unavailable, flaky.Lose: eventstore.Unavailable, flaky.Hold: eventstore.Unavailable} {
		d := flaky.New(memory.New(), flaky.Script{{When: flaky.Reads, Do: fault}})
		_, _, records := d.Records(t.Context(), eventstore.RecordQuery{Stream: stream, From: 1, Limit: 1})
		_, _, row := d.Row(t.Context(), key)
		_, _, rows := d.Rows(t.Context(), eventstore.RowQuery{Partition: "p", Limit: 1})
		for _, err := range []error{records, row, rows} {
			if err == nil || eventstore.CodeOf(err) != want {
				t.Errorf("%s: %v, want %s", fault, err, want)
			}
		}
		if n := len(d.Held()); n != 0 {
			t.Errorf("%s: %d reads are held", fault, n)
		}
	}
}

func TestRulesAreTriedFromTheTop(t *testing.T) {
	d := flaky.New(memory.New(), flaky.Script{
		{When: flaky.By("by-0"), Do: flaky.Throttle},
		{When: flaky.Nth(flaky.Append, 2), Do: flaky.Fail},
		{When: flaky.Number(3), Do: flaky.Fail},
	})
	var got []eventstore.Code
	for _, first := range []uint64{1, 2, 3, 5} {
		code := eventstore.Code("")
		if err := d.Append(t.Context(), write(first)); err != nil {
			code = eventstore.CodeOf(err)
		}
		got = append(got, code)
	}
	if diff := cmp.Diff([]eventstore.Code{"", eventstore.Throttled, eventstore.Unavailable, ""}, got); diff != "" {
		t.Error(diff)
	}
	if calls := d.Calls(); len(calls) != 4 || calls[3].Nth != 4 || calls[3].Write.Record.First != 5 {
		t.Errorf("%+v", calls)
	}
}

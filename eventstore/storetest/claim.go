package storetest

import (
	"errors"
	"testing"

	"windlass/eventstore"
)

func claimAt(key, fingerprint string, first uint64) *eventstore.Claim {
	return &eventstore.Claim{Key: key, Fingerprint: fingerprint, First: first}
}

func claimCanBeRead(t *testing.T, d eventstore.Driver) {
	s := newStream()
	want := *claimAt("op-1", "v1:<f>&", 2)
	mustSend(t, d, eventstore.Write{Record: newRecord(s, 1, 2), Claim: &want})
	row, found, err := d.Row(t.Context(), eventstore.ClaimKey(s, "op-1"))
	if !found || err != nil {
		t.Fatalf("%v, %v", found, err)
	}
	got, err := eventstore.DecodeClaim(row.Data)
	if err != nil || row.Kind != eventstore.KindClaim || row.RowKey != eventstore.ClaimKey(s, "op-1") {
		t.Errorf("%+v, %v", row, err)
	}
	equal(t, "claim", want, got)
}

func takenClaim(t *testing.T, d eventstore.Driver) {
	s := newStream()
	holder := newRecord(s, 1, 2)
	claim := claimAt("op-1", "one", 2)
	mustSend(t, d, eventstore.Write{Record: holder, Claim: claim})
	for name, c := range map[string]struct {
		first  uint64
		commit *eventstore.Record
	}{
		"at a free place":         {3, nil},
		"at the claim's own":      {1, &holder},
		"at a free place, beyond": {9, nil},
	} {
		w := eventstore.Write{Record: newRecord(s, c.first, 1), Claim: claimAt("op-1", "two", c.first),
			Rows: []eventstore.Row{{RowKey: eventstore.RowKey{Partition: s.String(), Sort: "a"}, Kind: "test", Data: []byte("{}")}}}
		var claimed *eventstore.Claimed
		if err := send(t, d, w); !errors.As(err, &claimed) {
			t.Fatalf("%s: %v, want claimed", name, err)
		}
		equal(t, name+": who holds it", *claim, claimed.Existing)
		equal(t, name+": who stands there", c.commit, claimed.Commit)
	}
	other := newRecord(s, 3, 1)
	mustSend(t, d, eventstore.Write{Record: other})
	var claimed *eventstore.Claimed
	if err := send(t, d, eventstore.Write{Record: newRecord(s, 3, 1), Claim: claimAt("op-1", "two", 3)}); !errors.As(err, &claimed) {
		t.Fatalf("claim and place taken: %v, want claimed", err)
	}
	equal(t, "who stands there", &other, claimed.Commit)
	got, _ := all(t, d, forward(s))
	equal(t, "records", []eventstore.Record{holder, other}, got)
	if _, found, err := d.Row(t.Context(), eventstore.RowKey{Partition: s.String(), Sort: "a"}); found || err != nil {
		t.Errorf("the row of a refused append: %v, %v", found, err)
	}
}

func claimedCommitAgain(t *testing.T, d eventstore.Driver) {
	s := newStream()
	r := newRecord(s, 1, 1)
	key := eventstore.RowKey{Partition: s.String(), Sort: "a"}
	w := eventstore.Write{Record: r, Claim: claimAt("op-1", "f", 1), Rows: []eventstore.Row{{RowKey: key, Kind: "test", Data: []byte("1")}}}
	mustSend(t, d, w)
	ownAnswer(t, send(t, d, w), r)
	mustSend(t, d, eventstore.Write{Record: newRecord(s, 2, 1), Rows: []eventstore.Row{{RowKey: key, Kind: "test", Data: []byte("2")}}})
	ownAnswer(t, send(t, d, w), r)
	if row, _, err := d.Row(t.Context(), key); err != nil || string(row.Data) != "2" {
		t.Errorf("a late copy moved the row back: %q, %v", row.Data, err)
	}
	if got, _ := all(t, d, forward(s)); len(got) != 2 {
		t.Errorf("%d records, want 2", len(got))
	}
}

func claimsOfStreams(t *testing.T, d eventstore.Driver) {
	one, two := newStream(), newStream()
	mustSend(t, d, eventstore.Write{Record: newRecord(one, 1, 1), Claim: claimAt("op-1", "f", 1)})
	mustSend(t, d, eventstore.Write{Record: newRecord(two, 1, 1), Claim: claimAt("op-1", "g", 1)})
	mustSend(t, d, eventstore.Write{Record: newRecord(one, 2, 1), Claim: claimAt("op-2", "f", 2)})
}

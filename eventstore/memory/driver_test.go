package memory

import (
	"testing"

	"windlass/eventstore"
	"windlass/eventstore/storetest"
)

func TestDriverKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) eventstore.Driver { return New() })
}

func TestBreakingTheLogsLawPanics(t *testing.T) {
	s := eventstore.Stream{Tenant: "t", Session: "s"}
	stored := eventstore.Write{
		Record: eventstore.Record{Stream: s, First: 1, Last: 1, ID: "one", Body: []byte("[1]")},
		Claim:  &eventstore.Claim{Key: "k", First: 1},
	}
	row := func(key eventstore.RowKey, kind string) eventstore.Write {
		return eventstore.Write{
			Record: eventstore.Record{Stream: s, First: 2, Last: 2, ID: "two", Body: []byte("[1]")},
			Rows:   []eventstore.Row{{RowKey: key, Kind: kind, Data: []byte("{}")}},
		}
	}
	elsewhere, altered := stored, stored
	elsewhere.Record.First, elsewhere.Record.Last = 2, 2
	altered.Record.Body = []byte("[2]")
	for name, w := range map[string]eventstore.Write{
		"a commit at a second place":       elsewhere,
		"a commit with another content":    altered,
		"a row over a commit":              row(eventstore.RowKey{Partition: eventstore.RecordPartition(s), Sort: eventstore.SeqKey(1)}, "test"),
		"a row over a claim":               row(eventstore.ClaimKey(s, "k"), "test"),
		"a row that says it was a commit":  row(eventstore.RowKey{Partition: "p", Sort: "s"}, eventstore.KindCommit),
		"a row that says it claims a name": row(eventstore.RowKey{Partition: "p", Sort: "s"}, eventstore.KindClaim),
	} {
		t.Run(name, func(t *testing.T) {
			d := New()
			if err := d.Append(t.Context(), stored); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if recover() == nil {
					t.Error("was let through")
				}
			}()
			_ = d.Append(t.Context(), w)
		})
	}
}

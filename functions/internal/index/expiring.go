package index

import (
	"encoding/json"
	"fmt"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// Expiring is the row of a session that will be deleted if nothing happens in it before.
// The commit behind which that holds puts it, and the next commit, whatever it is, takes
// it away: it is true as long as Seq is the session's last.
type Expiring struct {
	Tenant  string     `json:"tenant"`
	Session string     `json:"session"`
	Seq     uint64     `json:"seq"`
	At      event.Time `json:"expiresAt"`
}

// ExpiringRow is the row of a session that expires at a time if seq stays its last.
func ExpiringRow(s eventstore.Stream, seq uint64, at event.Time) eventstore.Row {
	return row(expiringKey(s, seq, at), "expiring", Expiring{s.Tenant, s.Session, seq, at})
}

// ExpiringRows are what the commit behind seq before takes away, and what it puts if seq
// after is its last; a zero time is none.
func ExpiringRows(s eventstore.Stream, before uint64, was event.Time, after uint64, is event.Time) (rows []eventstore.Row) {
	if !was.IsZero() {
		rows = append(rows, eventstore.Row{RowKey: expiringKey(s, before, was), Kind: "expiring"})
	}
	if !is.IsZero() {
		rows = append(rows, ExpiringRow(s, after, is))
	}
	return rows
}

// expiringKey is never a second row's: a seq is the last of one commit at most.
func expiringKey(s eventstore.Stream, seq uint64, at event.Time) eventstore.RowKey {
	return eventstore.RowKey{
		Partition: ExpiringPartition(Shard(s)),
		Sort:      at.UTC().Format(event.TimeLayout) + "#" + s.Tenant + "#" + s.Session + "#" + eventstore.SeqKey(seq),
	}
}

// ExpiringPartition is where a shard's rows stand, by their time.
func ExpiringPartition(shard int) string { return fmt.Sprintf("#expiring#%02d", shard) }

// DecodeExpiring reads a row.
func DecodeExpiring(r eventstore.Row) (Expiring, error) {
	var e Expiring
	if err := json.Unmarshal(r.Data, &e); err != nil || e.Tenant == "" || e.Session == "" || e.Seq == 0 || e.At.IsZero() {
		return Expiring{}, eventstore.Errorf(eventstore.Corrupt, "expiring row", "%s: %v", r.Sort, err)
	}
	return e, nil
}

// moved are the rows of a commit that leads from one state to another.
func moved(s eventstore.Stream, from, to *turn.State) []eventstore.Row {
	return ExpiringRows(s, from.Seq, from.ExpiresAt(), to.Seq, to.ExpiresAt())
}

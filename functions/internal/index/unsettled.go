package index

import (
	"encoding/json"
	"fmt"
	"hash/fnv"

	"windlass/eventstore"
)

// Shards spread the unsettled rows over partitions. A stored row does not move:
// the number may grow only together with reading the old ones.
const Shards = 16

// Unsettled is the row of an operation that is not settled.
type Unsettled struct {
	Tenant  string `json:"tenant"`
	Session string `json:"session"`
	// Operation is there for people.
	Operation string `json:"operationId"`
}

// UnsettledRow is the row of an operation that was accepted at firstSeq.
func UnsettledRow(s eventstore.Stream, operation string, firstSeq uint64) eventstore.Row {
	return row(unsettledKey(s, firstSeq), "unsettled", Unsettled{s.Tenant, s.Session, operation})
}

// SettledRow deletes it.
func SettledRow(s eventstore.Stream, firstSeq uint64) eventstore.Row {
	return eventstore.Row{RowKey: unsettledKey(s, firstSeq), Kind: "unsettled"}
}

// Shard is a session's.
func Shard(s eventstore.Stream) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.Tenant + "#" + s.Session))
	return int(h.Sum32() % Shards)
}

func unsettledKey(s eventstore.Stream, firstSeq uint64) eventstore.RowKey {
	return eventstore.RowKey{
		Partition: UnsettledPartition(Shard(s)),
		Sort:      s.Tenant + "#" + s.Session + "#" + eventstore.SeqKey(firstSeq),
	}
}

// UnsettledPartition is where a shard's rows stand.
func UnsettledPartition(shard int) string { return fmt.Sprintf("#unsettled#%02d", shard) }

// DecodeUnsettled reads a row: the stream to look at.
func DecodeUnsettled(r eventstore.Row) (eventstore.Stream, error) {
	var u Unsettled
	if err := json.Unmarshal(r.Data, &u); err != nil || u.Tenant == "" || u.Session == "" {
		return eventstore.Stream{}, eventstore.Errorf(eventstore.Corrupt, "unsettled row", "%s: %v", r.Sort, err)
	}
	return eventstore.Stream{Tenant: u.Tenant, Session: u.Session}, nil
}

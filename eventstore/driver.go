package eventstore

import (
	"context"
	"strings"
)

// Driver is what a backend does. It decides nothing and never retries; every
// read is strongly consistent. [storetest] is its contract in executable form.
//
// [storetest]: https://pkg.go.dev/windlass/eventstore/storetest
type Driver interface {
	// Append stores the record, its claim and its rows, all or nothing, if no
	// record of the stream has the same First. Sent again with the same ID at the
	// same place it stores nothing new: the answer is nil, or a *[Conflict] or
	// *[Claimed] that shows the stored record with that very ID.
	//
	// Errors: *[Claimed] if the claim's key is taken, with the record at the place
	// if there is one; else *[Conflict] if the place is; else a coded error.
	// Throttled means that this call stored nothing, Unavailable that nothing is
	// known: it may be stored, or land later.
	Append(context.Context, Write) error

	// Records returns a page of at most limit records of the stream, in the order
	// asked for, beginning with the record whose First is from or the next in that
	// order. A page ends at about [PageBytes], too, but is not empty while there
	// are records. more is true if there may be others after it; that may prove
	// false. A limit under 1 is Invalid.
	Records(ctx context.Context, q RecordQuery) (page []Record, more bool, err error)

	// Row returns one row; false if it does not exist.
	Row(ctx context.Context, key RowKey) (Row, bool, error)

	// Rows returns a page of rows of a partition, by Sort, bounded as Records is.
	Rows(ctx context.Context, q RowQuery) (page []Row, more bool, err error)
}

// Write is one atomic append.
type Write struct {
	Record Record
	Claim  *Claim
	Rows   []Row
}

// RecordQuery asks for records by First.
type RecordQuery struct {
	Stream Stream
	// From is the first key wanted, inclusive.
	From uint64
	// Descending goes towards the stream's beginning.
	Descending bool
	Limit      int
}

// RowQuery asks for rows of a partition by Sort.
type RowQuery struct {
	Partition string
	// After is the Sort to begin behind; empty for the start of the order.
	After      string
	Descending bool
	Limit      int
}

// Partitions with these endings hold what never changes; a draft's rows may not
// stand there.
const (
	commitSuffix = "#commit"
	claimSuffix  = "#claim"
)

// Kinds of what the log itself stores; a draft's rows have others.
const (
	KindCommit = "commit"
	KindClaim  = "claim"
)

// ClaimKey is where a claim is stored; drivers keep it as a row of kind "claim"
// whose data is the [Claim]'s JSON.
func ClaimKey(s Stream, key string) RowKey {
	return RowKey{Partition: s.Tenant + "#" + s.Session + claimSuffix, Sort: key}
}

// RecordPartition is where a stream's records are stored.
func RecordPartition(s Stream) string { return s.Tenant + "#" + s.Session + commitSuffix }

// StreamOf is the stream whose records are stored in a partition; Invalid for
// any other partition. Ids have no "#", so there is one reading at most.
func StreamOf(partition string) (Stream, error) {
	ids, ok := strings.CutSuffix(partition, commitSuffix)
	tenant, session, _ := strings.Cut(ids, "#")
	s := Stream{Tenant: tenant, Session: session}
	if !ok || s.valid() != nil {
		return Stream{}, Errorf(Invalid, "stream", "%q is no stream's partition", partition)
	}
	return s, nil
}

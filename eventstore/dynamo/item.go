package dynamo

import (
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"windlass/eventstore"
	"windlass/eventstore/event"
)

// Attributes of the items.
const (
	attrPK      = "pk"
	attrSK      = "sk"
	attrKind    = "kind"
	attrN       = "n"
	attrLast    = "last"
	attrID      = "id"
	attrBy      = "by"
	attrAt      = "at"
	attrWake    = "wake"
	attrSettles = "settles"
	attrClosed  = "closed"
	attrExpires = "expires"
	attrSummary = "summary"
	attrBody    = "body"
	attrData    = "data"

	awake   = "1"
	settled = "1"
	shut    = "1"
)

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}

func keyOf(k eventstore.RowKey) item { return item{attrPK: text(k.Partition), attrSK: text(k.Sort)} }

func recordKey(s eventstore.Stream, first uint64) eventstore.RowKey {
	return eventstore.RowKey{Partition: eventstore.RecordPartition(s), Sort: eventstore.SeqKey(first)}
}

func recordItem(r eventstore.Record) item {
	i := keyOf(recordKey(r.Stream, r.First))
	i[attrKind] = text(eventstore.KindCommit)
	i[attrN] = number(r.Last - r.First + 1)
	i[attrLast] = number(r.Last)
	i[attrID] = text(r.ID)
	i[attrAt] = text(r.At.UTC().Format(event.TimeLayout))
	i[attrBody] = text(string(r.Body))
	if r.By != "" {
		i[attrBy] = text(r.By)
	}
	if r.Wake {
		i[attrWake] = text(awake)
	}
	if r.Settles {
		i[attrSettles] = text(settled)
	}
	if r.Closed {
		i[attrClosed] = text(shut)
		i[attrExpires] = number(uint64(max(r.At.Add(eventstore.TombstoneLife).Unix(), 0)))
	}
	if len(r.Summary) > 0 {
		i[attrSummary] = text(string(r.Summary))
	}
	return i
}

func claimItem(s eventstore.Stream, c eventstore.Claim) item {
	return rowItem(eventstore.Row{RowKey: eventstore.ClaimKey(s, c.Key), Kind: eventstore.KindClaim, Data: eventstore.EncodeClaim(c)})
}

func rowItem(r eventstore.Row) item {
	i := keyOf(r.RowKey)
	i[attrKind] = text(r.Kind)
	i[attrData] = text(string(r.Data))
	return i
}

// ReadRecord reads a commit's item, such as the table's stream brings it.
// Corrupt if it is none.
func ReadRecord(item map[string]types.AttributeValue) (eventstore.Record, error) {
	return readRecord(item)
}

// readRecord reads what recordItem wrote. Attributes that it does not know are
// a newer build's and passed over.
func readRecord(i item) (eventstore.Record, error) {
	f := fields{item: i}
	r := eventstore.Record{
		First: f.seq(attrSK, f.text(attrSK)), Last: f.seq(attrLast, f.number(attrLast)),
		ID: f.text(attrID), By: f.optional(attrBy), At: f.time(attrAt),
		Wake: f.optional(attrWake) == awake, Settles: f.optional(attrSettles) == settled, Closed: f.optional(attrClosed) == shut, Body: []byte(f.text(attrBody)),
	}
	if s := f.optional(attrSummary); s != "" {
		r.Summary = []byte(s)
	}
	stream, err := eventstore.StreamOf(f.text(attrPK))
	if err != nil {
		f.fail(attrPK)
	}
	r.Stream = stream
	if f.text(attrKind) != eventstore.KindCommit {
		f.fail(attrKind)
	}
	if n := f.seq(attrN, f.number(attrN)); f.bad == "" && (r.First < 1 || n < 1 || r.Last != r.First+n-1) {
		f.fail(attrN)
	}
	return r, f.err()
}

func readRow(i item) (eventstore.Row, error) {
	f := fields{item: i}
	r := eventstore.Row{
		RowKey: eventstore.RowKey{Partition: f.text(attrPK), Sort: f.text(attrSK)},
		Kind:   f.text(attrKind), Data: []byte(f.text(attrData)),
	}
	return r, f.err()
}

// fields reads attributes and remembers the first that is not as it must be.
type fields struct {
	item item
	bad  string
}

func (f *fields) fail(name string) {
	if f.bad == "" {
		f.bad = name
	}
}

func (f *fields) err() error {
	if f.bad == "" {
		return nil
	}
	return eventstore.Errorf(eventstore.Corrupt, "item", "%s %s: attribute %s is missing or wrong", f.optional(attrPK), f.optional(attrSK), f.bad)
}

func (f *fields) optional(name string) string {
	s, ok := f.item[name].(*types.AttributeValueMemberS)
	if !ok {
		if f.item[name] != nil {
			f.fail(name)
		}
		return ""
	}
	return s.Value
}

func (f *fields) text(name string) string {
	s := f.optional(name)
	if s == "" {
		f.fail(name)
	}
	return s
}

func (f *fields) number(name string) string {
	n, ok := f.item[name].(*types.AttributeValueMemberN)
	if !ok {
		f.fail(name)
		return ""
	}
	return n.Value
}

func (f *fields) seq(name, digits string) uint64 {
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || n > eventstore.MaxSeq {
		f.fail(name)
	}
	return n
}

func (f *fields) time(name string) time.Time {
	t, err := time.Parse(event.TimeLayout, f.text(name))
	if err != nil {
		f.fail(name)
	}
	return t
}

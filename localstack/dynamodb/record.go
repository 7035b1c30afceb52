package dynamodb

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"strconv"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/dynamodb/attribute"
)

// A stream record is stored under its number (eight bytes, big-endian, dense
// from 1) as the time it was made (eight bytes, ms) and the JSON of GetRecords.

const (
	retention = 24 * time.Hour
	maxTrim   = 64 // records deleted by one write: more than one write adds
)

// record appends the record of a change, in the change's own transaction.
func (s *Service) record(tx *bbolt.Tx, c change) error {
	if c.table.Spec.Stream == "" {
		return nil
	}
	bucket := tx.Bucket(c.table.stream)
	bucket.FillPercent = 0.95 // it grows at its end alone
	number, err := bucket.NextSequence()
	if err != nil {
		return err
	}
	now := s.options.Now()
	if err := c.table.trim(bucket, now); err != nil {
		return err
	}
	return bucket.Put(recordKey(number), s.recordText(c, number, now))
}

// recordText renders a stored record. It is written by hand, because images are
// JSON already and can be large.
func (s *Service) recordText(c change, number uint64, now time.Time) []byte {
	view := c.table.Spec.Stream
	keys := attribute.AppendItem(nil, c.keyItem)
	size := c.keyItem.Size()
	b := make([]byte, 8, 512+2*len(keys)+len(c.old)+len(c.new))
	binary.BigEndian.PutUint64(b, uint64(now.UnixMilli()))
	b = append(b, `{"awsRegion":"`+s.options.Region+`","dynamodb":{"ApproximateCreationDateTime":`...)
	b = strconv.AppendInt(b, now.Unix(), 10)
	b = append(append(b, `,"Keys":`...), keys...)
	if c.new != nil && (view == "NEW_IMAGE" || view == "NEW_AND_OLD_IMAGES") {
		b = append(append(b, `,"NewImage":`...), c.new.json()...)
		size += c.new.size()
	}
	if c.old != nil && (view == "OLD_IMAGE" || view == "NEW_AND_OLD_IMAGES") {
		b = append(append(b, `,"OldImage":`...), c.old.json()...)
		size += c.old.size()
	}
	b = append(b, `,"SequenceNumber":"`+sequenceNumber(number)+`","SizeBytes":`...)
	b = strconv.AppendInt(b, int64(size), 10)
	return append(b, `,"StreamViewType":"`+view+`"},"eventID":"`+eventID(c.table.ID, number)+`","eventName":"`+c.event()+
		`","eventSource":"aws:dynamodb","eventVersion":"1.1"}`...)
}

func (c change) event() string {
	switch {
	case c.old == nil:
		return "INSERT"
	case c.new == nil:
		return "REMOVE"
	}
	return "MODIFY"
}

// trim deletes records past their retention. It looks into the file only when
// the oldest record it knows of is that old.
func (t *table) trim(bucket *bbolt.Bucket, now time.Time) error {
	horizon := now.Add(-retention).UnixMilli()
	if oldest := t.oldest.Load(); oldest != 0 && oldest >= horizon {
		return nil
	}
	cursor := bucket.Cursor()
	for range maxTrim {
		key, value := cursor.First()
		if key == nil {
			t.oldest.Store(now.UnixMilli()) // the record about to be written
			return nil
		}
		if made := int64(binary.BigEndian.Uint64(value)); made >= horizon {
			t.oldest.Store(made)
			return nil
		}
		if err := bucket.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

func recordKey(number uint64) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 8), number)
}

// sequenceBase makes numbers of 25 digits, so that they order as text too.
var sequenceBase, _ = new(big.Int).SetString("1000000000000000000000000", 10)

func sequenceNumber(number uint64) string {
	return fmt.Sprintf("10000%020d", number)
}

func parseSequenceNumber(text string) (uint64, bool) {
	n, ok := new(big.Int).SetString(text, 10)
	if !ok || len(text) != 25 {
		return 0, false
	}
	n.Sub(n, sequenceBase)
	return n.Uint64(), n.IsUint64()
}

// eventID is 32 digits that no other record has.
func eventID(table string, number uint64) string {
	return fmt.Sprintf("%016x%016x", fold(table), number)
}

// fold is FNV-1a: the table's id is random text already.
func fold(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

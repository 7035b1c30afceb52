package stepfunctions

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"
)

// The buckets; README.md says what stands in them.
var (
	machinesBucket    = []byte("states/machines")
	definitionsBucket = []byte("states/definitions")
	executionsBucket  = []byte("states/executions")
	valuesBucket      = []byte("states/values")
	namesBucket       = []byte("states/names")
	agesBucket        = []byte("states/ages")
	progressBucket    = []byte("states/progress")
	historyBucket     = []byte("states/history")
	closedBucket      = []byte("states/closed")
	buckets           = [][]byte{machinesBucket, definitionsBucket, executionsBucket, valuesBucket, namesBucket, agesBucket, progressBucket, historyBucket, closedBucket}
)

func createBuckets(tx *bbolt.Tx) error {
	for _, name := range buckets {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

func key(parts ...uint64) []byte {
	k := make([]byte, 0, 8*len(parts))
	for _, part := range parts {
		k = binary.BigEndian.AppendUint64(k, part)
	}
	return k
}

func seqOf(k []byte) uint64 { return binary.BigEndian.Uint64(k[len(k)-8:]) }

// ageKey orders the executions of one machine by age. No name has a byte 0.
func ageKey(machine string, seq uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte(machine+"\x00"), seq)
}

func nameKey(machine, name string) []byte { return []byte(machine + "\x00" + name) }

func inputKey(seq uint64) []byte  { return append(key(seq), 'i') }
func outputKey(seq uint64) []byte { return append(key(seq), 'o') }

func getJSON[T any](tx *bbolt.Tx, bucket, k []byte) (*T, error) {
	text := tx.Bucket(bucket).Get(k)
	if text == nil {
		return nil, nil
	}
	record := new(T)
	if err := json.Unmarshal(text, record); err != nil {
		return nil, fmt.Errorf("%s is damaged at %x: %w", bucket, k, err)
	}
	return record, nil
}

func putJSON(tx *bbolt.Tx, bucket, k []byte, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(k, text)
}

// A cursor is stored as its JSON, framed by its length, and then its data.
func putCursor(tx *bbolt.Tx, seq uint64, c *cursor) error {
	head, err := json.Marshal(c)
	if err != nil {
		return err
	}
	text := make([]byte, 0, binary.MaxVarintLen64+len(head)+len(c.data))
	text = binary.AppendUvarint(text, uint64(len(head)))
	text = append(append(text, head...), c.data...)
	return tx.Bucket(progressBucket).Put(key(seq), text)
}

func readCursor(text []byte) (*cursor, error) {
	head, data, err := unframe(text)
	if err != nil {
		return nil, err
	}
	c := &cursor{}
	if err := json.Unmarshal(head, c); err != nil {
		return nil, fmt.Errorf("a cursor is damaged: %w", err)
	}
	c.data = append([]byte(nil), data...)
	return c, nil
}

func unframe(text []byte) (head, rest []byte, err error) {
	size, n := binary.Uvarint(text)
	if n <= 0 || size > uint64(len(text)-n) {
		return nil, nil, fmt.Errorf("a record is cut short")
	}
	return text[n : n+int(size)], text[n+int(size):], nil
}

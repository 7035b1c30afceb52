package dynamodb

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/awsjson"
)

// StreamRecord is one record of a table's stream. JSON is the record as a Lambda
// function gets it, eventSourceARN included.
type StreamRecord struct {
	SequenceNumber string
	Created        time.Time
	JSON           json.RawMessage
}

// maxRecordBytes and maxRecords bound one read of a stream.
const (
	maxRecordBytes = 1 << 20
	maxRecords     = 1000
)

// StreamRecords reads up to limit records (at most 1,000, and about 1 MiB) that
// follow the sequence number, oldest first; after "" is before the oldest. If
// records after it were trimmed away, the error is TrimmedDataAccessException.
func (s *Service) StreamRecords(table, after string, limit int) ([]StreamRecord, error) {
	t := s.tables.get(table)
	if t == nil || t.Spec.Stream == "" {
		return nil, noStream()
	}
	first := uint64(0)
	if after != "" {
		n, ok := parseSequenceNumber(after)
		if !ok {
			return nil, validation("Invalid SequenceNumber: %s", after)
		}
		first = n + 1
	}
	arn := `{"eventSourceARN":"` + s.streamARN(t) + `",`
	var out []StreamRecord
	_, err := s.readStream(t, first, limit, func(number uint64, made time.Time, text []byte) {
		out = append(out, StreamRecord{sequenceNumber(number), made, append([]byte(arn), text[1:]...)})
	})
	return out, err
}

// LastSequenceNumber is that of the newest record ever made, "" if there was
// none: reading after it gives only what is yet to come.
func (s *Service) LastSequenceNumber(table string) (string, error) {
	t := s.tables.get(table)
	if t == nil || t.Spec.Stream == "" {
		return "", noStream()
	}
	last, err := s.lastRecord(t)
	if err != nil || last == 0 {
		return "", err
	}
	return sequenceNumber(last), nil
}

// StreamARN names the table's current stream.
func (s *Service) StreamARN(table string) (string, bool) {
	t := s.tables.get(table)
	if t == nil || t.Spec.Stream == "" {
		return "", false
	}
	return s.streamARN(t), true
}

func noStream() error {
	return awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Stream not found")
}

func (s *Service) lastRecord(t *table) (last uint64, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(t.stream)
		if bucket == nil {
			return noStream()
		}
		last = bucket.Sequence()
		return nil
	})
	return last, err
}

// readStream yields records from number first on (0: the oldest) and returns
// the number to go on with. The text is valid only during the call.
func (s *Service) readStream(t *table, first uint64, limit int, yield func(uint64, time.Time, []byte)) (next uint64, err error) {
	limit = min(limit, maxRecords)
	next = first
	err = s.db.View(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(t.stream)
		if bucket == nil {
			return noStream()
		}
		cursor := bucket.Cursor()
		key, value := cursor.Seek(recordKey(first))
		if first > 0 && trimmedPast(first, key, bucket) {
			return awsjson.Errorf("TrimmedDataAccessException", "The operation attempted to read past the oldest stream record in a shard.")
		}
		if next = bucket.Sequence() + 1; first > next {
			next = first
		}
		for size := 0; key != nil; key, value = cursor.Next() {
			number := binary.BigEndian.Uint64(key)
			if limit == 0 || size > 0 && size+len(value) > maxRecordBytes {
				next = number
				return nil
			}
			yield(number, time.UnixMilli(int64(binary.BigEndian.Uint64(value))).UTC(), value[8:])
			size += len(value)
			limit--
		}
		return nil
	})
	return next, err
}

// trimmedPast reports that record first was made but is gone. found is the key
// of the oldest record from there on.
func trimmedPast(first uint64, found []byte, bucket *bbolt.Bucket) bool {
	return first <= bucket.Sequence() && !bytes.Equal(found, recordKey(first))
}

// wakers tell followers that records were committed.
type wakers struct {
	mu      sync.Mutex
	byTable map[string]map[chan struct{}]bool
}

// Subscribe returns a channel that holds a token whenever the table's stream may
// have records newer than the subscriber's last read: one token for any number
// of commits, set after they are durable, and one to begin with. The channel is
// never closed; cancel ends the subscription.
func (s *Service) Subscribe(table string) (woken <-chan struct{}, cancel func()) {
	c := make(chan struct{}, 1)
	c <- struct{}{}
	w := &s.wakers
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byTable == nil {
		w.byTable = map[string]map[chan struct{}]bool{}
	}
	if w.byTable[table] == nil {
		w.byTable[table] = map[chan struct{}]bool{}
	}
	w.byTable[table][c] = true
	return c, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.byTable[table], c)
	}
}

func (w *wakers) wake(table string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.byTable[table] {
		select {
		case c <- struct{}{}:
		default: // a token is there already
		}
	}
}

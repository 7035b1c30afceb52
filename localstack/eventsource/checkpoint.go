package eventsource

import (
	"sync"

	"go.etcd.io/bbolt"
)

var checkpoints = []byte("eventsource/checkpoints") // mapping → sequence number

// A window is the records between the checkpoint and the last one read, in the
// stream's order. The checkpoint moves over those that are settled.
type window struct {
	mu      sync.Mutex
	entries []*entry
	bytes   int
	head    string // everything up to here is settled
	unsaved int    // records settled since head was last stored
}

// An entry is one record on its way. body is nil if a filter refused it.
type entry struct {
	record  *Record
	body    []byte
	settled bool
}

func (w *window) add(e *entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.entries = append(w.entries, e)
	w.bytes += len(e.body)
}

// settle marks entries and moves the checkpoint.
func (w *window) settle(entries ...*entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range entries {
		e.settled = true
		w.bytes -= len(e.body)
		e.body, e.record.Body = nil, nil
	}
	n := 0
	for n < len(w.entries) && w.entries[n].settled {
		w.head = w.entries[n].record.Sequence
		n++
	}
	w.entries = w.entries[n:]
	w.unsaved += n
}

func (w *window) full() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.entries) >= maxOutstanding || w.bytes >= maxOutstandingBytes
}

// pending is how many records the stored checkpoint lags behind.
func (w *window) pending() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unsaved
}

// place is the end of what is settled.
func (w *window) place() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// save stores the checkpoint. It is read inside the transaction, so that of two
// lanes that save at once the later one stores the later place.
func (w *window) save(db database, mapping string) error {
	return db.Update(func(tx *bbolt.Tx) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.unsaved = 0
		return tx.Bucket(checkpoints).Put([]byte(mapping), []byte(w.head))
	})
}

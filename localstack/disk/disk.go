package disk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// ErrInUse means that another process holds the file.
var ErrInUse = errors.New("data directory in use")

// lockTimeout is long enough for a predecessor that is just exiting, and short
// enough that a person does not wonder what is going on.
const lockTimeout = 1500 * time.Millisecond

// mmapSize is address space, not memory. Growing the map waits for every open
// reader, so it starts beyond what a laptop's data directory usually reaches.
const mmapSize = 1 << 30

// DB is the shared file. All methods are safe for concurrent use.
type DB struct {
	bolt   *bbolt.DB
	writes queue
}

// Open opens or creates the file at path and locks it for this process. With
// sync, every commit is forced to the disk before it is acknowledged.
func Open(path string, sync bool) (*DB, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open data directory: %w", err)
	}
	options := &bbolt.Options{
		Timeout:         lockTimeout,
		NoSync:          !sync,
		NoGrowSync:      !sync,
		NoFreelistSync:  true, // a free list per commit costs more than one scan on open
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: initialMmapSize(),
	}
	bolt, err := bbolt.Open(path, 0o600, options)
	if errors.Is(err, bolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%w: another windlass uses %s: stop it, or choose another data directory", ErrInUse, filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	d := &DB{bolt: bolt}
	d.writes.commit = d.commit
	return d, nil
}

// initialMmapSize leaves the default where the map's size becomes the file's
// (Windows) or address space is scarce (32 bits).
func initialMmapSize() int {
	if runtime.GOOS == "windows" || ^uint(0)>>32 == 0 {
		return 0
	}
	return mmapSize
}

// View runs fn on a consistent snapshot of everything acknowledged before the
// call. Byte slices from tx are valid only until fn returns. fn must not call
// [DB.Update], and should be short: an open reader keeps old pages alive.
func (d *DB) View(fn func(tx *bbolt.Tx) error) error { return d.bolt.View(fn) }

// Update runs fn in a write transaction and returns when it is committed.
// Concurrent callers share one transaction: nobody waits for company, but
// whoever queues while a commit is under way goes into the next one.
//
// fn sees the writes of those before it. If it returns an error it must have
// written nothing: its neighbours' writes are committed, and with them anything
// it left behind. It may run more than once (when a neighbour panics), and only
// its last run counts. It must call neither Update nor View, and must not block.
// A panic in fn is raised in its own caller alone.
//
// An error that is not fn's own means that the commit failed; then nothing of
// that commit is stored.
func (d *DB) Update(fn func(tx *bbolt.Tx) error) error { return d.writes.do(fn) }

// Close waits for transactions that have begun and releases the lock. Later
// calls fail with bbolt's ErrDatabaseNotOpen.
func (d *DB) Close() error { return d.bolt.Close() }

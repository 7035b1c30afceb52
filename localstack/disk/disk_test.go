package disk

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
)

var bucket = []byte("test")

func open(t testing.TB, path string) *DB {
	t.Helper()
	d, err := Open(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	err = d.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func put(key string) func(tx *bbolt.Tx) error {
	return func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(key), []byte("x")) }
}

func has(t *testing.T, d *DB, key string) (found bool) {
	t.Helper()
	if err := d.View(func(tx *bbolt.Tx) error { found = tx.Bucket(bucket).Get([]byte(key)) != nil; return nil }); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestASecondProcessIsToldWhatToDo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "db")
	open(t, path)
	_, err := Open(path, false)
	if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), filepath.Dir(path)) || !strings.Contains(err.Error(), "stop it") {
		t.Errorf("second open: %v", err)
	}
}

func TestWritesSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	d := open(t, path)
	if err := d.Update(put("a")); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if !has(t, open(t, path), "a") {
		t.Error("the write is gone")
	}
}

// TestWaitersShareOneCommit holds a commit open while others queue.
func TestWaitersShareOneCommit(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	const waiters = 20
	begun, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = d.Update(func(tx *bbolt.Tx) error { close(begun); <-release; return put("first")(tx) })
	})
	<-begun
	var mu sync.Mutex
	ids := map[int]bool{}
	for i := range waiters {
		wg.Go(func() {
			err := d.Update(func(tx *bbolt.Tx) error {
				mu.Lock()
				defer mu.Unlock()
				ids[tx.ID()] = true
				return put(fmt.Sprint(i))(tx)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	d.untilWaiting(waiters)
	close(release)
	wg.Wait()
	if len(ids) != 1 {
		t.Errorf("%d waiters needed %d commits", waiters, len(ids))
	}
}

// untilWaiting returns when n callers stand in the queue.
func (d *DB) untilWaiting(n int) {
	for {
		d.writes.mu.Lock()
		waiting := len(d.writes.waiting)
		d.writes.mu.Unlock()
		if waiting == n {
			return
		}
		runtime.Gosched()
	}
}

func TestAnErrorIsItsOwnersAlone(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	refused := errors.New("refused")
	results := together(d, put("a"), func(*bbolt.Tx) error { return refused }, put("b"))
	if results[0] != nil || results[1] != refused || results[2] != nil || !has(t, d, "a") || !has(t, d, "b") {
		t.Errorf("results %v", results)
	}
}

func TestAPanicIsItsOwnersAlone(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	results := together(d, put("a"), func(tx *bbolt.Tx) error { _ = put("half")(tx); panic("boom") }, put("b"))
	if results[0] != nil || results[1] == nil || results[1].Error() != "panic: boom" || results[2] != nil {
		t.Errorf("results %v", results)
	}
	if !has(t, d, "a") || !has(t, d, "b") || has(t, d, "half") {
		t.Error("the neighbours' writes are lost, or half of the panicking one is kept")
	}
	if err := d.Update(put("later")); err != nil {
		t.Error(err)
	}
}

// together runs the functions in one commit, behind one that holds it up, and
// returns their errors, panics included.
func together(d *DB, fns ...func(*bbolt.Tx) error) []error {
	begun, release := make(chan struct{}), make(chan struct{})
	results := make([]error, len(fns))
	var wg sync.WaitGroup
	wg.Go(func() { _ = d.Update(func(*bbolt.Tx) error { close(begun); <-release; return nil }) })
	<-begun
	for i, fn := range fns {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					results[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			results[i] = d.Update(fn)
		})
		d.untilWaiting(i + 1)
	}
	close(release)
	wg.Wait()
	return results
}

func TestConcurrentCountersLoseNothing(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	const writers, each = 16, 50
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				if err := d.Update(increment); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	_ = d.View(func(tx *bbolt.Tx) error {
		if n := binary.BigEndian.Uint64(tx.Bucket(bucket).Get([]byte("n"))); n != writers*each {
			t.Errorf("counted %d of %d", n, writers*each)
		}
		return nil
	})
}

func increment(tx *bbolt.Tx) error {
	n := uint64(0)
	if old := tx.Bucket(bucket).Get([]byte("n")); old != nil {
		n = binary.BigEndian.Uint64(old)
	}
	return tx.Bucket(bucket).Put([]byte("n"), binary.BigEndian.AppendUint64(nil, n+1))
}

func TestAClosedFileRefusesCalls(t *testing.T) {
	d := open(t, filepath.Join(t.TempDir(), "db"))
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Update(put("a")); err == nil {
		t.Error("an update was acknowledged")
	}
	if err := d.View(func(*bbolt.Tx) error { return nil }); err == nil {
		t.Error("a view was opened")
	}
}

func BenchmarkUpdate(b *testing.B) {
	for _, sync := range []bool{false, true} {
		b.Run(fmt.Sprintf("sync=%t", sync), func(b *testing.B) {
			d, err := Open(filepath.Join(b.TempDir(), "db"), sync)
			if err != nil {
				b.Fatal(err)
			}
			defer d.Close()
			_ = d.Update(func(tx *bbolt.Tx) error { _, err := tx.CreateBucket(bucket); return err })
			value := make([]byte, 2<<10)
			n := 0
			for b.Loop() {
				n++
				if err := d.Update(func(tx *bbolt.Tx) error {
					return tx.Bucket(bucket).Put(binary.BigEndian.AppendUint64(nil, uint64(n)), value)
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

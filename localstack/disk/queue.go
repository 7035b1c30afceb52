package disk

import (
	"errors"
	"fmt"
	"sync"

	"go.etcd.io/bbolt"
)

// maxShared bounds one commit, so that the first in a long queue is not kept
// waiting for the last.
const maxShared = 128

var errAbandoned = errors.New("disk: the commit was abandoned")

// call is one waiting Update.
type call struct {
	fn       func(tx *bbolt.Tx) error
	err      error
	panicked any
	excluded bool      // panicked once: not run again
	turn     chan bool // true: you commit next; false: your call is settled
}

// queue lets one of its callers at a time commit for all who wait. There is no
// goroutine of its own: a lone writer commits on its own stack.
type queue struct {
	commit func(batch []*call) error

	mu      sync.Mutex
	busy    bool
	waiting []*call
}

func (q *queue) do(fn func(tx *bbolt.Tx) error) error {
	c := &call{fn: fn}
	q.mu.Lock()
	if q.busy {
		c.turn = make(chan bool, 1)
		q.waiting = append(q.waiting, c)
		q.mu.Unlock()
		if leads := <-c.turn; !leads {
			return c.result()
		}
	} else {
		q.busy = true
		q.waiting = append(q.waiting, c)
		q.mu.Unlock()
	}
	q.lead()
	return c.result()
}

// lead commits one batch, settles its callers and hands the lead to the next
// in the queue. It does so even when a function calls runtime.Goexit.
func (q *queue) lead() {
	batch := q.take()
	settled := false
	defer func() {
		for _, c := range batch[1:] {
			if !settled {
				c.err = errAbandoned
			}
			c.turn <- false
		}
		q.handOver()
	}()
	if err := q.commit(batch); err != nil {
		for _, c := range batch {
			if c.err == nil {
				c.err = err
			}
		}
	}
	settled = true
}

// take removes the next batch from the queue. The leader is always its first.
func (q *queue) take() []*call {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxShared)
	batch := make([]*call, n)
	copy(batch, q.waiting)
	rest := copy(q.waiting, q.waiting[n:])
	clear(q.waiting[rest:])
	q.waiting = q.waiting[:rest]
	return batch
}

func (q *queue) handOver() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.busy = false
		return
	}
	q.waiting[0].turn <- true
}

// result returns the outcome, in the caller's own goroutine.
func (c *call) result() error {
	if c.excluded {
		panic(c.panicked)
	}
	return c.err
}

// run calls the function and reports whether it returned at all.
func (c *call) run(tx *bbolt.Tx) (returned bool) {
	defer func() {
		if p := recover(); p != nil {
			c.panicked, c.excluded = p, true
		}
	}()
	c.err = c.fn(tx)
	return true
}

// commit runs the batch in one transaction. A panic may have left half a write,
// so the transaction is dropped and the others run again without the culprit.
func (d *DB) commit(batch []*call) error {
	for {
		again, err := d.attempt(batch)
		if !again {
			return err
		}
	}
}

func (d *DB) attempt(batch []*call) (again bool, err error) {
	tx, err := d.bolt.Begin(true)
	if err != nil {
		return false, err
	}
	defer tx.Rollback() // after a commit this does nothing
	wrote := false
	for _, c := range batch {
		if c.excluded {
			continue
		}
		if !c.run(tx) {
			return true, nil
		}
		wrote = wrote || c.err == nil
	}
	if !wrote {
		return false, nil // refused writes cost no commit
	}
	if err := tx.Commit(); err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return false, nil
}

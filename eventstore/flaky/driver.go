package flaky

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync"

	"windlass/eventstore"
)

// errScript is the cause in every error that a script makes.
var errScript = errors.New("by script")

// Driver is safe for concurrent use as far as the wrapped one is.
type Driver struct {
	driver eventstore.Driver
	script Script

	mu    sync.Mutex
	calls []Call
	nth   map[Op]int
	held  []eventstore.Write
}

var (
	_ eventstore.Driver = (*Driver)(nil)
	_ eventstore.Eraser = (*Driver)(nil)
)

// New wraps a driver.
func New(d eventstore.Driver, s Script) *Driver {
	return &Driver{driver: d, script: s, nth: map[Op]int{}}
}

// Calls returns every call so far, in order.
func (d *Driver) Calls() []Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Call(nil), d.calls...)
}

// Held returns the appends that are held back, oldest first.
func (d *Driver) Held() []eventstore.Write {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]eventstore.Write(nil), d.held...)
}

// Land lets the oldest held append reach the driver and returns the answer,
// which its sender never hears. It does nothing if none is held.
func (d *Driver) Land(ctx context.Context) error {
	w, ok := d.next()
	if !ok {
		return nil
	}
	return d.driver.Append(ctx, w)
}

// Drop lets the oldest held append vanish.
func (d *Driver) Drop() { d.next() }

func (d *Driver) next() (w eventstore.Write, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.held) == 0 {
		return w, false
	}
	w, d.held = d.held[0], d.held[1:]
	return w, true
}

// decide counts the call, asks the script, and keeps what is to be held.
func (d *Driver) decide(op Op, w eventstore.Write) Fault {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.nth[op]++
	w = sent(w)
	c := Call{N: len(d.calls) + 1, Nth: d.nth[op], Op: op, Write: w}
	d.calls = append(d.calls, c)
	f := d.script.fault(c)
	if f == Hold && op == Append {
		d.held = append(d.held, w)
	}
	return f
}

// sent is the write as it left: its sender may use the bytes for something else
// when the request is still under way.
func sent(w eventstore.Write) eventstore.Write {
	w.Record.Body, w.Record.Summary = bytes.Clone(w.Record.Body), bytes.Clone(w.Record.Summary)
	if w.Claim != nil {
		claim := *w.Claim
		w.Claim = &claim
	}
	w.Rows = slices.Clone(w.Rows)
	for i := range w.Rows {
		w.Rows[i].Data = bytes.Clone(w.Rows[i].Data)
	}
	return w
}

// do carries out a fault around the call. The call's results are its closure's.
func do(f Fault, op Op, call func() error) error {
	switch f {
	case Throttle:
		return eventstore.Errorf(eventstore.Throttled, string(op), "refused %w", errScript)
	case Fail, Hold:
		return eventstore.Errorf(eventstore.Unavailable, string(op), "%s %w", f, errScript)
	case Lose:
		_ = call() // nobody hears the answer
		return eventstore.Errorf(eventstore.Unavailable, string(op), "the answer was lost %w", errScript)
	case Twice:
		_ = call()
	}
	return call()
}

// Append implements [eventstore.Driver].
func (d *Driver) Append(ctx context.Context, w eventstore.Write) error {
	return do(d.decide(Append, w), Append, func() error { return d.driver.Append(ctx, w) })
}

// Records implements [eventstore.Driver].
func (d *Driver) Records(ctx context.Context, q eventstore.RecordQuery) (page []eventstore.Record, more bool, err error) {
	err = do(d.decide(Records, eventstore.Write{}), Records, func() (err error) {
		page, more, err = d.driver.Records(ctx, q)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return page, more, nil
}

// Row implements [eventstore.Driver].
func (d *Driver) Row(ctx context.Context, key eventstore.RowKey) (row eventstore.Row, found bool, err error) {
	err = do(d.decide(Row, eventstore.Write{}), Row, func() (err error) {
		row, found, err = d.driver.Row(ctx, key)
		return err
	})
	if err != nil {
		return eventstore.Row{}, false, err
	}
	return row, found, nil
}

// Rows implements [eventstore.Driver].
func (d *Driver) Rows(ctx context.Context, q eventstore.RowQuery) (page []eventstore.Row, more bool, err error) {
	err = do(d.decide(Rows, eventstore.Write{}), Rows, func() (err error) {
		page, more, err = d.driver.Rows(ctx, q)
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return page, more, nil
}

// Erase implements [eventstore.Eraser], over a driver that does.
func (d *Driver) Erase(ctx context.Context, key eventstore.RowKey) error {
	return do(d.decide(Erase, eventstore.Write{}), Erase, func() error { return d.driver.(eventstore.Eraser).Erase(ctx, key) })
}

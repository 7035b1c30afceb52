package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"windlass/tests/client"
	"windlass/tests/embedded"
)

// A place is where a scenario runs: a client, and the process behind it if that is
// ours.
type place struct {
	client.Client
	stack *embedded.Stack
}

// opener opens a place, and closes it again.
type opener func(context.Context) (place, func(), error)

// elsewhere is a deployment that somebody else runs.
func elsewhere(c client.Client) opener {
	return func(context.Context) (place, func(), error) { return place{Client: c}, func() {}, nil }
}

// own starts the embedded stack on an empty data directory below dir.
func own(dir string) opener {
	return func(ctx context.Context) (p place, end func(), err error) {
		h := &host{ctx: ctx, dir: dir}
		err = h.try(func() { p.stack = embedded.Start(h) })
		if err != nil {
			h.close()
			return place{}, nil, err
		}
		p.Client = p.stack.Client()
		return p, h.close, nil
	}
}

// host stands in for a test: what builds, starts and kills the stack is that of the
// tests, and asks one for these six things. Anything else it asks for is a panic.
type host struct {
	testing.TB
	ctx      context.Context
	dir      string
	cleanups []func()
}

// refusal is a test's Fatal, on its way to try.
type refusal struct{ error }

func (h *host) Helper()                           {}
func (h *host) Fatal(args ...any)                 { panic(refusal{errors.New(fmt.Sprint(args...))}) }
func (h *host) Fatalf(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }
func (h *host) Cleanup(f func())                  { h.cleanups = append(h.cleanups, f) }
func (h *host) Context() context.Context          { return h.ctx }

func (h *host) TempDir() string {
	dir, err := os.MkdirTemp(h.dir, "data")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// close undoes what was done, the last first.
func (h *host) close() {
	for i := len(h.cleanups) - 1; i >= 0; i-- {
		h.cleanups[i]()
	}
}

// try returns what a test would have failed with.
func (h *host) try(f func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case refusal:
			err = r.error
		default:
			panic(r)
		}
	}()
	f()
	return nil
}

// restart kills the process, without a word, and starts another one on its data.
func (p *place) restart(ctx context.Context) error {
	p.stack.Kill()
	h := &host{ctx: ctx}
	if err := h.try(p.stack.Restart); err != nil {
		return err
	}
	p.Client = p.stack.Client()
	return nil
}

// peak is the most memory that the process ever had resident, in MB, or 0 where nobody
// knows.
func (p place) peak() float64 {
	if p.stack == nil {
		return 0
	}
	mb, err := memory(p.stack.Endpoints.PID, "VmHWM")
	if err != nil {
		return 0
	}
	return mb
}

// home makes the folder of this package the working directory: the stack is built from
// the checkout two folders above, as in a test.
func home() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.Chdir(filepath.Join(dir, "tests", "load"))
		}
		if dir == filepath.Dir(dir) {
			return errors.New("no go.mod is here or above: run it in the checkout, or give -url and -key")
		}
	}
}

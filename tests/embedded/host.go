package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Host stands in for a test where there is none, in a command: what builds, starts and
// kills a stack asks a test for these few things. Anything else it asks for is a panic.
type Host struct {
	testing.TB
	ctx      context.Context
	dir      string
	cleanups []func()
}

// NewHost makes data directories below dir. Its context is what Context returns.
func NewHost(ctx context.Context, dir string) *Host { return &Host{ctx: ctx, dir: dir} }

// refusal is a test's Fatal, on its way to Try.
type refusal struct{ error }

// What a test has.

func (h *Host) Helper()                           {}
func (h *Host) Fatal(args ...any)                 { panic(refusal{errors.New(fmt.Sprint(args...))}) }
func (h *Host) Fatalf(format string, args ...any) { panic(refusal{fmt.Errorf(format, args...)}) }
func (h *Host) Cleanup(f func())                  { h.cleanups = append(h.cleanups, f) }
func (h *Host) Context() context.Context          { return h.ctx }

// TempDir is removed by Close.
func (h *Host) TempDir() string {
	dir, err := os.MkdirTemp(h.dir, "data")
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Close undoes what was done, the last first.
func (h *Host) Close() {
	for i := len(h.cleanups) - 1; i >= 0; i-- {
		h.cleanups[i]()
	}
}

// Try returns what a test would have failed with.
func (h *Host) Try(f func()) (err error) {
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

// Enter makes a folder of the checkout the working directory, as it is in a test of that
// folder: what is built is found from there.
func Enter(folder ...string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return os.Chdir(filepath.Join(append([]string{dir}, folder...)...))
		}
		if dir == filepath.Dir(dir) {
			return errors.New("no go.mod is here or above: run it in the checkout")
		}
	}
}

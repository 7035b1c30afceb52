//go:build !unix

package lambda

import (
	"errors"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

// guarded: nothing here ends a process with its parent, so that none is kept.
func guarded(int) (release func(), err error) {
	return nil, errors.New("functions run as processes on Unix alone; run them in process")
}

// Reap has nothing to do.
func Reap() {}

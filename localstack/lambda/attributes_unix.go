//go:build unix && !linux

package lambda

import "syscall"

// attributes: Ctrl-C, which is for the whole foreground group, is not for a
// function's process.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func guarded(pid int) (release func(), err error) { return guard(pid) }

//go:build unix

package lambda

import "syscall"

// Reap lets go of children that ended before this program began: a process that
// executes itself again keeps them, and never hears of them. It is for the very
// start, when there is no child yet that somebody waits for.
func Reap() {
	for {
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 && err != syscall.EINTR {
			return
		}
	}
}

//go:build unix

package lambda

import (
	"os/exec"
	"strconv"
	"syscall"
)

// guard ends a process when this one has ended, however it ended. A shell waits at
// a pipe whose other end this process alone holds: the kernel closes it. release
// lets go of a process that is gone, before its number can be another's.
//
// Between a start and its guard there is a gap. A process that falls into it
// ends by itself: nobody answers its poll.
func guard(pid int) (release func(), err error) {
	shell := exec.Command("/bin/sh", "-c", `read -r line; kill -9 "$0"`, strconv.Itoa(pid))
	shell.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end, err := shell.StdinPipe()
	if err == nil {
		err = shell.Start()
	}
	if err != nil {
		return nil, err
	}
	return func() {
		_ = shell.Process.Kill() // first: at the pipe's end it would kill
		_ = end.Close()
		_ = shell.Wait()
	}, nil
}

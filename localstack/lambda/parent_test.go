//go:build unix

package lambda

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// parent is this process's part in a test that kills it: it starts a function,
// or a process with a guard, tells its number, and waits.
func parent() {
	var pid int
	if os.Getenv("TEST_GUARD") != "" {
		sleeping := exec.Command("sleep", "600")
		if err := sleeping.Start(); err != nil {
			panic(err)
		}
		pid = sleeping.Process.Pid
		if _, err := guard(pid); err != nil {
			panic(err)
		}
	} else {
		path, err := os.Executable()
		if err != nil {
			panic(err)
		}
		box, err := NewProcesses(quiet).Starter(Program{Function: "f", Path: path, Env: []string{bootstrapVariable + "=handler"}})()
		if err != nil {
			panic(err)
		}
		pid = box.(*environment).command.Process.Pid
	}
	fmt.Println(pid)
	select {}
}

func TestNoProcessOutlivesItsParent(t *testing.T) {
	for _, variable := range []string{"", "TEST_GUARD=1"} {
		p := program(t, "parent", variable, "PATH="+os.Getenv("PATH"))
		command := exec.Command(p.Path)
		command.Env = p.Env
		out, err := command.StdoutPipe()
		if err == nil {
			err = command.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || !alive(pid) {
			t.Errorf("%q: process %q, %v", variable, line, err)
		}
		_ = command.Process.Kill()
		_ = command.Wait()
		gone(t, pid)
	}
}

func TestAGuardThatIsReleasedKillsNothing(t *testing.T) {
	sleeping := exec.Command("sleep", "600")
	if err := sleeping.Start(); err != nil {
		t.Fatal(err)
	}
	release, err := guard(sleeping.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if !alive(sleeping.Process.Pid) {
		t.Error("the guard killed")
	}
	_ = sleeping.Process.Kill()
	_ = sleeping.Wait()
}

// A process that has not been waited for is nobody's once this program begins again.
func TestReapLetsGoOfWhatEnded(t *testing.T) {
	command := exec.Command("true")
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	gone(t, command.Process.Pid)
	Reap()
	if err := command.Wait(); err == nil {
		t.Error("it was still there")
	}
}

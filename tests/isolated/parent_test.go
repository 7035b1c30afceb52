//go:build unix

package isolated

import (
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alive reports whether a process runs; one that nobody has waited for yet does not.
func alive(pid int) bool {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z") && !strings.HasPrefix(state, "X")
}

// gone waits until none of the processes runs.
func gone(t *testing.T, children []child) {
	t.Helper()
	if len(children) == 0 {
		t.Error("there was no process: nothing was tested")
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.After(20 * time.Second)
	for _, c := range children {
		for alive(c.PID) {
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("process %d of %s outlived its parent", c.PID, c.Function)
			}
		}
	}
}

// Functions that outlived the stack would go on with turns that nobody drives.
func TestFunctionsEndWithTheStack(t *testing.T) {
	ctx, s := start(t)
	c := s.Client()
	if _, err := c.Submit(ctx, "s", load(40, 2, 20)); err != nil {
		t.Fatal(err)
	}
	seen := progress(ctx, t, c, 20)
	before := described(ctx, t, s)

	s.Kill()
	gone(t, before.Children)
	s.Restart()
	c = s.Client()
	log := progress(ctx, t, c, len(seen)+10)
	samePrefix(t, seen, log)

	before = described(ctx, t, s)
	if _, err := c.Do(ctx, http.MethodPost, "/_local/restart", nil, nil); err != nil {
		t.Fatal(err)
	}
	gone(t, before.Children)
	for after := before; !after.StartedAt.After(before.StartedAt); {
		if _, err := c.Do(ctx, http.MethodGet, "/_local", nil, &after); err != nil && ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	verified(ctx, t, c, "s")
	samePrefix(t, log, events(ctx, t, c, "s"))
}

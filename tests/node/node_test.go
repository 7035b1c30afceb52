// Package node runs the JavaScript tests, of the client beside this file and of the
// page beside its code, in Node's own runner, with a real server for those that want one.
package node

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"windlass/tests/embedded"
	"windlass/tests/lane"
)

func TestTheClientAndThePageInNode(t *testing.T) {
	node := lane.Program(t, "node")
	tests := append(looked(t, "*.test.mjs"), looked(t, console+"/node/*.test.mjs")...)
	looked(t, "*.mjs")
	looked(t, console+"/node/*.mjs")
	looked(t, console+"/assets/*.js")
	s := embedded.Start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // random worlds take minutes where all is busy
	defer cancel()
	cmd := exec.CommandContext(ctx, node, append(flags(t, node), tests...)...)
	cmd.Env = append(os.Environ(), "WINDLASS_TEST_URL="+s.Endpoints.API, "WINDLASS_TEST_KEY="+embedded.Key)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "# skipped") && !strings.Contains(string(out), "# skipped 0") {
		t.Errorf("%v\n%s", err, out)
	}
}

// flags: before Node 22 a WebSocket has to be asked for.
func flags(t *testing.T, node string) []string {
	t.Helper()
	out, err := exec.Command(node, "--version").Output()
	if err != nil {
		t.Fatal(err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	n, err := strconv.Atoi(major)
	if err != nil || n < 20 {
		t.Fatalf("Node %s: the client needs 20 or newer", out)
	}
	if n < 22 {
		return []string{"--experimental-websocket", "--test"}
	}
	return []string{"--test"}
}

// console is where the client and the page stand.
const console = "../../functions/internal/console"

// looked finds files that Node will read, and looks at them: go test keeps a result
// until a file that the test looked at changes.
func looked(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Package lane finds the programs of the lanes that need more than Go: Node for
// the JavaScript client, a browser for the console. Who lacks one skips its tests,
// and says so; WINDLASS_TEST_LANES lists the lanes that must run, and then a
// missing program is a failure.
package lane

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Lanes and the programs that serve them, the first that is found.
var programs = map[string][]string{
	"node":    {"node"},
	"browser": {"chromium", "chromium-browser", "google-chrome"},
}

// Program is the path of a lane's program. WINDLASS_TEST_NODE and
// WINDLASS_TEST_BROWSER name another one.
func Program(t testing.TB, lane string) string {
	t.Helper()
	names := programs[lane]
	if own := os.Getenv("WINDLASS_TEST_" + strings.ToUpper(lane)); own != "" {
		names = []string{own}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if slices.Contains(strings.Split(os.Getenv("WINDLASS_TEST_LANES"), ","), lane) {
		t.Fatalf("lane %s must run, and there is no %s", lane, strings.Join(names, " or "))
	}
	t.Skipf("there is no %s; install one, or name it in WINDLASS_TEST_%s, to run lane %s", strings.Join(names, " or "), strings.ToUpper(lane), lane)
	return ""
}

package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"windlass/eventstore/event"
)

func TestReadingOnInAnOutput(t *testing.T) {
	hash := strings.Repeat("0a", 32)
	e := env()
	args := map[string]any{"sha256": hash}
	if _, err := call(t, e, "read_output", args); code(err) != "not_found" {
		t.Errorf("where none can be found: %v", err)
	}
	e.Outputs = func(sha256 string) (event.Value, bool) { return event.Text("aé🦀z"), sha256 == hash }
	for offset, want := range map[int]string{0: "a", 1: "é", 3: "🦀", 7: "z", 9: ""} {
		r, err := call(t, e, "read_output", map[string]any{"sha256": strings.ToUpper(hash), "offset": offset, "max_bytes": 1})
		var p struct {
			page
			SHA256 string
		}
		if err != nil || json.Unmarshal([]byte(r.Output), &p) != nil || p.Content != want || p.SHA256 != hash || p.Bytes != 8 {
			t.Errorf("from %d: %s, %v; want %q", offset, r.Output, err, want)
		}
	}
	for _, other := range []string{"", "x", strings.Repeat("0b", 32), "../" + hash, hash + "/x", strings.Repeat("0", 1e6)} {
		if _, err := call(t, e, "read_output", map[string]any{"sha256": other}); code(err) != "not_found" || len(err.Error()) > 300 {
			t.Errorf("%.80q: %.300v", other, err)
		}
	}
	if _, err := call(t, e, "read_output", map[string]any{"sha256": hash, "offset": -1}); code(err) != "invalid_arguments" {
		t.Errorf("%v", err)
	}
}

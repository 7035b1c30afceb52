package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windlass/tests/embedded"
)

// The whole command, against a deployment: the table, the JSON and a picture.
func TestTheCommandMeasures(t *testing.T) {
	s := embedded.Start(t)
	dir := t.TempDir()
	var out, progress bytes.Buffer
	args := []string{"-url", s.Endpoints.API, "-key", embedded.Key, "-repeat", "1", "-warmup", "0", "-json", filepath.Join(dir, "load.json"), "-plots", dir}
	for only, want := range map[string]string{"baseline": "baseline: 1×2, 256 B", "huge-prompt": "huge-prompt: 8 MB by upload", "kill": notRun, "rounds": "a round, in a turn of 128"} {
		out.Reset()
		if err := command(t.Context(), append(args, "-only", only), &out, &progress); err != nil {
			t.Fatalf("%s: %v\n%s", only, err, &out)
		}
		if !strings.Contains(out.String(), want) || strings.Contains(out.String()+progress.String(), embedded.Key) {
			t.Errorf("%s: no %q, or the key, in:\n%s", only, want, &out)
		}
		var all results
		if b, err := os.ReadFile(filepath.Join(dir, "load.json")); err != nil || json.Unmarshal(b, &all) != nil || len(all.Rows) == 0 || bytes.Contains(b, []byte(embedded.Key)) {
			t.Errorf("%s: %v, %s", only, err, b)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, pictureRounds+".svg")); err != nil {
		t.Error(err)
	}
}

// A deployment that is not there is a failure, not a row without a number.
func TestNoWorkIsAFailure(t *testing.T) {
	var out bytes.Buffer
	err := command(t.Context(), []string{"-url", "http://127.0.0.1:1", "-key", "k", "-only", "baseline"}, &out, &bytes.Buffer{})
	if err == nil || !strings.Contains(out.String(), failed) {
		t.Errorf("%v:\n%s", err, &out)
	}
}

func TestFlagsThatCannotBeAreRefused(t *testing.T) {
	t.Setenv("WINDLASS_TEST_URL", "")
	t.Setenv("WINDLASS_TEST_KEY", "")
	for says, args := range map[string][]string{
		"-key":     {"-url", "http://127.0.0.1:1"},
		"-repeat":  {"-repeat", "0"},
		"no flag":  {"deep"},
		"baseline": {"-only", "none"},
	} {
		if err := command(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v does not say %q", args, err, says)
		}
	}
}

func TestTheLongScenarioRunsOnlyIfAsked(t *testing.T) {
	has := func(only string, long bool) bool {
		all, err := chosen(only, long)
		return err == nil && all[len(all)-1].name == "long"
	}
	if has("", false) || !has("", true) || !has("long", false) {
		t.Errorf("by default %v, with -long %v, by its name %v", has("", false), has("", true), has("long", false))
	}
}

package main

import (
	"bytes"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder holds executables by name.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "bootstrap"), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// dense does not get smaller in a zip.
func dense(size int) []byte {
	b := make([]byte, size)
	_, _ = rand.Read(b)
	return b
}

func TestFunctionsWithinTheirBoundsPass(t *testing.T) {
	var out bytes.Buffer
	err := run(folder(t, map[string][]byte{"socket": dense(most - 10_000), "api": make([]byte, 2*most), "drive": dense(most + 1)}), &out)
	if lines := strings.Count(out.String(), "\n"); err != nil || lines != 3 || !strings.Contains(out.String(), "socket    5.99 MB, of at most 6.0") {
		t.Errorf("%v, %s", err, out.String())
	}
}

// A test's own executable is one of Go's, and heavier than a function once it is there often.
func TestAFunctionThatIsTooHeavyFailsAndNamesItsPackages(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = run(folder(t, map[string][]byte{"api": nil, "publish": append(b, dense(most)...)}), &out)
	if err == nil || !strings.Contains(err.Error(), "[publish]") {
		t.Errorf("%v; want publish refused", err)
	}
	if !strings.Contains(out.String(), "MB  runtime\n") || !strings.Contains(out.String(), "MB  debug/elf\n") {
		t.Errorf("want the packages named:\n%s", out.String())
	}
}

func TestWhereNothingWasBuiltItSaysWhatToDo(t *testing.T) {
	if err := run(t.TempDir(), &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "make package") {
		t.Error(err)
	}
}

func TestASymbolsPackage(t *testing.T) {
	for symbol, want := range map[string]string{
		"runtime.mallocgc": "runtime",
		"github.com/openai/openai-go/v3/packages/param.(*Opt[...]).MarshalJSON": "github.com/openai/openai-go/v3/packages/param",
		"windlass/functions/internal/loop.(*Loop).Drive.func1":                  "windlass/functions/internal/loop",
		"slices.SortFunc[go.shape.[]github.com/a/b.C]":                          "slices",
		"type:.eq.github.com/anthropics/anthropic-sdk-go.Message":               "github.com/anthropics/anthropic-sdk-go",
		"gopkg.in/yaml%2ev3.Unmarshal":                                          "gopkg.in/yaml.v3",
		"github.com/a/b.Map[go.shape.string,github.com/c/d.E].Get":              "github.com/a/b",
		"vendor/golang.org/x/net/idna.init":                                     "vendor/golang.org/x/net/idna",
		"main.main":                                                             "main",
	} {
		if got := packageOf(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

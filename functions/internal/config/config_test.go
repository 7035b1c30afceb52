package config_test

import (
	"strings"
	"testing"

	"windlass/functions/internal/config"
)

func env(value string) config.Env {
	return func(name string) string {
		if name == "SET" {
			return value
		}
		return ""
	}
}

func TestRequiredNamesTheVariableThatIsMissing(t *testing.T) {
	if v, err := env("x").Required("SET"); v != "x" || err != nil {
		t.Errorf("%q, %v", v, err)
	}
	for _, name := range []string{"UNSET", "SET"} { // one is not set, the other is empty
		if v, err := env("").Required(name); v != "" || err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q, %v; want an error that names %s", v, err, name)
		}
	}
}

func TestIntIsAWholeNumberFromZeroUp(t *testing.T) {
	for value, want := range map[string]int{"": 7, "0": 0, "1": 1, "128": 128} {
		if n, err := env(value).Int("SET", 7); n != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", value, n, err, want)
		}
	}
	for _, value := range []string{"-1", "x", "1.5", " 1", "1e3", "0x10", "99999999999999999999"} {
		if n, err := env(value).Int("SET", 7); err == nil || !strings.Contains(err.Error(), "SET") {
			t.Errorf("%q: %d, %v; want an error that names the variable", value, n, err)
		}
	}
}

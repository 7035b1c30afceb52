package openapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"windlass/eventstore/event"
)

const golden = "../../../eventstore/event/testdata"

var shortHash = regexp.MustCompile(`"(sha256|digest)": "[0-9a-f]{0,63}"|"fingerprint": "v1:[0-9a-f]{0,63}"`)

// stored reads a golden file. Samples shorten their hashes; what is stored does
// not.
func stored(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.Repeat("0", 64)
	return shortHash.ReplaceAllStringFunc(string(b), func(s string) string {
		name, _, _ := strings.Cut(s, ":")
		if name == `"fingerprint"` {
			return name + `: "v1:` + hash + `"`
		}
		return name + `: "` + hash + `"`
	})
}

// Package event's own tests see to it that each registered type and version has
// a golden file, so these are all of them.
func TestEveryGoldenEventFitsItsSchemaAndNoOther(t *testing.T) {
	_, m := model(t)
	files, err := filepath.Glob(filepath.Join(golden, "*.json"))
	if err != nil || len(files) < 14 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	union := schema(t, m, "Event")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text := stored(t, file)
			if err := fits(union, text); err != nil {
				t.Error(err)
			}
			part := strings.SplitN(filepath.Base(file), ".", 4) // family.verb.vN.json
			kind := part[0] + "." + part[1]
			mapped, ok := union.Discriminator.Mapping.Get(kind)
			if !ok {
				t.Fatalf("the discriminator does not know %s", kind)
			}
			for _, branch := range union.OneOf {
				name := branch.GetReference()
				if err := fits(branch.Schema(), text); (err == nil) != (name == mapped) {
					t.Errorf("%s, mapped to %s: %v", name, mapped, err)
				}
			}
		})
	}
}

// A branch for a type that nothing writes would be a promise that nobody keeps.
func TestEveryEventOfTheDocumentIsRegistered(t *testing.T) {
	_, m := model(t)
	union := schema(t, m, "Event")
	mapped := map[string]bool{}
	for kind, ref := range union.Discriminator.Mapping.FromOldest() {
		mapped[ref] = true
		var e event.Event
		_ = json.Unmarshal(fmt.Appendf(nil, `{"type":%q,"v":1,"at":"2026-01-02T03:04:05Z","data":{}}`, kind), &e)
		if _, unknown := e.Data.(event.Unknown); unknown || e.Data == nil {
			t.Errorf("%s is in the document and not registered", kind)
		}
		if _, err := os.Stat(filepath.Join(golden, kind+".v1.json")); err != nil {
			t.Error(err)
		}
	}
	for _, branch := range union.OneOf {
		if !mapped[branch.GetReference()] {
			t.Errorf("%s is in the union and not in the discriminator's mapping", branch.GetReference())
		}
	}
}

func TestValueIsOneOfThree(t *testing.T) {
	_, m := model(t)
	value, inline := schema(t, m, "Value"), schema(t, m, "InlineValue")
	for _, v := range []event.Value{
		event.Text(""), event.Text("a\x00b"), event.Text("\xff"),
		event.ByRef(event.Ref{SHA256: strings.Repeat("0", 64), Bytes: 1 << 20, Type: "text/plain"}),
	} {
		b, err := v.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := fits(value, string(b)); err != nil {
			t.Errorf("%s: %v", b, err)
		}
		_, apart := v.Ref()
		if err := fits(inline, string(b)); (err == nil) == apart {
			t.Errorf("%s as an inline value: %v", b, err)
		}
	}
	for _, text := range []string{`7`, `{}`, `{"base64":"YQ==","ref":{}}`, `{"base64":"%"}`, `{"ref":{"sha256":"00"}}`, `{"text":"x"}`} {
		var v event.Value
		if text != `{"ref":{"sha256":"00"}}` && json.Unmarshal([]byte(text), &v) == nil {
			t.Errorf("%s was read", text)
		}
		if fits(value, text) == nil {
			t.Errorf("%s fits", text)
		}
	}
}

package agent_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/infra/agents"
)

const good = `name: demo
description: Does things.
instructions: |
  Do <this> & that.
model: {provider: scripted, name: demo}
tools: [workspace_read]
limits: {maxRounds: 5}
`

func read(files map[string]string, defaultName string) (*agent.Catalog, error) {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return agent.Read(fs, defaultName, nil)
}

func find(t *testing.T, text string) (event.Agent, agent.Definition) {
	t.Helper()
	c, err := read(map[string]string{"demo.yaml": text}, "demo")
	if err != nil {
		t.Fatal(err)
	}
	a, ok := c.Find("demo")
	if !ok {
		t.Fatal("demo is not found")
	}
	d, err := agent.Pinned(a)
	if err != nil {
		t.Fatal(err)
	}
	return a, d
}

// The digest stands in the log: the same definition has it for ever.
func TestDigestOfADefinitionNeverChanges(t *testing.T) {
	a, d := find(t, good)
	want := agent.Definition{
		Name: "demo", Description: "Does things.", Instructions: "Do <this> & that.\n", Model: agent.Model{Provider: "scripted", Name: "demo"},
		Tools: []agent.Tool{{Name: "workspace_read"}}, Limits: agent.Limits{MaxRounds: 5, CompactAt: 120_000, CompactKeep: 40_000},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("definition (-want +got):\n%s", diff)
	}
	const json = `{"name":"demo","description":"Does things.","instructions":"Do \u003cthis\u003e \u0026 that.\n","model":{"provider":"scripted","name":"demo"},"tools":["workspace_read"],"limits":{"maxRounds":5}}`
	sum := sha256.Sum256([]byte(json))
	if a.Name != "demo" || a.Definition.Inline() != json || a.Digest != hex.EncodeToString(sum[:]) {
		t.Errorf("pinned as %s, %s:\n%s", a.Name, a.Digest, a.Definition.Inline())
	}
}

func TestDigestDependsOnWhatADefinitionSaysAndNotOnHow(t *testing.T) {
	a, _ := find(t, good)
	reordered, _ := find(t, "# a comment\nlimits:\n  maxRounds: 5\ntools:\n- workspace_read\nmodel:\n  name: demo\n  provider: scripted\ninstructions: \"Do <this> & that.\\n\"\ndescription: Does things.\nname: demo\n")
	if a.Digest != reordered.Digest {
		t.Error("the same definition, written otherwise, has another digest")
	}
	for _, change := range []string{"maxRounds: 6", "maxRounds: 5}\n#"} {
		other, _ := find(t, strings.Replace(good, "maxRounds: 5", change, 1))
		if same := other.Digest == a.Digest; same != strings.Contains(change, "#") {
			t.Errorf("%q: same digest is %t", change, same)
		}
	}
}

func TestWhatIsLeftOutHasItsDefault(t *testing.T) {
	_, d := find(t, "name: demo\nmodel: {provider: p, name: n}\n")
	if d.Limits.MaxRounds != agent.MaxRounds || d.Tools == nil || len(d.Tools) != 0 || d.Model.String() != "p/n" {
		t.Errorf("%+v", d)
	}
}

func TestDefinitionsThatAreRefusedSayInWhichFile(t *testing.T) {
	for name, text := range map[string]string{
		"an empty file":              "",
		"only a comment":             "# nothing\n",
		"not YAML":                   "name: [demo",
		"a list":                     "- name: demo\n",
		"a tab":                      "name: demo\nmodel:\n\tprovider: p\n",
		"an unknown field":           good + "temperature: 1\n",
		"a field in another case":    strings.Replace(good, "name: demo\n", "Name: demo\n", 1),
		"an unknown limit":           strings.Replace(good, "maxRounds", "max_rounds", 1),
		"a field twice":              good + "name: demo\n",
		"a second document":          good + "---\n" + good,
		"no name":                    strings.Replace(good, "name: demo\n", "", 1),
		"another name than its file": strings.Replace(good, "name: demo\n", "name: other\n", 1),
		"no provider":                strings.Replace(good, "provider: scripted, ", "", 1),
		"no model's name":            strings.Replace(good, ", name: demo}", "}", 1),
		"129 rounds":                 strings.Replace(good, "maxRounds: 5", "maxRounds: 129", 1),
		"a negative round":           strings.Replace(good, "maxRounds: 5", "maxRounds: -1", 1),
		"rounds as text":             strings.Replace(good, "maxRounds: 5", "maxRounds: many", 1),
		"tools as text":              strings.Replace(good, "[workspace_read]", "{a: b}", 1),
	} {
		if _, err := read(map[string]string{"demo.yaml": text}, "demo"); err == nil || !strings.Contains(err.Error(), "demo.yaml") {
			t.Errorf("%s: %v, want an error that names demo.yaml", name, err)
		}
	}
}

func TestCatalogKnowsWhatItReadAndNothingElse(t *testing.T) {
	other := strings.Replace(good, "name: demo\n", "name: other\n", 1)
	c, err := read(map[string]string{"demo.yaml": good, "other.yaml": other, "README.md": "not an agent", "old/demo.yaml": "nor this"}, "other")
	if err != nil || c.Default != "other" {
		t.Fatalf("%+v, %v", c, err)
	}
	for name, want := range map[string]bool{"demo": true, "other": true, "": false, "Demo": false, "README": false} {
		if a, ok := c.Find(name); ok != want || ok && a.Name != name {
			t.Errorf("%q: %+v, %t; want %t", name, a.Name, ok, want)
		}
	}
	if _, err := read(map[string]string{"demo.yaml": good}, "missing"); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a default that is not defined: %v", err)
	}
}

func TestDeployedAgentsCanBeRead(t *testing.T) {
	c, err := agent.Read(agents.Files, "demo", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"demo", "stress", "coder"} {
		a, ok := c.Find(name)
		d, err := agent.Pinned(a)
		if !ok || err != nil || d.Name != name || d.Limits.MaxRounds != 128 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

func TestPinnedRefusesWhatIsNoDefinition(t *testing.T) {
	if d, err := agent.Pinned(event.Agent{Name: "demo", Definition: event.Text("{")}); err == nil || !strings.Contains(err.Error(), "demo") {
		t.Errorf("%+v, %v; want an error that names the agent", d, err)
	}
}

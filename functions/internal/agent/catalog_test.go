package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"windlass/functions/internal/agent"
)

func folder(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func TestAnotherFolderAddsAgentsAndReplacesThoseOfTheSameName(t *testing.T) {
	other := strings.Replace(good, "name: demo\n", "name: other\n", 1)
	c, err := read(map[string]string{"demo.yaml": good, "kept.yaml": strings.Replace(good, "name: demo\n", "name: kept\n", 1)}, "demo")
	if err != nil {
		t.Fatal(err)
	}
	before, _ := c.Find("demo")
	if err := c.Add(folder(map[string]string{"demo.yaml": strings.Replace(good, "maxRounds: 5", "maxRounds: 6", 1), "other.yaml": other, "README.md": "x", "old/kept.yaml": "nor this"}), nil); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int{"demo": 6, "kept": 5, "other": 5} {
		a, ok := c.Find(name)
		d, err := agent.Pinned(a)
		if !ok || err != nil || d.Limits.MaxRounds != want {
			t.Errorf("%s: %+v, %t, %v; want %d rounds", name, d, ok, err, want)
		}
	}
	if d, err := agent.Pinned(before); err != nil || d.Limits.MaxRounds != 5 {
		t.Errorf("who had the agent before has %+v now, %v", d, err)
	}
	if c.Default != "demo" {
		t.Errorf("the default is %q", c.Default)
	}
}

// Models that are named for all agents are those of an added folder too.
func TestModelsOfAllAreThoseOfAddedAgents(t *testing.T) {
	models := []agent.Model{{Provider: "p", Name: "q"}}
	c, err := agent.Read(folder(map[string]string{"demo.yaml": good}), "demo", models)
	if err == nil {
		err = c.Add(folder(map[string]string{"own.yaml": "name: own\nmodel: {provider: x, name: y}\n", "script.yaml": strings.Replace(good, "name: demo\n", "name: script\n", 1)}), models)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"own": "p/q", "script": "scripted/demo"} {
		a, _ := c.Find(name)
		if d, err := agent.Pinned(a); err != nil || d.Model.String() != want {
			t.Errorf("%s: %s, %v; want %s", name, d.Model, err, want)
		}
	}
}

func TestAFolderThatIsNoneOfAgentsIsRefusedAndNamed(t *testing.T) {
	for name, c := range map[string]struct {
		files fstest.MapFS
		says  string
	}{
		"nothing":         {folder(nil), "NAME.yaml"},
		"no definition":   {folder(map[string]string{"README.md": "x"}), "NAME.yaml"},
		"another ending":  {folder(map[string]string{"a.yaml": good, "pay.yml": good}), "pay.yml"},
		"a folder's name": {folder(map[string]string{"a.yaml/b": good}), "a.yaml"},
		"too large":       {folder(map[string]string{"demo.yaml": good + "#" + strings.Repeat("x", 256<<10)}), "demo.yaml"},
		"a mistake":       {folder(map[string]string{"demo.yaml": good + "temperature: 1\n"}), "demo.yaml"},
	} {
		k, err := read(map[string]string{"demo.yaml": good}, "demo")
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Add(c.files, nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
}

func TestWhatAnAgentNamesAndIsNotThereIsToldWithItsFile(t *testing.T) {
	c, err := read(map[string]string{"demo.yaml": good}, "demo")
	if err != nil {
		t.Fatal(err)
	}
	fine, missing := func(string) error { return nil }, errors.New("there is none")
	tools := func(err error) func(string, json.RawMessage) error {
		return func(string, json.RawMessage) error { return err }
	}
	if err := c.Check(fine, tools(nil)); err != nil {
		t.Error(err)
	}
	for _, err := range []error{c.Check(func(string) error { return missing }, tools(nil)), c.Check(fine, tools(missing))} {
		if !errors.Is(err, missing) || !strings.Contains(err.Error(), "demo.yaml") {
			t.Errorf("%v; want an error that names demo.yaml", err)
		}
	}
}

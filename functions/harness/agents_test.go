package harness_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// withAgents builds a function with a folder of agents of its own.
func withAgents(t *testing.T, name string, files map[string]string) error {
	t.Helper()
	folder := t.TempDir()
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set := env(variables(t)[name])
	delete(set, "WINDLASS_MODEL") // it would take the place of the agents' own
	set["WINDLASS_AGENTS"] = folder
	err := build(name, set)
	if err != nil && !strings.Contains(err.Error(), "WINDLASS_AGENTS="+folder) {
		t.Errorf("%v; want the folder named", err)
	}
	return err
}

// minimal is an agent with these tools.
func minimal(name, tools string) map[string]string {
	return map[string]string{name + ".yaml": "name: " + name + "\nmodel: {provider: scripted, name: demo}\ntools: " + tools + "\n"}
}

func TestEveryFunctionThatKnowsAgentsReadsTheFolder(t *testing.T) {
	for name, reads := range map[string]bool{"api": true, "drive": true, "socket": true, "dispatch": true, "recover": false, "publish": false} {
		if err := withAgents(t, name, minimal("own", "[workspace_read]")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := withAgents(t, name, minimal("own", "[nothing]")); reads == (err == nil) {
			t.Errorf("%s with a mistake: %v; want it to read agents: %t", name, err, reads)
		}
	}
}

func TestAMistakeInAFolderOfAgentsStopsTheStartWithFileAndReason(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		says  []string
	}{
		"no folder's worth":      {nil, []string{"NAME.yaml"}},
		"no YAML":                {map[string]string{"pay.yaml": "name: [pay"}, []string{"pay.yaml", "line"}},
		"a tool that is not":     {minimal("pay", "[workspace_reed]"), []string{"pay.yaml", `"workspace_reed"`, "workspace_read"}},
		"a rule's slip":          {minimal("pay", "[{name: http, with: {allow: [{hots: example.com}]}}]"), []string{"pay.yaml", "hots"}},
		"a private star":         {minimal("pay", "[{name: http, with: {allow: [{host: '*.example.com', private: true}]}}]"), []string{"pay.yaml", "star"}},
		"a provider that is not": {map[string]string{"pay.yaml": "name: pay\nmodel: {provider: ollama, name: x}\n"}, []string{"pay.yaml", "openai-compatible"}},
		"nobody to delegate to":  {minimal("pay", "[delegate]"), []string{"pay.yaml", "delegate", "agents"}},
		"a delegate that is not": {minimal("pay", "[{name: delegate, with: {agents: [demo, codr]}}]"), []string{"pay.yaml", `"codr"`}},
		"a delegate's slip":      {minimal("pay", "[{name: delegate, with: {agent: [demo]}}]"), []string{"pay.yaml", `"agent"`}},
	} {
		err := withAgents(t, "api", c.files)
		for _, says := range c.says {
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v; want %q in it", name, err, says)
			}
		}
	}
	if err := withAgents(t, "api", minimal("pay", "[{name: delegate, with: {agents: [demo, pay]}}]")); err != nil {
		t.Errorf("delegating to one of the build and to itself: %v", err)
	}
	set := env(variables(t)["api"])
	set["WINDLASS_AGENTS"] = "/nowhere/at/all"
	if err := build("api", set); err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

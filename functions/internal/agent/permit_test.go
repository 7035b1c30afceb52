package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"windlass/functions/internal/agent"
)

// Where a tool cannot tell what a call is about, a rule does not allow more; where it
// is about several things, one is enough to forbid it, and all of them have to be
// allowed.
func TestTheFirstRuleThatMatchesCounts(t *testing.T) {
	write := agent.Tool{Name: "w", Permission: agent.Ask, Rules: []agent.Rule{
		{Permission: agent.Deny, Path: "/secrets/**"},
		{Permission: agent.Allow, Path: "/drafts/*.md"},
	}}
	web := agent.Tool{Name: "http", Rules: []agent.Rule{
		{Permission: agent.Allow, Host: "api.example.com", Method: "get"},
		{Permission: agent.Ask, Host: "*.example.com"},
		{Permission: agent.Deny, Host: "**"},
	}}
	notes := agent.Tool{Name: "n", Permission: agent.Deny, Rules: []agent.Rule{{Permission: agent.Allow, Path: "/notes/**"}}}
	locked := agent.Tool{Name: "l", Rules: []agent.Rule{{Permission: agent.Deny, Path: "/?/*.key"}}}
	docs := agent.Tool{Name: "mcp", Permission: agent.Ask, Rules: []agent.Rule{{Permission: agent.Allow, Tool: "docs_*"}}}
	for _, c := range []struct {
		tool agent.Tool
		of   agent.Subject
		want string
	}{
		{write, agent.Subject{Paths: []string{"/secrets/a/b"}}, agent.Deny},
		{write, agent.Subject{Paths: []string{"/secrets"}}, agent.Ask},
		{write, agent.Subject{Paths: []string{"/drafts/a.md"}}, agent.Allow},
		{write, agent.Subject{Paths: []string{"/drafts/x/a.md"}}, agent.Ask},
		{write, agent.Subject{Paths: []string{"/drafts/a.md", "/b"}}, agent.Ask},
		{write, agent.Subject{Paths: []string{"/drafts/a.md", "/secrets/b"}}, agent.Deny},
		{write, agent.Subject{}, agent.Deny},
		{write, agent.Subject{Paths: []string{}}, agent.Ask},
		{write, agent.Subject{Prefixes: []string{"/"}}, agent.Deny},
		{write, agent.Subject{Prefixes: []string{"/sec"}}, agent.Deny},
		{write, agent.Subject{Prefixes: []string{"/secrets/a/b/"}}, agent.Deny},
		{write, agent.Subject{Prefixes: []string{"/drafts/"}}, agent.Ask},
		{notes, agent.Subject{Prefixes: []string{"/notes/"}}, agent.Allow},
		{notes, agent.Subject{Paths: []string{"/notes/a"}, Prefixes: []string{"/notes/a/"}}, agent.Allow},
		{notes, agent.Subject{Prefixes: []string{"/"}}, agent.Deny},
		{notes, agent.Subject{Prefixes: []string{"/notes/x/y"}}, agent.Allow},
		{locked, agent.Subject{Prefixes: []string{"/a/"}}, agent.Deny},
		{locked, agent.Subject{Prefixes: []string{"/a/b/"}}, agent.Allow},
		{locked, agent.Subject{Prefixes: []string{"/a/b.key/"}}, agent.Allow},
		{locked, agent.Subject{Prefixes: []string{"/é/"}}, agent.Deny},
		{docs, agent.Subject{Tool: "docs_read"}, agent.Allow},
		{docs, agent.Subject{Tool: "issues_read"}, agent.Ask},
		{web, agent.Subject{Hosts: []string{"api.example.com"}, Methods: []string{"GET"}}, agent.Allow},
		{web, agent.Subject{Hosts: []string{"api.example.com"}, Methods: []string{"POST"}}, agent.Ask},
		{web, agent.Subject{Hosts: []string{"example.org"}, Methods: []string{"GET"}}, agent.Deny},
		{agent.Tool{Name: "x"}, agent.Subject{}, agent.Allow},
		{agent.Tool{Name: "x", Permission: agent.Deny}, agent.Subject{Paths: []string{"/a"}}, agent.Deny},
		{agent.Definition{}.Tool("never named"), agent.Subject{}, agent.Deny},
	} {
		if got := c.tool.Permit(c.of); got != c.want {
			t.Errorf("%s about %+v: %s, want %s", c.tool.Name, c.of, got, c.want)
		}
	}
}

func TestAToolIsItsNameIfNothingElseIsSaid(t *testing.T) {
	const text = `name: demo
model: {provider: scripted, name: demo}
tools:
  - workspace_read
  - name: workspace_write
    permission: ask
    askFor: 90m
    rules: [{permission: deny, path: /secrets/**}]
  - {name: http, with: {allow: [{host: api.example.com, methods: [GET]}]}}
  - {name: lambda, timeout: 90s, attempts: 3, maxConcurrency: 4, maxOutput: 16384}
`
	a, d := find(t, text)
	const want = `"tools":["workspace_read",{"name":"workspace_write","permission":"ask","rules":[{"permission":"deny","path":"/secrets/**"}],"askFor":"1h30m0s"},` +
		`{"name":"http","with":{"allow":[{"host":"api.example.com","methods":["GET"]}]}},` +
		`{"name":"lambda","timeout":"1m30s","attempts":3,"maxConcurrency":4,"maxOutput":16384}]`
	if !strings.Contains(a.Definition.Inline(), want) {
		t.Errorf("pinned as %s", a.Definition.Inline())
	}
	if b, err := json.Marshal(d.Tools); err != nil || `"tools":`+string(b) != want {
		t.Errorf("read back as %s, %v", b, err)
	}
	for _, bad := range []string{
		"- {permission: ask}", "- {name: x, permission: maybe}", "- {name: x, askFor: soon}", "- {name: x, askFor: -1h}", "- {name: x, rules: [{permission: ask}]}",
		"- {name: x, rules: [{path: /a}]}", "- {name: x, permision: ask}", "- [x]", `- ""`,
		"- {name: x, timeout: 10ms}", "- {name: x, timeout: 6m}", "- {name: x, attempts: 6}", "- {name: x, attempts: -1}", "- {name: x, maxConcurrency: 33}",
		"- {name: x, maxConcurrency: -1}", "- {name: x, maxOutput: 1023}", "- {name: x, maxOutput: 4194305}", "- {name: x, attempts: many}",
	} {
		if _, err := read(map[string]string{"demo.yaml": "name: demo\nmodel: {provider: scripted, name: demo}\ntools:\n" + bad}, "demo"); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

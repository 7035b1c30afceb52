package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Tool is a tool that an agent may use, and how.
//
// In YAML and JSON it is its name alone, if nothing else is said of it.
type Tool struct {
	Name string `json:"name" yaml:"name"`
	// Permission is allow, ask or deny; absent is allow.
	Permission string `json:"permission,omitempty" yaml:"permission"`
	// Rules say otherwise of some calls: the first that matches counts.
	Rules []Rule `json:"rules,omitempty" yaml:"rules"`
	// AskFor is how long a question to a person counts, such as 24h; absent is seven days.
	AskFor Duration `json:"askFor,omitempty" yaml:"askFor"`
	// With configures tools that need it.
	With json.RawMessage `json:"with,omitempty" yaml:"-"`
}

// Rule gives calls another permission, by what they are about. It matches if each
// pattern that it has does. A pattern may have "*", for what has no "/", and "**".
type Rule struct {
	Permission string `json:"permission" yaml:"permission"`
	// Tool is a tool's name, where an entry stands for several.
	Tool string `json:"tool,omitempty" yaml:"tool"`
	// Path is of files, Host and Method of requests.
	Path   string `json:"path,omitempty" yaml:"path"`
	Host   string `json:"host,omitempty" yaml:"host"`
	Method string `json:"method,omitempty" yaml:"method"`
}

// Permissions of a call.
const (
	// Allow carries it out.
	Allow = "allow"
	// Ask asks a person first.
	Ask = "ask"
	// Deny is an error that the model reads.
	Deny = "deny"
)

var permissions = []string{Allow, Ask, Deny}

// defaultAskFor is how long a question counts: over a week-end, and not for ever.
const defaultAskFor = 7 * 24 * time.Hour

// Duration is written as Go's, such as 1h30m.
type Duration time.Duration

func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *Duration) UnmarshalText(b []byte) error {
	v, err := time.ParseDuration(string(b))
	*d = Duration(v)
	return err
}

// Waits is how long a question about the tool's calls counts.
func (t Tool) Waits() time.Duration {
	if t.AskFor > 0 {
		return time.Duration(t.AskFor)
	}
	return defaultAskFor
}

// named has Tool's fields and none of its methods.
type named Tool

func (t Tool) MarshalJSON() ([]byte, error) {
	if t.Permission == "" && t.Rules == nil && t.AskFor == 0 && t.With == nil {
		return json.Marshal(t.Name)
	}
	return json.Marshal(named(t))
}

func (t *Tool) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		*t = Tool{}
		return json.Unmarshal(b, &t.Name)
	}
	return json.Unmarshal(b, (*named)(t))
}

func (t *Tool) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*t = Tool{}
		return n.Decode(&t.Name)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; !slices.Contains([]string{"name", "permission", "rules", "askFor", "with"}, key) {
			return fmt.Errorf("line %d: a tool has no %q", n.Content[i].Line, key)
		}
	}
	var with struct{ With any }
	if err := n.Decode((*named)(t)); err != nil {
		return err
	}
	if err := n.Decode(&with); err != nil || with.With == nil {
		return err
	}
	b, err := json.Marshal(with.With)
	t.With = b
	return err
}

func (t Tool) check() error {
	switch {
	case t.Name == "":
		return fmt.Errorf("a tool has no name")
	case t.Permission != "" && !slices.Contains(permissions, t.Permission):
		return fmt.Errorf("tool %s: permission is %q; it is one of %s", t.Name, t.Permission, strings.Join(permissions, ", "))
	case t.AskFor < 0:
		return fmt.Errorf("tool %s: askFor is %s; it is longer than nothing", t.Name, time.Duration(t.AskFor))
	}
	for _, r := range t.Rules {
		if !slices.Contains(permissions, r.Permission) {
			return fmt.Errorf("tool %s: a rule's permission is %q; it is one of %s", t.Name, r.Permission, strings.Join(permissions, ", "))
		}
		if r.Tool == "" && r.Path == "" && r.Host == "" && r.Method == "" {
			return fmt.Errorf("tool %s: a rule has no tool, path, host or method to match", t.Name)
		}
	}
	return nil
}

// ToolNames are the names of a definition's tools.
func (d Definition) ToolNames() []string {
	names := make([]string, len(d.Tools))
	for i, t := range d.Tools {
		names[i] = t.Name
	}
	return names
}

// Tool is what the definition says of a tool.
func (d Definition) Tool(name string) Tool {
	for _, t := range d.Tools {
		if t.Name == name {
			return t
		}
	}
	return Tool{Name: name, Permission: Deny} // closed by default
}

package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
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
	// Timeout is how long one attempt at a call may take, from 1s to 5m; absent is the tool's own.
	Timeout Duration `json:"timeout,omitempty" yaml:"timeout"`
	// Attempts is how often a call is tried in all that failed in a way that may pass, up
	// to 5; absent is once. A call of the class once is never tried again.
	Attempts int `json:"attempts,omitempty" yaml:"attempts"`
	// MaxConcurrency is how many of the entry's calls run at the same time, up to 32.
	MaxConcurrency int `json:"maxConcurrency,omitempty" yaml:"maxConcurrency"`
	// MaxOutput is how much of an output the model is shown, in bytes, from 1 KiB to 4 MiB:
	// its beginning and its end. The rest is kept, and read with read_output.
	MaxOutput int64 `json:"maxOutput,omitempty" yaml:"maxOutput"`
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
	if reflect.DeepEqual(t, Tool{Name: t.Name}) {
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
		if key := n.Content[i].Value; !slices.Contains([]string{"name", "permission", "rules", "askFor", "timeout", "attempts", "maxConcurrency", "maxOutput", "with"}, key) {
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
	if err := t.checkLimits(); err != nil {
		return fmt.Errorf("tool %s: %w", t.Name, err)
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

// Bounds of what a definition may say of a tool's calls.
const (
	shortestTimeout = time.Second
	longestTimeout  = 5 * time.Minute // leaves an invocation time for more than one call
	maxAttempts     = 5
	maxConcurrency  = 32
	leastOutput     = 1 << 10
	mostOutput      = 4 << 20
)

func (t Tool) checkLimits() error {
	timeout := time.Duration(t.Timeout)
	switch {
	case timeout != 0 && (timeout < shortestTimeout || timeout > longestTimeout):
		return fmt.Errorf("timeout is %s; it is from %s to %s", timeout, shortestTimeout, longestTimeout)
	case t.Attempts < 0 || t.Attempts > maxAttempts:
		return fmt.Errorf("attempts is %d; it is from 1 to %d", t.Attempts, maxAttempts)
	case t.MaxConcurrency < 0 || t.MaxConcurrency > maxConcurrency:
		return fmt.Errorf("maxConcurrency is %d; it is from 1 to %d", t.MaxConcurrency, maxConcurrency)
	case t.MaxOutput != 0 && (t.MaxOutput < leastOutput || t.MaxOutput > mostOutput):
		return fmt.Errorf("maxOutput is %d bytes; it is from %d to %d", t.MaxOutput, leastOutput, mostOutput)
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

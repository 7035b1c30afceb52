package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"windlass/eventstore/event"
)

// MaxRounds is the most that an agent's limit may allow.
const MaxRounds = 128

// ModelTimeout is how long one model call may take; well under a function's 15
// minutes, which must hold a call and what comes after it.
const ModelTimeout = 10 * time.Minute

// Definition is what an agent is.
type Definition struct {
	Name         string   `json:"name" yaml:"name"`
	Description  string   `json:"description,omitempty" yaml:"description"`
	Instructions string   `json:"instructions" yaml:"instructions"`
	Model        Model    `json:"model" yaml:"model"`
	Tools        []string `json:"tools" yaml:"tools"`
	Limits       Limits   `json:"limits" yaml:"limits"`
	// IfBusy is what becomes of a prompt that says nothing of it while others are
	// not settled: enqueue (the default), reject, interrupt or steer.
	IfBusy string `json:"ifBusy,omitempty" yaml:"ifBusy"`
}

// Model names a provider and its model.
type Model struct {
	Provider string `json:"provider" yaml:"provider"`
	Name     string `json:"name" yaml:"name"`
}

func (m Model) String() string { return m.Provider + "/" + m.Name }

// Limits bound a turn.
type Limits struct {
	// MaxRounds is from 1 to 128; absent is 128.
	MaxRounds int `json:"maxRounds" yaml:"maxRounds"`
	// AllowLoops lets rounds ask for the very same calls again and again; otherwise
	// the third in a row is warned of, and the fifth ends the turn.
	AllowLoops bool `json:"allowLoops,omitempty" yaml:"allowLoops"`
}

// What becomes of a prompt while other operations of its session are not settled.
const (
	// Enqueue: it waits for them.
	Enqueue = "enqueue"
	// Reject: it is refused with session_busy.
	Reject = "reject"
	// Interrupt: they are cancelled, and it is next.
	Interrupt = "interrupt"
	// Steer: it is said to the turn that runs.
	Steer = "steer"
)

// Policies are all of them.
var Policies = []string{Enqueue, Reject, Interrupt, Steer}

// Catalog is the agents that are deployed.
type Catalog struct {
	byName map[string]event.Agent
	// Default is the agent of a session that names none.
	Default string
}

// Read reads a folder of YAML definitions; defaultName must be among them. models
// names another model for all agents of a provider; an empty one changes nothing.
func Read(files fs.FS, defaultName string, models map[string]string) (*Catalog, error) {
	c := &Catalog{byName: map[string]event.Agent{}, Default: defaultName}
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		d, err := parse(b)
		if err != nil {
			return nil, fmt.Errorf("agent %s: %w", name, err)
		}
		if d.Name+".yaml" != path.Base(name) {
			return nil, fmt.Errorf("agent %s: its name is %q; name the file after it", name, d.Name)
		}
		if m := models[d.Model.Provider]; m != "" {
			d.Model.Name = m
		}
		c.byName[d.Name] = pin(d)
	}
	if _, ok := c.byName[defaultName]; !ok {
		return nil, fmt.Errorf("the default agent %q is not defined", defaultName)
	}
	return c, nil
}

// Find returns an agent, pinned.
func (c *Catalog) Find(name string) (event.Agent, bool) {
	a, ok := c.byName[name]
	return a, ok
}

func parse(b []byte) (Definition, error) {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	var d Definition
	if err := dec.Decode(&d); err != nil {
		return Definition{}, err
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return Definition{}, fmt.Errorf("something follows the definition; one file holds one agent")
	}
	if d.Limits.MaxRounds == 0 {
		d.Limits.MaxRounds = MaxRounds
	}
	switch {
	case d.Name == "" || d.Model.Provider == "" || d.Model.Name == "":
		return Definition{}, fmt.Errorf("name, model.provider and model.name are required")
	case d.Limits.MaxRounds < 1 || d.Limits.MaxRounds > MaxRounds:
		return Definition{}, fmt.Errorf("limits.maxRounds is %d; it is from 1 to %d", d.Limits.MaxRounds, MaxRounds)
	}
	if d.IfBusy != "" && !slices.Contains(Policies, d.IfBusy) {
		return Definition{}, fmt.Errorf("ifBusy is %q; it is one of %s", d.IfBusy, strings.Join(Policies, ", "))
	}
	if d.Tools == nil {
		d.Tools = []string{}
	}
	return d, nil
}

func pin(d Definition) event.Agent {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err) // strings and numbers
	}
	sum := sha256.Sum256(b)
	return event.Agent{Name: d.Name, Digest: hex.EncodeToString(sum[:]), Definition: event.Text(string(b))}
}

// Pinned reads the definition that an operation was accepted with.
func Pinned(a event.Agent) (Definition, error) {
	var d Definition
	if err := json.Unmarshal([]byte(a.Definition.Inline()), &d); err != nil {
		return Definition{}, fmt.Errorf("agent %s: the pinned definition: %w", a.Name, err)
	}
	return d, nil
}

package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"windlass/eventstore/event"
)

// Definition is what an agent is.
type Definition struct {
	Name         string `json:"name" yaml:"name"`
	Description  string `json:"description,omitempty" yaml:"description"`
	Instructions string `json:"instructions" yaml:"instructions"`
	Model        Model  `json:"model" yaml:"model"`
	// Fallbacks are asked in this order when the one before cannot answer.
	Fallbacks []Model `json:"fallbacks,omitempty" yaml:"fallbacks"`
	Tools     []Tool  `json:"tools" yaml:"tools"`
	Limits    Limits  `json:"limits" yaml:"limits"`
	// IfBusy is what becomes of a prompt that says nothing of it while others are
	// not settled: enqueue (the default), reject, interrupt or steer.
	IfBusy string `json:"ifBusy,omitempty" yaml:"ifBusy"`
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
	case len(d.Fallbacks) > maxFallbacks:
		return Definition{}, fmt.Errorf("there are %d fallbacks; at most %d are ever asked", len(d.Fallbacks), maxFallbacks)
	}
	if err := checkModels(append([]Model{d.Model}, d.Fallbacks...)); err != nil {
		return Definition{}, err
	}
	if err := d.Limits.check(); err != nil {
		return Definition{}, err
	}
	if d.IfBusy != "" && !slices.Contains(Policies, d.IfBusy) {
		return Definition{}, fmt.Errorf("ifBusy is %q; it is one of %s", d.IfBusy, strings.Join(Policies, ", "))
	}
	if d.Tools == nil {
		d.Tools = []Tool{}
	}
	for _, t := range d.Tools {
		if err := t.check(); err != nil {
			return Definition{}, err
		}
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
	d.Limits = d.Limits.whole()
	return d, nil
}

// Bounded is an agent whose turn may use no more than so much: the smaller of its own
// limits and these, of which zero values bound nothing.
func Bounded(a event.Agent, tokens int64, cost event.USD) (event.Agent, error) {
	if tokens == 0 && cost == "" {
		return a, nil
	}
	var d Definition
	if err := json.Unmarshal([]byte(a.Definition.Inline()), &d); err != nil {
		return a, fmt.Errorf("agent %s: %w", a.Name, err)
	}
	if l := &d.Limits; tokens > 0 && (l.MaxTurnTokens == 0 || tokens < l.MaxTurnTokens) {
		l.MaxTurnTokens = tokens
	}
	if l := &d.Limits; cost != "" && (l.MaxTurnCost == "" || l.MaxTurnCost.AtLeast(cost)) {
		l.MaxTurnCost = cost
	}
	return pin(d), nil
}

package agent

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ModelTimeout is how long one model call may take; well under a function's 15
// minutes, which must hold a call and what comes after it.
const ModelTimeout = 10 * time.Minute

// Model names a provider and its model.
type Model struct {
	Provider string `json:"provider" yaml:"provider"`
	Name     string `json:"name" yaml:"name"`
	// Effort is how much it may think: none, low, medium, high; absent for the provider's
	// default.
	Effort string `json:"effort,omitempty" yaml:"effort"`
}

// efforts are how much a model may think.
var efforts = []string{"none", "low", "medium", "high"}

// Scripted is the provider whose answers follow a script.
const Scripted = "scripted"

func (m Model) String() string { return m.Provider + "/" + m.Name }

// Models are the definition's models, in the order in which they are asked.
func (d Definition) Models() []string {
	all := []string{d.Model.String()}
	for _, m := range d.Fallbacks {
		all = append(all, m.String())
	}
	return all
}

// Effort is what the definition says of a model of its; see [Model].
func (d Definition) Effort(model string) string {
	for _, m := range append([]Model{d.Model}, d.Fallbacks...) {
		if m.String() == model {
			return m.Effort
		}
	}
	return ""
}

// ReadModels reads "provider/name", or several, the fallbacks behind it, separated by
// commas. Only the first "/" counts: names may have more.
func ReadModels(s string) (models []Model, err error) {
	for part := range strings.SplitSeq(s, ",") {
		provider, name, _ := strings.Cut(strings.TrimSpace(part), "/")
		m := Model{Provider: provider, Name: name}
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%q is no model: %w", part, err)
		}
		models = append(models, m)
	}
	return models, checkModels(models)
}

func checkModels(models []Model) error {
	seen := map[string]bool{}
	for _, m := range models {
		if err := m.check(); err != nil {
			return fmt.Errorf("model %s: %w", m, err)
		}
		if seen[m.String()] {
			return fmt.Errorf("model %s is named twice; what it cannot answer it cannot answer", m)
		}
		seen[m.String()] = true
	}
	return nil
}

// maxFallbacks is how many of them an attempt of a round may reach.
const maxFallbacks = 4

func (m Model) check() error {
	switch {
	case m.Provider == "" || m.Name == "":
		return fmt.Errorf("it is written as provider/name, such as openai/gpt-5.4-mini")
	case m.Effort != "" && !slices.Contains(efforts, m.Effort):
		return fmt.Errorf("effort is %q; it is one of %s", m.Effort, strings.Join(efforts, ", "))
	}
	return nil
}

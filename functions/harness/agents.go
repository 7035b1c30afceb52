package harness

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"windlass/functions/internal/agent"
	"windlass/functions/internal/tool"
	"windlass/infra/agents"
)

// defaultAgent is the agent of a session whose first operation names none.
const defaultAgent = "demo"

// agents are those of the build, and those of the folder that WINDLASS_AGENTS names. A
// mistake in either stops the start.
func (b builder) agents() (*agent.Catalog, error) {
	models, err := b.ownModels()
	if err != nil {
		return nil, err
	}
	all, err := agent.Read(agents.Files, defaultAgent, models)
	if err == nil {
		err = check(all)
	}
	folder := b.env("WINDLASS_AGENTS")
	if err != nil || folder == "" {
		return all, err
	}
	// What was checked before is fine: what is wrong from here on is in the folder.
	if err = all.Add(os.DirFS(folder), models); err == nil {
		err = check(all)
	}
	if err != nil {
		return nil, fmt.Errorf("WINDLASS_AGENTS=%s: %w", folder, err)
	}
	return all, nil
}

// ownModels take the place of the agents' own.
func (b builder) ownModels() ([]agent.Model, error) {
	named := b.env("WINDLASS_MODEL")
	if named == "" {
		return nil, nil
	}
	models, err := agent.ReadModels(named)
	for _, m := range models {
		if err == nil {
			err = knownProvider(m.Provider)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("WINDLASS_MODEL: %w", err)
	}
	return models, nil
}

func check(all *agent.Catalog) error {
	sources := checked()
	return all.Check(knownProvider, func(name string, with json.RawMessage) error {
		if name == tool.Delegate {
			return delegates(all, with)
		}
		return sources.Check(name, with)
	})
}

// delegates returns what is wrong with what an agent may hand to others: a slip of the pen
// in a name would be a refusal in the middle of a turn.
func delegates(all *agent.Catalog, with json.RawMessage) error {
	var c struct {
		Agents []string `json:"agents"`
	}
	d := json.NewDecoder(bytes.NewReader(with))
	d.DisallowUnknownFields()
	if len(with) > 0 {
		if err := d.Decode(&c); err != nil {
			return fmt.Errorf("tool %s: %w", tool.Delegate, err)
		}
	}
	if len(c.Agents) == 0 {
		return errors.New("tool delegate: with.agents names no agent that may be asked")
	}
	for _, name := range c.Agents {
		if _, ok := all.Find(name); !ok {
			return fmt.Errorf("tool %s: there is no agent %q", tool.Delegate, name)
		}
	}
	return nil
}

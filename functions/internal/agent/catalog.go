package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"windlass/eventstore/event"
)

// Catalog is the agents that are deployed.
type Catalog struct {
	byName map[string]event.Agent
	// Default is the agent of a session that names none.
	Default string
}

// Limits of a folder of definitions.
const (
	maxFiles    = 1000
	maxFileSize = 256 << 10
)

// Read reads a folder of YAML definitions; defaultName must be among them. models, if
// any, take the place of those of all agents, but for scripted ones.
func Read(files fs.FS, defaultName string, models []Model) (*Catalog, error) {
	c := &Catalog{byName: map[string]event.Agent{}, Default: defaultName}
	if err := c.Add(files, models); err != nil {
		return nil, err
	}
	if _, ok := c.byName[defaultName]; !ok {
		return nil, fmt.Errorf("the default agent %q is not defined", defaultName)
	}
	return c, nil
}

// Add reads another folder, by the same rules. An agent whose name is there already
// takes the other's place. Operations that were accepted keep what they have.
//
// A folder without a definition is an error: it is some other folder.
func (c *Catalog) Add(files fs.FS, models []Model) error {
	names, err := definitions(files)
	if err != nil {
		return err
	}
	for _, name := range names {
		d, err := load(files, name)
		if err != nil {
			return fmt.Errorf("agent %s: %w", name, err)
		}
		if len(models) > 0 && d.Model.Provider != Scripted {
			d.Model, d.Fallbacks = models[0], models[1:]
		}
		c.byName[d.Name] = pin(d)
	}
	return nil
}

// definitions are the names of a folder's definitions, in order. Folders in it are not
// looked into.
func definitions(files fs.FS) (names []string, err error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch path.Ext(e.Name()) {
		case ".yaml":
			names = append(names, e.Name())
		case ".yml":
			return nil, fmt.Errorf("agent %s: name the file .yaml", e.Name())
		}
	}
	if len(names) == 0 || len(names) > maxFiles {
		return nil, fmt.Errorf("there are %d definitions; a folder has from 1 to %d files NAME.yaml", len(names), maxFiles)
	}
	return names, nil
}

func load(files fs.FS, name string) (Definition, error) {
	info, err := fs.Stat(files, name)
	switch {
	case err != nil:
		return Definition{}, err
	case !info.Mode().IsRegular():
		return Definition{}, errors.New("it is not a file")
	case info.Size() > maxFileSize:
		return Definition{}, fmt.Errorf("it has %d bytes, at most %d are allowed", info.Size(), maxFileSize)
	}
	b, err := fs.ReadFile(files, name)
	if err != nil {
		return Definition{}, err
	}
	d, err := parse(b)
	if err == nil && d.Name+".yaml" != name {
		err = fmt.Errorf("its name is %q; name the file after it", d.Name)
	}
	return d, err
}

// Find returns an agent, pinned.
func (c *Catalog) Find(name string) (event.Agent, bool) {
	a, ok := c.byName[name]
	return a, ok
}

// Check returns what is wrong with an agent that names what is not there: models' providers
// and tools, of which others know.
func (c *Catalog) Check(provider func(name string) error, tool func(name string, with json.RawMessage) error) error {
	for _, a := range c.byName {
		d, err := Pinned(a)
		if err != nil {
			return err
		}
		for _, m := range append([]Model{d.Model}, d.Fallbacks...) {
			if err := provider(m.Provider); err != nil {
				return fmt.Errorf("agent %s.yaml: model %s: %w", d.Name, m, err)
			}
		}
		for _, t := range d.Tools {
			if err := tool(t.Name, t.With); err != nil {
				return fmt.Errorf("agent %s.yaml: %w", d.Name, err)
			}
		}
	}
	return nil
}

package main

import (
	"os"
	"path/filepath"
)

// agentsVariable names the folder of a deployment's own agents.
const agentsVariable = "WINDLASS_AGENTS"

// keepAgents copies the folder, and has functions read the copy: on AWS it is a layer,
// which nobody edits. A function's environment may be made at any time, and would read
// what somebody is just writing.
func (st *stack) keepAgents() error {
	folder := st.deployment[agentsVariable]
	if folder == "" {
		return nil
	}
	kept, err := filepath.Abs(filepath.Join(st.data, "agents"))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(kept); err != nil {
		return err
	}
	if err := os.Mkdir(kept, 0o700); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(kept, filepath.Base(file)), b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	st.deployment[agentsVariable] = kept
	return nil
}

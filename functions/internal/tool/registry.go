package tool

import (
	"slices"
	"strings"
)

// Set is the tools an agent may use, by name.
type Set map[string]*Tool

// All holds every tool there is.
var All = newSet(workspaceList, workspaceSearch, workspaceRead, workspaceWrite, workspaceEdit, applyPatch, workspaceMove, workspaceDelete, readOutput, delegate, wait, submitPrompt, scheduleSelf)

func newSet(tools ...*Tool) Set {
	s := Set{}
	for _, t := range tools {
		s[t.Name] = t
	}
	return s
}

// Only returns the named tools. A name that this build does not have is left
// out: a turn that was accepted with it goes on, and the model is told.
func (s Set) Only(names []string) Set {
	some := Set{}
	for _, n := range names {
		if t, ok := s[n]; ok {
			some[n] = t
		}
	}
	return some
}

// Names are the tools' names, sorted.
func (s Set) Names() []string {
	var names []string
	for n := range s {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// Find reads a call of one of the tools, or says why it is refused.
func (s Set) Find(name, arguments string) (Call, error) {
	t, ok := s[name]
	if !ok {
		return Call{}, failf("unknown_tool", "there is no tool %q; there are %s", name, strings.Join(s.Names(), ", "))
	}
	return t.Read(arguments)
}

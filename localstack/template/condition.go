package template

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// conditions evaluates the Conditions section. Equality and its opposite are
// modelled, and no condition may refer to another.
func (r *reader) conditions(n *yaml.Node) {
	r.holds = map[string]bool{}
	r.object(n, "Conditions").each(func(name string, value *yaml.Node) {
		r.holds[name] = r.condition(value)
	})
}

func (r *reader) condition(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.SequenceNode && n.Tag == "!Equals" && len(n.Content) == 2:
		return r.text(n.Content[0]).Value == r.text(n.Content[1]).Value
	case n.Kind == yaml.SequenceNode && n.Tag == "!Not" && len(n.Content) == 1:
		return !r.condition(n.Content[0])
	}
	r.fail(n, "a condition is !Equals [a, b] or !Not [condition]; nothing else is modelled")
	return false
}

func (r *reader) held(n *yaml.Node) bool {
	holds, known := r.holds[n.Value]
	if !known {
		r.fail(n, "the Condition %q is not defined", n.Value)
	}
	return holds
}

// chosen puts the branch that holds in the place of each !If, and takes away
// what has no value. Whoever reads the tree afterwards sees neither.
func (r *reader) chosen(n *yaml.Node) {
	if n == nil {
		return
	}
	for i, child := range n.Content {
		n.Content[i] = r.branch(child)
		r.chosen(n.Content[i])
	}
	switch n.Kind {
	case yaml.SequenceNode:
		n.Content = slices.DeleteFunc(n.Content, absent)
	case yaml.MappingNode:
		for i := len(n.Content) - 2; i >= 0; i -= 2 {
			if absent(n.Content[i+1]) {
				n.Content = slices.Delete(n.Content, i, i+2)
			}
		}
	}
}

// branch follows an !If, and one inside it, to what is chosen.
func (r *reader) branch(n *yaml.Node) *yaml.Node {
	for n.Tag == "!If" && r.err == nil {
		if n.Kind != yaml.SequenceNode || len(n.Content) != 3 {
			r.fail(n, "!If takes a condition's name and two values")
			return n
		}
		taken := 2
		if r.held(n.Content[0]) {
			taken = 1
		}
		n = n.Content[taken]
	}
	return n
}

func absent(n *yaml.Node) bool { return n.Tag == "!Ref" && n.Value == "AWS::NoValue" }

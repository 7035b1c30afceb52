package expression

import (
	"fmt"
	"strings"

	"windlass/localstack/dynamodb/attribute"
)

// Step is one part of a path: a name, or an index into a list if Index >= 0.
type Step struct {
	Name  string
	Index int
}

// Path leads to a value inside an item. It has at least one step, a name.
type Path []Step

// String renders the path as AWS does in messages.
func (p Path) String() string {
	parts := make([]string, len(p))
	for i, s := range p {
		parts[i] = s.Name
		if s.Index >= 0 {
			parts[i] = fmt.Sprintf("[%d]", s.Index)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Get follows the path.
func (p Path) Get(item attribute.Item) (attribute.Value, bool) {
	v, ok := item.Get(p[0].Name)
	for _, step := range p[1:] {
		switch {
		case !ok:
			return v, false
		case step.Index < 0:
			v, ok = v.Items.Get(step.Name) // a value of another type has no items
		case v.Kind == attribute.List && step.Index < len(v.List):
			v = v.List[step.Index]
		default:
			return attribute.Value{}, false
		}
	}
	return v, ok
}

func equalPaths(a, b Path) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// distinct refuses two paths of which one is part of the other, or which ask
// the same value to be both a list and a map.
func (p *parser) distinct(paths []Path) {
	for i, a := range paths {
		for _, b := range paths[:i] {
			if problem := clash(a, b); problem != "" {
				p.fail("Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s", problem, b, a)
				return
			}
		}
	}
}

func clash(a, b Path) string {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			continue
		}
		if (a[i].Index < 0) != (b[i].Index < 0) {
			return "conflict"
		}
		return ""
	}
	return "overlap"
}

package expression

import (
	"slices"

	"windlass/localstack/dynamodb/attribute"
)

// Projection selects parts of an item.
type Projection struct{ root *node }

// node is one step of all paths; a node without parts selects everything.
type node struct {
	names   map[string]*node
	indexes map[int]*node
}

// ParseProjection parses a list of paths.
func ParseProjection(text string, params *Placeholders) (*Projection, error) {
	p := newParser("ProjectionExpression", text, params)
	var paths []Path
	for p.err == nil {
		paths = append(paths, p.path())
		if !p.accept(",") {
			break
		}
	}
	p.end()
	if p.err == nil {
		p.distinct(paths)
	}
	if p.err != nil {
		return nil, p.err
	}
	return NewProjection(paths), nil
}

// NewProjection selects paths, none of which is part of another.
func NewProjection(paths []Path) *Projection {
	root := &node{}
	for _, path := range paths {
		n := root
		for _, step := range path {
			n = n.child(step)
		}
	}
	return &Projection{root}
}

func (n *node) child(s Step) *node {
	if s.Index < 0 {
		if n.names == nil {
			n.names = map[string]*node{}
		}
		if n.names[s.Name] == nil {
			n.names[s.Name] = &node{}
		}
		return n.names[s.Name]
	}
	if n.indexes == nil {
		n.indexes = map[int]*node{}
	}
	if n.indexes[s.Index] == nil {
		n.indexes[s.Index] = &node{}
	}
	return n.indexes[s.Index]
}

// Apply returns the selected parts. Selected elements of a list close up, in
// their order.
func (p *Projection) Apply(item attribute.Item) attribute.Item {
	return p.root.items(item)
}

func (n *node) items(item attribute.Item) attribute.Item {
	out := attribute.Item{}
	for _, f := range item {
		child, ok := n.names[f.Name]
		if !ok {
			continue
		}
		if v, ok := child.apply(f.Value); ok {
			out = append(out, attribute.Field{Name: f.Name, Value: v})
		}
	}
	return out
}

func (n *node) apply(v attribute.Value) (attribute.Value, bool) {
	switch {
	case n.names == nil && n.indexes == nil:
		return v, true
	case n.names != nil && v.Kind == attribute.Map:
		items := n.items(v.Items)
		return attribute.Value{Kind: attribute.Map, Items: items}, len(items) > 0
	case n.indexes != nil && v.Kind == attribute.List:
		list := n.elements(v.List)
		return attribute.Value{Kind: attribute.List, List: list}, len(list) > 0
	}
	return attribute.Value{}, false
}

func (n *node) elements(list []attribute.Value) []attribute.Value {
	indexes := make([]int, 0, len(n.indexes))
	for i := range n.indexes {
		if i < len(list) {
			indexes = append(indexes, i)
		}
	}
	slices.Sort(indexes)
	var out []attribute.Value
	for _, i := range indexes {
		if v, ok := n.indexes[i].apply(list[i]); ok {
			out = append(out, v)
		}
	}
	return out
}

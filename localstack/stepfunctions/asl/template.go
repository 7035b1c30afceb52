package asl

import (
	"fmt"
	"strings"
)

// Template is a payload template (Parameters, ResultSelector): JSON in which a
// member whose name ends in ".$" is replaced by what its path names.
type Template struct {
	root node
	uses map[contextField]bool
}

// node is a map[string]node, a []node, a *member (a path) or a literal.
type node any

type member struct {
	field string
	path  *Path
}

// parseTemplate accepts any JSON; tree must come from decode.
func parseTemplate(at string, tree any) (*Template, error) {
	t := &Template{uses: map[contextField]bool{}}
	root, err := t.build(at, tree)
	t.root = root
	return t, err
}

func (t *Template) build(at string, tree any) (node, error) {
	switch tree := tree.(type) {
	case map[string]any:
		return t.buildObject(at, tree)
	case []any:
		nodes := make([]node, len(tree))
		for i, element := range tree {
			var err error
			if nodes[i], err = t.build(fmt.Sprintf("%s/%d", at, i), element); err != nil {
				return nil, err
			}
		}
		return nodes, nil
	}
	return tree, nil
}

func (t *Template) buildObject(at string, tree map[string]any) (node, error) {
	object := make(map[string]node, len(tree))
	for name, value := range tree {
		plain, isPath := strings.CutSuffix(name, ".$")
		if !isPath {
			n, err := t.build(at+"/"+name, value)
			if err != nil {
				return nil, err
			}
			object[name] = n
			continue
		}
		if _, twice := tree[plain]; twice {
			return nil, fmt.Errorf("%s: both %q and %q are given", at, plain, name)
		}
		text, isText := value.(string)
		if !isText {
			return nil, fmt.Errorf("%s/%s: the value of a field ending in .$ must be a path", at, name)
		}
		path, err := ParsePath(text)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", at, name, err)
		}
		t.uses[path.context] = true
		object[plain] = &member{field: name, path: path}
	}
	return object, nil
}

// fill evaluates the template over input.
func (t *Template) fill(input *Value, ctx *Context) (any, *Failure) { return fill(t.root, input, ctx) }

func fill(n node, input *Value, ctx *Context) (any, *Failure) {
	switch n := n.(type) {
	case *member:
		return n.path.get(n.field, input, ctx)
	case map[string]node:
		object := make(map[string]any, len(n))
		for name, child := range n {
			value, failure := fill(child, input, ctx)
			if failure != nil {
				return nil, failure
			}
			object[name] = value
		}
		return object, nil
	case []node:
		array := make([]any, len(n))
		for i, child := range n {
			value, failure := fill(child, input, ctx)
			if failure != nil {
				return nil, failure
			}
			array[i] = value
		}
		return array, nil
	}
	return n, nil
}

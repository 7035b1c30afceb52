package template

import (
	"fmt"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// A reader walks one template. The first refusal is kept and everything after
// it yields zero values, so that the code that reads a resource stays a list
// of its properties.
type reader struct {
	opts      Options
	read      func(string) ([]byte, error)
	params    map[string]string
	holds     map[string]bool // conditions by name
	resources map[string]*resource
	err       error

	integrations map[string]integration // by physical name
	joins        []func(*Stack)
}

func (r *reader) fail(n *yaml.Node, format string, args ...any) {
	if r.err != nil {
		return
	}
	line := 0
	if n != nil {
		line = n.Line
	}
	r.err = &Error{Line: line, Reason: fmt.Sprintf(format, args...)}
}

// An object is a mapping whose keys must all be accounted for.
type object struct {
	r     *reader
	node  *yaml.Node
	what  string
	keys  []string
	value map[string]*yaml.Node
	taken map[string]bool
}

// object opens a mapping; a nil node gives an empty one.
func (r *reader) object(n *yaml.Node, what string) *object {
	o := &object{r: r, node: n, what: what, value: map[string]*yaml.Node{}, taken: map[string]bool{}}
	if n == nil {
		return o
	}
	if n.Kind != yaml.MappingNode || n.Tag != "!!map" {
		r.fail(n, "%s is not a mapping", what)
		return o
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || key.Value == "<<" {
			r.fail(key, "%s has a key that is not plain text", what)
			continue
		}
		if _, twice := o.value[key.Value]; twice {
			r.fail(key, "%s has %s twice", what, key.Value)
		}
		o.keys = append(o.keys, key.Value)
		o.value[key.Value] = n.Content[i+1]
	}
	return o
}

// take returns the value of a key, or nil.
func (o *object) take(key string) *yaml.Node {
	o.taken[key] = true
	return o.value[key]
}

// need is take for a key that must be there.
func (o *object) need(key string) *yaml.Node {
	n := o.take(key)
	if n == nil {
		o.r.fail(o.node, "%s has no %s", o.what, key)
	}
	return n
}

// ignore accounts for keys that only matter on AWS.
func (o *object) ignore(keys ...string) {
	for _, k := range keys {
		o.taken[k] = true
	}
}

func (o *object) each(f func(key string, value *yaml.Node)) {
	for _, k := range o.keys {
		o.taken[k] = true
		f(k, o.value[k])
	}
}

// end refuses every key that nobody asked for.
func (o *object) end() {
	for _, k := range o.keys {
		if !o.taken[k] {
			o.r.fail(o.value[k], "%s: the embedded stack does not model %s", o.what, k)
		}
	}
}

func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode || n.Tag != "!!seq" {
		r.fail(n, "%s is not a list", what)
		return nil
	}
	return n.Content
}

func (r *reader) literal(n *yaml.Node, want string) {
	if n != nil && r.text(n).Value != want {
		r.fail(n, "only %s is modelled", want)
	}
}

// literals accepts a list of exactly the given texts, in order, or its absence.
func (r *reader) literals(n *yaml.Node, want string) bool {
	if n == nil {
		return false
	}
	items := r.list(n, "the value")
	if len(items) != 1 || r.text(items[0]).Value != want {
		r.fail(n, "only [%s] is modelled", want)
	}
	return true
}

func (r *reader) number(n *yaml.Node, otherwise, least, most int) int {
	if n == nil {
		return otherwise
	}
	text := r.text(n).Value
	v, err := strconv.Atoi(text)
	if err != nil || v < least || v > most {
		r.fail(n, "%q is not a whole number from %d to %d", text, least, most)
		return otherwise
	}
	return v
}

func (r *reader) boolean(n *yaml.Node) bool {
	if n == nil {
		return false
	}
	switch text := r.text(n).Value; text {
	case "true":
		return true
	case "false":
		return false
	default:
		r.fail(n, "%q is neither true nor false", text)
		return false
	}
}

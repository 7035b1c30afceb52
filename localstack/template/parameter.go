package template

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// parameters evaluates the Parameters section, defaults overridden by options.
func (r *reader) parameters(n *yaml.Node) {
	r.params = map[string]string{}
	r.object(n, "Parameters").each(func(name string, value *yaml.Node) {
		p := r.object(value, "parameter "+name)
		kind := r.text(p.need("Type")).Value
		p.ignore("Description", "ConstraintDescription", "NoEcho")
		v, given := r.opts.Parameters[name]
		if def := p.take("Default"); !given && def == nil {
			r.fail(value, "parameter %s has no default and was not given", name)
		} else if !given {
			v = r.text(def).Value
		}
		switch kind {
		case "String":
			r.allowed(p.take("AllowedValues"), name, v)
			r.matches(p.take("AllowedPattern"), name, v)
		case "Number":
			r.allowed(p.take("AllowedValues"), name, v)
			r.bounds(p, name, v)
		default:
			r.fail(value, "parameter %s: the embedded stack does not model the type %s", name, kind)
		}
		p.end()
		r.params[name] = v
	})
}

func (r *reader) allowed(n *yaml.Node, name, v string) {
	if n == nil {
		return
	}
	for _, item := range r.list(n, "AllowedValues") {
		if r.text(item).Value == v {
			return
		}
	}
	r.fail(n, "parameter %s: %q is not an allowed value", name, v)
}

// matches checks the whole of a value, as CloudFormation does.
func (r *reader) matches(n *yaml.Node, name, v string) {
	if n == nil {
		return
	}
	pattern, err := regexp.Compile("^(?:" + r.text(n).Value + ")$")
	if err != nil || !pattern.MatchString(v) {
		r.fail(n, "parameter %s: %q does not match its pattern", name, v)
	}
}

func (r *reader) bounds(p *object, name, v string) {
	low, high := p.take("MinValue"), p.take("MaxValue")
	value, err := strconv.ParseFloat(v, 64)
	if err != nil {
		r.fail(p.node, "parameter %s: %q is not a number", name, v)
		return
	}
	for _, limit := range []*yaml.Node{low, high} {
		if limit == nil {
			continue
		}
		bound, err := strconv.ParseFloat(r.text(limit).Value, 64)
		if err != nil || (limit == low && value < bound) || (limit == high && value > bound) {
			r.fail(p.node, "parameter %s: %q is out of bounds", name, v)
		}
	}
}

package template

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// text evaluates a scalar: plain text, !Ref, !Sub or !GetAtt.
func (r *reader) text(n *yaml.Node) Variable {
	if n == nil {
		return Variable{}
	}
	if n.Kind != yaml.ScalarNode {
		r.fail(n, "expected a text, !Ref, !Sub or !GetAtt")
		return Variable{}
	}
	switch n.Tag {
	case "!!str", "!!int", "!!bool", "!!float":
		return Variable{Value: n.Value}
	case "!Ref":
		return r.ref(n, n.Value)
	case "!GetAtt":
		return r.getAtt(n, n.Value)
	case "!Sub":
		return r.sub(n, n.Value)
	}
	r.fail(n, "the embedded stack does not model %s", n.Tag)
	return Variable{}
}

var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

func (r *reader) sub(n *yaml.Node, text string) Variable {
	v := Variable{}
	v.Value = placeholder.ReplaceAllStringFunc(text, func(hole string) string {
		name := hole[2 : len(hole)-1]
		if literal, ok := strings.CutPrefix(name, "!"); ok {
			return "${" + literal + "}"
		}
		part := r.ref
		if strings.Contains(name, ".") {
			part = r.getAtt
		}
		got := part(n, name)
		v.Physical = v.Physical || got.Physical
		return got.Value
	})
	return v
}

func (r *reader) ref(n *yaml.Node, name string) Variable {
	switch name {
	case "AWS::Region":
		return Variable{Value: r.opts.Region}
	case "AWS::AccountId":
		return Variable{Value: r.opts.Account}
	case "AWS::Partition":
		return Variable{Value: "aws"}
	case "AWS::StackName":
		return Variable{Value: r.opts.Stack}
	}
	if v, ok := r.params[name]; ok {
		return Variable{Value: v}
	}
	res, ok := r.resources[name]
	if !ok || res == nil {
		r.fail(n, "nothing is called %q", name)
		return Variable{}
	}
	if res.kind.ref == nil {
		r.fail(n, "the embedded stack gives %s no reference", name)
		return Variable{}
	}
	return Variable{Value: res.kind.ref(r, res), Physical: true}
}

func (r *reader) getAtt(n *yaml.Node, path string) Variable {
	name, attribute, ok := strings.Cut(path, ".")
	res := r.resources[name]
	if !ok || res == nil {
		r.fail(n, "!GetAtt %s: no such resource", path)
		return Variable{}
	}
	value := res.kind.attributes[attribute]
	if value == nil {
		r.fail(n, "the embedded stack does not know %s before it runs", path)
		return Variable{}
	}
	// An HTTP API may have another address for others than this machine's.
	return Variable{Value: value(r, res), Physical: attribute != "ApiEndpoint" || !overHTTP(res)}
}

// reference reads a !GetAtt that must name a resource of one type and
// attribute, and returns that resource: for values that exist only at run time.
func (r *reader) reference(n *yaml.Node, kind, attribute string) *resource {
	if n == nil {
		return nil
	}
	name, got, _ := strings.Cut(n.Value, ".")
	res := r.resources[name]
	if n.Kind != yaml.ScalarNode || n.Tag != "!GetAtt" || got != attribute || res == nil || res.kind.name != kind {
		r.fail(n, "only !GetAtt of a %s's %s is modelled", kind, attribute)
		return nil
	}
	return res
}

// refTo reads a !Ref that must name a resource of one type.
func (r *reader) refTo(n *yaml.Node, k *kind) *resource {
	if n == nil {
		return nil
	}
	res := r.resources[n.Value]
	if n.Kind != yaml.ScalarNode || n.Tag != "!Ref" || res == nil || res.kind != k {
		r.fail(n, "only a !Ref to a %s of this template is modelled", k.name)
		return nil
	}
	return res
}

// plain turns a node into JSON-like values, intrinsics evaluated.
func (r *reader) plain(n *yaml.Node) any {
	switch {
	case n == nil || r.err != nil:
		return nil
	case n.Kind == yaml.MappingNode:
		m := map[string]any{}
		r.object(n, "the pattern").each(func(k string, v *yaml.Node) { m[k] = r.plain(v) })
		return m
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		for _, item := range r.list(n, "the pattern") {
			list = append(list, r.plain(item))
		}
		return list
	case n.Tag == "!!int" || n.Tag == "!!bool" || n.Tag == "!!null" || n.Tag == "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			r.fail(n, "%v", err)
		}
		return v
	}
	return r.text(n).Value
}

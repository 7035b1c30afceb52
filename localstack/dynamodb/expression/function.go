package expression

import (
	"strings"

	"windlass/localstack/dynamodb/attribute"
)

// functions that are conditions, with the number of their operands. size is an
// operand instead.
var functions = map[string]int{
	"attribute_exists": 1, "attribute_not_exists": 1, "attribute_type": 2, "begins_with": 2, "contains": 2,
}

type (
	exists struct {
		path Path
		want bool
	}
	attributeType struct {
		path Path
		kind attribute.Kind
	}
	beginsWith struct{ value, prefix operand }
	contains   struct{ value, part operand }
)

func (c exists) Holds(item attribute.Item) bool {
	_, ok := c.path.Get(item)
	return ok == c.want
}

func (c attributeType) Holds(item attribute.Item) bool {
	v, ok := c.path.Get(item)
	return ok && v.Kind == c.kind
}

func (c beginsWith) Holds(item attribute.Item) bool {
	v, ok := c.value.eval(item)
	prefix, prefixOK := c.prefix.eval(item)
	return ok && prefixOK && v.Kind == prefix.Kind && isText(v.Kind) && strings.HasPrefix(v.Text, prefix.Text)
}

func isText(k attribute.Kind) bool { return k == attribute.String || k == attribute.Binary }

// Holds: a part of a string or binary, or a member of a set or list. What is
// absent contains nothing.
func (c contains) Holds(item attribute.Item) bool {
	v, ok := c.value.eval(item)
	part, partOK := c.part.eval(item)
	switch {
	case !ok || !partOK:
		return false
	case isText(v.Kind):
		return v.Kind == part.Kind && strings.Contains(v.Text, part.Text)
	}
	return v.Contains(part)
}

func (p *parser) function() Condition {
	name := p.take().text
	p.operator()
	args := p.arguments(name, functions[name])
	if p.err != nil {
		return nil
	}
	switch name {
	case "attribute_exists", "attribute_not_exists":
		return exists{p.document(name, args[0]), name == "attribute_exists"}
	case "attribute_type":
		return p.attributeType(args)
	case "begins_with":
		for _, a := range args {
			if k := a.kind(); k != "" && !isText(k) {
				p.badOperand(name, k)
			}
		}
		p.sameOperand(name, args[0], args[1])
		return beginsWith{args[0], args[1]}
	}
	p.sameOperand(name, args[0], args[1])
	return contains{args[0], args[1]}
}

// document demands a path.
func (p *parser) document(function string, o operand) Path {
	if o.path == nil || o.size {
		p.fail("Operator or function requires a document path; operator or function: %s", function)
	}
	return o.path
}

func (p *parser) attributeType(args []operand) Condition {
	path := p.document("attribute_type", args[0])
	if args[1].path != nil || args[1].literal.Kind != attribute.String {
		p.badOperand("attribute_type", args[1].kind())
		return nil
	}
	kind := attribute.Kind(args[1].literal.Text)
	switch kind {
	case attribute.String, attribute.Number, attribute.Binary, attribute.Bool, attribute.Null, attribute.List, attribute.Map,
		attribute.StringSet, attribute.NumberSet, attribute.BinarySet:
	default:
		p.fail("Invalid attribute type name found; type: %s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}", string(kind))
	}
	return attributeType{path, kind}
}

package expression

import (
	"strconv"
	"unicode/utf8"

	"windlass/localstack/dynamodb/attribute"
)

// operand is a path, a literal value, or size(path).
type operand struct {
	path    Path            // nil for a literal
	literal attribute.Value // if path is nil
	size    bool
}

func (o operand) eval(item attribute.Item) (attribute.Value, bool) {
	if o.path == nil {
		return o.literal, true
	}
	v, ok := o.path.Get(item)
	if !ok || !o.size {
		return v, ok
	}
	return sizeOf(v)
}

// sizeOf is the function size: numbers and Booleans have none.
func sizeOf(v attribute.Value) (attribute.Value, bool) {
	n := 0
	switch v.Kind {
	case attribute.String:
		n = utf8.RuneCountInString(v.Text)
	case attribute.Binary:
		n = len(v.Text)
	case attribute.Map:
		n = len(v.Items)
	case attribute.Number, attribute.Bool, attribute.Null:
		return attribute.Value{}, false
	default:
		n = len(v.List)
	}
	return attribute.Value{Kind: attribute.Number, Text: strconv.Itoa(n)}, true
}

// kind is the type known before an item is seen, "" if there is none.
func (o operand) kind() attribute.Kind {
	switch {
	case o.size:
		return attribute.Number
	case o.path == nil:
		return o.literal.Kind
	}
	return ""
}

// operand reads a path, :value or size(path).
func (p *parser) operand() operand {
	t := p.peek()
	if t.kind == ':' {
		return operand{literal: p.value()}
	}
	if t.kind == 'w' && p.ahead(1).is("(") {
		return p.sizeCall()
	}
	return operand{path: p.path()}
}

func (p *parser) sizeCall() operand {
	name := p.take().text
	if name != "size" {
		if functions[name] != 0 {
			p.fail("The function is not allowed to be used this way in an expression; function: %s", name)
		} else {
			p.fail("Invalid function name; function: %s", name)
		}
		return operand{}
	}
	p.operator()
	args := p.arguments(name, 1)
	if p.err == nil && args[0].path == nil {
		p.badOperand(name, args[0].literal.Kind)
	}
	if p.err != nil {
		return operand{}
	}
	return operand{path: args[0].path, size: true}
}

// arguments reads (a, b, ...) and demands their number.
func (p *parser) arguments(function string, want int) []operand {
	p.expect("(")
	var args []operand
	for p.err == nil {
		args = append(args, p.operand())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if len(args) != want {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", function, len(args))
	}
	return args
}

func (p *parser) badOperand(op string, kind attribute.Kind) {
	p.fail("Incorrect operand type for operator or function; operator or function: %s, operand type: %s", op, kind)
}

func (p *parser) sameOperand(op string, first operand, others ...operand) {
	for _, o := range others {
		if first.path != nil && o.path != nil && first.size == o.size && equalPaths(first.path, o.path) {
			p.fail("The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s", op, first.path)
		}
	}
}

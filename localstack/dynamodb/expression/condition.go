package expression

import (
	"windlass/localstack/dynamodb/attribute"
)

// Condition is a condition or filter expression. An item that does not exist is
// the empty item.
type Condition interface {
	Holds(item attribute.Item) bool
}

type (
	and        struct{ left, right Condition }
	or         struct{ left, right Condition }
	not        struct{ inner Condition }
	comparison struct {
		op          string
		left, right operand
	}
	between struct{ value, low, high operand }
	in      struct {
		value operand
		among []operand
	}
)

func (c and) Holds(item attribute.Item) bool { return c.left.Holds(item) && c.right.Holds(item) }
func (c or) Holds(item attribute.Item) bool  { return c.left.Holds(item) || c.right.Holds(item) }
func (c not) Holds(item attribute.Item) bool { return !c.inner.Holds(item) }

// Holds: a comparison with what does not exist, or of different types, is
// false, except that such values do differ.
func (c comparison) Holds(item attribute.Item) bool {
	left, leftOK := c.left.eval(item)
	right, rightOK := c.right.eval(item)
	equal := leftOK && rightOK && attribute.Equal(left, right)
	switch c.op {
	case "=":
		return equal
	case "<>":
		return !equal
	}
	order, ok := attribute.Compare(left, right)
	if !ok || !leftOK || !rightOK {
		return false
	}
	switch c.op {
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func (c between) Holds(item attribute.Item) bool {
	return comparison{">=", c.value, c.low}.Holds(item) && comparison{"<=", c.value, c.high}.Holds(item)
}

func (c in) Holds(item attribute.Item) bool {
	for _, o := range c.among {
		if (comparison{"=", c.value, o}).Holds(item) {
			return true
		}
	}
	return false
}

// ParseCondition parses a condition; kind is the parameter's name for messages.
func ParseCondition(kind, text string, params *Placeholders) (Condition, error) {
	p := newParser(kind, text, params)
	c := p.or()
	p.end()
	return c, p.err
}

func (p *parser) or() Condition {
	left := p.and()
	for p.acceptKeyword("OR") {
		p.operator()
		left = or{left, p.and()}
	}
	return left
}

func (p *parser) and() Condition {
	left := p.not()
	for p.acceptKeyword("AND") {
		p.operator()
		left = and{left, p.not()}
	}
	return left
}

func (p *parser) not() Condition {
	if p.acceptKeyword("NOT") {
		p.operator()
		return not{p.not()}
	}
	if p.accept("(") {
		return p.group()
	}
	if t := p.peek(); t.kind == 'w' && p.ahead(1).is("(") && functions[t.text] != 0 {
		return p.function()
	}
	return p.predicate()
}

// group reads what stands in parentheses. A second pair around the same
// expression is refused, as AWS does.
func (p *parser) group() Condition {
	doubled := p.peek().is("(")
	start := p.pos
	c := p.or()
	if doubled && p.err == nil && p.closes(start) == p.pos-1 {
		p.fail("The expression has redundant parentheses;")
	}
	p.expect(")")
	return c
}

// closes finds the token that closes the parenthesis at open.
func (p *parser) closes(open int) int {
	depth := 0
	for i := open; i < len(p.tokens); i++ {
		switch {
		case p.tokens[i].is("("):
			depth++
		case p.tokens[i].is(")"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// predicate reads a comparison, BETWEEN or IN.
func (p *parser) predicate() Condition {
	left := p.operand()
	p.operator()
	t := p.peek()
	switch {
	case p.acceptKeyword("BETWEEN"):
		return p.between(left)
	case p.acceptKeyword("IN"):
		return p.in(left)
	case t.is("=") || t.is("<>") || t.is("<") || t.is("<=") || t.is(">") || t.is(">="):
		p.take()
		c := comparison{t.text, left, p.operand()}
		p.sameOperand(t.text, left, c.right)
		if t.text != "=" && t.text != "<>" {
			p.ordered(t.text, left, c.right)
		}
		return c
	}
	p.syntax()
	return nil
}

func (p *parser) between(value operand) Condition {
	c := between{value: value, low: p.operand()}
	if !p.acceptKeyword("AND") {
		p.syntax()
	}
	c.high = p.operand()
	p.ordered("BETWEEN", c.value, c.low, c.high)
	if p.err != nil || c.low.path != nil || c.high.path != nil {
		return c
	}
	const bounds = "lower bound operand: AttributeValue: %s, upper bound operand: AttributeValue: %s"
	low, high := describe(c.low.literal), describe(c.high.literal)
	switch order, ok := attribute.Compare(c.low.literal, c.high.literal); {
	case !ok:
		p.fail("The BETWEEN operator requires same data type for lower and upper bounds; "+bounds, low, high)
	case order > 0:
		p.fail("The BETWEEN operator requires upper bound to be greater than or equal to lower bound; "+bounds, low, high)
	}
	return c
}

func describe(v attribute.Value) string { return "{" + string(v.Kind) + ":" + v.Text + "}" }

// maxIn is how many values IN may list.
const maxIn = 100

func (p *parser) in(value operand) Condition {
	c := in{value: value}
	p.expect("(")
	for p.err == nil {
		c.among = append(c.among, p.operand())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if len(c.among) > maxIn {
		p.fail("The IN operator is provided with too many operands; number of operands: %d", len(c.among))
	}
	return c
}

// ordered refuses operands that have no order.
func (p *parser) ordered(op string, operands ...operand) {
	for _, o := range operands {
		switch k := o.kind(); k {
		case "", attribute.String, attribute.Number, attribute.Binary:
		default:
			p.badOperand(op, k)
		}
	}
}

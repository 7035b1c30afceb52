package expression

import (
	"windlass/localstack/dynamodb/attribute"
)

// What goes wrong when an update meets an item, in AWS's words.
var (
	errNoAttribute = &Error{"The provided expression refers to an attribute that does not exist in the item"}
	errOperandType = &Error{"An operand in the update expression has an incorrect data type"}
	errUpdatePath  = &Error{"The document path provided in the update expression is invalid for update"}
)

// term is the right side of a SET: it has a value for an item, or an error.
type term interface {
	value(item attribute.Item) (attribute.Value, error)
}

type (
	plainTerm   struct{ operand }
	sumTerm     struct{ left, right term }
	minusTerm   struct{ left, right term }
	ifNotExists struct {
		path     Path
		fallback term
	}
	listAppend struct{ first, second term }
)

func (t plainTerm) value(item attribute.Item) (attribute.Value, error) {
	v, ok := t.eval(item)
	if !ok {
		return v, errNoAttribute
	}
	return v, nil
}

func (t sumTerm) value(item attribute.Item) (attribute.Value, error) {
	left, right, err := both(item, t.left, t.right, attribute.Number)
	if err != nil {
		return left, err
	}
	return addNumbers(left.Decimal(), right.Decimal())
}

func (t minusTerm) value(item attribute.Item) (attribute.Value, error) {
	left, right, err := both(item, t.left, t.right, attribute.Number)
	if err != nil {
		return left, err
	}
	return addNumbers(left.Decimal(), right.Decimal().Negate())
}

func (t ifNotExists) value(item attribute.Item) (attribute.Value, error) {
	if v, ok := t.path.Get(item); ok {
		return v, nil
	}
	return t.fallback.value(item)
}

func (t listAppend) value(item attribute.Item) (attribute.Value, error) {
	first, second, err := both(item, t.first, t.second, attribute.List)
	if err != nil {
		return first, err
	}
	list := make([]attribute.Value, 0, len(first.List)+len(second.List))
	list = append(append(list, first.List...), second.List...)
	return attribute.Value{Kind: attribute.List, List: list}, nil
}

// both evaluates two terms, which must be of the type.
func both(item attribute.Item, left, right term, kind attribute.Kind) (l, r attribute.Value, err error) {
	if l, err = left.value(item); err != nil {
		return l, r, err
	}
	if r, err = right.value(item); err != nil {
		return l, r, err
	}
	if l.Kind != kind || r.Kind != kind {
		return l, r, errOperandType
	}
	return l, r, nil
}

func addNumbers(a, b attribute.Decimal) (attribute.Value, error) {
	sum, err := a.Add(b)
	if err != nil {
		return attribute.Value{}, &Error{err.Error()}
	}
	return attribute.N(sum), nil
}

// sum reads a term, term + term or term - term.
func (p *parser) sum() term {
	left := p.term()
	t := p.peek()
	if !t.is("+") && !t.is("-") {
		return left
	}
	p.take()
	p.operator()
	right := p.term()
	p.literalOf(t.text, attribute.Number, left, right)
	if t.text == "+" {
		return sumTerm{left, right}
	}
	return minusTerm{left, right}
}

// literalOf refuses literals of another type before an item is seen.
func (p *parser) literalOf(op string, kind attribute.Kind, terms ...term) {
	for _, t := range terms {
		if plain, ok := t.(plainTerm); ok && plain.path == nil && plain.literal.Kind != kind && p.err == nil {
			p.badOperand(op, plain.literal.Kind)
		}
	}
}

func (p *parser) term() term {
	if p.accept("(") {
		t := p.sum()
		p.expect(")")
		return t
	}
	t := p.peek()
	if t.kind != 'w' || !p.ahead(1).is("(") {
		o := p.operand()
		return plainTerm{o}
	}
	switch t.text {
	case "if_not_exists":
		first, second := p.pair()
		plain, ok := first.(plainTerm)
		if p.err == nil && (!ok || plain.path == nil) {
			p.fail("Operator or function requires a document path; operator or function: if_not_exists")
		}
		return ifNotExists{plain.path, second}
	case "list_append":
		first, second := p.pair()
		p.literalOf("list_append", attribute.List, first, second)
		return listAppend{first, second}
	case "size", "attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains":
		p.fail("The function is not allowed in an update expression; function: %s", t.text)
	default:
		p.fail("Invalid function name; function: %s", t.text)
	}
	return plainTerm{}
}

// pair reads name(term, term).
func (p *parser) pair() (first, second term) {
	name := p.take().text
	p.operator()
	p.expect("(")
	first = p.term()
	if p.peek().is(")") {
		p.fail("Incorrect number of operands for operator or function; operator or function: %s, number of operands: 1", name)
	}
	p.expect(",")
	second = p.term()
	p.expect(")")
	return first, second
}

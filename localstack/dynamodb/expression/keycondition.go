package expression

import (
	"windlass/localstack/dynamodb/attribute"
)

// KeyCondition selects a range of one partition. Op is "" if the sort key is
// not named, or one of = < <= > >= BETWEEN begins_with; High is for BETWEEN.
type KeyCondition struct {
	Hash      attribute.Value
	Op        string
	Low, High attribute.Value
}

const keyCondition = "KeyConditionExpression"

// ParseKeyCondition parses a key condition for a table with these key names;
// sort is "" if it has no sort key.
func ParseKeyCondition(text, hash, sort string, params *Placeholders) (KeyCondition, error) {
	p := newParser(keyCondition, text, params)
	c := p.or()
	p.end()
	if p.err != nil {
		return KeyCondition{}, p.err
	}
	terms, err := conjunction(c, nil)
	if err != nil {
		return KeyCondition{}, err
	}
	var out KeyCondition
	seen := map[string]bool{}
	for _, term := range terms {
		t, err := keyTermOf(term)
		if err != nil {
			return out, err
		}
		if seen[t.name] {
			return out, refuse("KeyConditionExpressions must only contain one condition per key")
		}
		seen[t.name] = true
		switch {
		case t.name == hash && t.op == "=":
			out.Hash = t.low
		case t.name == sort && sort != "" && t.op != "<>":
			out.Op, out.Low, out.High = t.op, t.low, t.high
		default:
			return out, refuse("Query key condition not supported")
		}
	}
	if !seen[hash] {
		return out, refuse("Query condition missed key schema element: %s", hash)
	}
	return out, nil
}

// conjunction flattens terms joined by AND.
func conjunction(c Condition, terms []Condition) ([]Condition, error) {
	switch c := c.(type) {
	case and:
		terms, err := conjunction(c.left, terms)
		if err != nil {
			return nil, err
		}
		return conjunction(c.right, terms)
	case or:
		return nil, refuse("Invalid %s: Invalid operator used in %s: OR", keyCondition, keyCondition)
	case not:
		return nil, refuse("Invalid %s: Invalid operator used in %s: NOT", keyCondition, keyCondition)
	case in:
		return nil, refuse("Invalid %s: Invalid operator used in %s: IN", keyCondition, keyCondition)
	}
	if len(terms) == 2 {
		return nil, refuse("Conditions can be of length 1 or 2 only")
	}
	return append(terms, c), nil
}

type keyTerm struct {
	name, op  string
	low, high attribute.Value
}

func keyTermOf(c Condition) (keyTerm, error) {
	switch c := c.(type) {
	case comparison:
		if c.left.path == nil { // :value = key
			c.left, c.right = c.right, c.left
			c.op = mirrored[c.op]
		}
		return newKeyTerm(c.op, c.left, c.right, c.right)
	case between:
		return newKeyTerm("BETWEEN", c.value, c.low, c.high)
	case beginsWith:
		return newKeyTerm("begins_with", c.value, c.prefix, c.prefix)
	}
	return keyTerm{}, refuse("Invalid %s: Invalid operator used in %s: function", keyCondition, keyCondition)
}

var mirrored = map[string]string{"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func newKeyTerm(op string, key, low, high operand) (keyTerm, error) {
	switch {
	case key.size || low.size || high.size:
		return keyTerm{}, refuse("Invalid %s: KeyConditionExpressions cannot contain function size", keyCondition)
	case len(key.path) != 1:
		return keyTerm{}, refuse("Invalid %s: KeyConditionExpressions cannot have conditions on nested attributes", keyCondition)
	case low.path != nil || high.path != nil:
		return keyTerm{}, refuse("Invalid %s: The expression has a key on both sides of an operator", keyCondition)
	}
	return keyTerm{key.path[0].Name, op, low.literal, high.literal}, nil
}

package expression

import (
	"fmt"
	"slices"
	"strings"

	"windlass/localstack/dynamodb/attribute"
)

// Error is a refusal in AWS's words; it is a ValidationException.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func refuse(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Name is one entry of ExpressionAttributeNames.
type Name struct{ Placeholder, Attribute string }

// Placeholders are the names and values of one request, and which of them its
// expressions used.
type Placeholders struct {
	names      []Name
	values     attribute.Item
	usedNames  []bool
	usedValues []bool
}

// NewPlaceholders checks the spelling of the placeholders.
func NewPlaceholders(names []Name, values attribute.Item) (*Placeholders, error) {
	for _, n := range names {
		if !isPlaceholder(n.Placeholder, '#') {
			return nil, refuse(`ExpressionAttributeNames contains invalid key: Syntax error; key: "%s"`, n.Placeholder)
		}
	}
	for _, v := range values {
		if !isPlaceholder(v.Name, ':') {
			return nil, refuse(`ExpressionAttributeValues contains invalid key: Syntax error; key: "%s"`, v.Name)
		}
	}
	return &Placeholders{names: names, values: values, usedNames: make([]bool, len(names)), usedValues: make([]bool, len(values))}, nil
}

func isPlaceholder(s string, sigil byte) bool {
	if len(s) < 2 || s[0] != sigil {
		return false
	}
	for i := 1; i < len(s); i++ {
		if !isWord(s[i]) {
			return false
		}
	}
	return true
}

func (p *Placeholders) name(placeholder string) (string, bool) {
	i := slices.IndexFunc(p.names, func(n Name) bool { return n.Placeholder == placeholder })
	if i < 0 {
		return "", false
	}
	p.usedNames[i] = true
	return p.names[i].Attribute, true
}

func (p *Placeholders) value(placeholder string) (attribute.Value, bool) {
	i := slices.IndexFunc(p.values, func(f attribute.Field) bool { return f.Name == placeholder })
	if i < 0 {
		return attribute.Value{}, false
	}
	p.usedValues[i] = true
	return p.values[i].Value, true
}

// Unused refuses placeholders that no expression used. Call it when all of the
// request's expressions are parsed.
func (p *Placeholders) Unused() error {
	var unused []string
	for i, n := range p.names {
		if !p.usedNames[i] {
			unused = append(unused, n.Placeholder)
		}
	}
	if len(unused) > 0 {
		return refuse("Value provided in ExpressionAttributeNames unused in expressions: keys: {%s}", strings.Join(unused, ", "))
	}
	for i, v := range p.values {
		if !p.usedValues[i] {
			unused = append(unused, v.Name)
		}
	}
	if len(unused) > 0 {
		return refuse("Value provided in ExpressionAttributeValues unused in expressions: keys: {%s}", strings.Join(unused, ", "))
	}
	return nil
}

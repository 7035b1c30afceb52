package asl

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// comparison is a rule about one place of the input.
type comparison struct {
	variable *Path
	operator operator
	literal  any
	path     *Path // of the other side, for operators ending in Path
}

// operator compares two values of one kind; other kinds do not match.
type operator struct {
	kind     string // string, number, boolean; present and null look at one value only
	holds    func(order int) bool
	wantText string
}

var operators = makeOperators()

func makeOperators() map[string]operator {
	orders := map[string]func(int) bool{
		"Equals":            func(o int) bool { return o == 0 },
		"LessThan":          func(o int) bool { return o < 0 },
		"LessThanEquals":    func(o int) bool { return o <= 0 },
		"GreaterThan":       func(o int) bool { return o > 0 },
		"GreaterThanEquals": func(o int) bool { return o >= 0 },
	}
	all := map[string]operator{
		"BooleanEquals": {"boolean", orders["Equals"], "a boolean"},
		"IsPresent":     {"present", nil, "a boolean"},
		"IsNull":        {"null", nil, "a boolean"},
	}
	for name, holds := range orders {
		all["String"+name] = operator{"string", holds, "a string"}
		all["Numeric"+name] = operator{"number", holds, "a number"}
	}
	return all
}

func readComparison(e *object) condition {
	c := comparison{}
	if !e.has("Variable") {
		e.fail("Variable", "is required")
	}
	c.variable = e.path("Variable")
	found := 0
	for name := range e.members {
		base, isPath := strings.CutSuffix(name, "Path")
		op, known := operators[base]
		if !known || isPath && op.holds == nil {
			continue
		}
		found++
		c.operator = op
		if isPath {
			c.path = e.path(name)
			continue
		}
		raw, _ := e.take(name)
		c.literal, _ = decode(raw)
		if kindOf(c.literal) != op.kind && !(op.holds == nil && kindOf(c.literal) == "boolean") {
			e.fail(name, "must be %s", op.wantText)
		}
	}
	if found != 1 {
		e.fail("Variable", "exactly one comparison that is supported here is required, found %d", found)
	}
	return c
}

func (c comparison) holds(input *Value, ctx *Context) (bool, *Failure) {
	value, present := c.variable.find(input.Tree(), ctx)
	if c.operator.kind == "present" {
		return present == c.literal, nil
	}
	if !present {
		return false, invalidPath(c.variable)
	}
	if c.operator.kind == "null" {
		return (value == nil) == c.literal, nil
	}
	other := c.literal
	if c.path != nil {
		if other, present = c.path.find(input.Tree(), ctx); !present {
			return false, invalidPath(c.path)
		}
	}
	if kindOf(value) != c.operator.kind || kindOf(other) != c.operator.kind {
		return false, nil
	}
	order, comparable := compare(value, other)
	return comparable && c.operator.holds(order), nil
}

func invalidPath(p *Path) *Failure {
	return &Failure{ErrRuntime, fmt.Sprintf("Invalid path '%s': The choice state's condition path references an invalid value.", p)}
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return "other"
}

// compare orders two values of one kind; booleans are only equal or not.
func compare(a, b any) (order int, comparable bool) {
	switch a := a.(type) {
	case string:
		return cmp.Compare(a, b.(string)), true
	case json.Number:
		return compareNumbers(a.String(), b.(json.Number).String())
	case bool:
		if a == b.(bool) {
			return 0, true
		}
		return 1, true
	}
	return 0, false
}

// compareNumbers is exact for integers of 64 bits, else as exact as float64.
func compareNumbers(a, b string) (int, bool) {
	if x, err := strconv.ParseInt(a, 10, 64); err == nil {
		if y, err := strconv.ParseInt(b, 10, 64); err == nil {
			return cmp.Compare(x, y), true
		}
	}
	x, _ := strconv.ParseFloat(a, 64) // out of range is an infinity
	y, _ := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y), !(math.IsInf(x, 0) && math.IsInf(y, 0))
}

package asl

import "fmt"

// maxRuleDepth bounds And, Or and Not inside each other.
const maxRuleDepth = 16

// Choice goes where the first rule that holds says.
type Choice struct {
	Flow
	rules    []rule
	fallback string // "" if there is no Default
}

type rule struct {
	condition
	next string
}

// condition is something that holds for an input, or not, or cannot be told.
type condition interface {
	holds(input *Value, ctx *Context) (bool, *Failure)
}

func (c *Choice) terminal() bool { return false }

func (c *Choice) targets() []target {
	var all []target
	for i, r := range c.rules {
		all = append(all, target{fmt.Sprintf("Choices/%d/Next", i), r.next})
	}
	if c.fallback != "" {
		all = append(all, target{"Default", c.fallback})
	}
	return all
}

func readChoice(o *object) State {
	c := &Choice{Flow: Flow{InputPath: o.pathOrNull("InputPath"), OutputPath: o.pathOrNull("OutputPath")}}
	c.fallback, _ = o.text("Default")
	choices := o.list("Choices")
	if len(choices) == 0 {
		o.fail("Choices", "must have at least one rule")
	}
	for i, raw := range choices {
		e := readObject(place(o, "Choices", i), raw, o.problems)
		r := rule{next: e.requiredText("Next")}
		r.condition = readCondition(e, maxRuleDepth)
		c.rules = append(c.rules, r)
	}
	return c
}

// Next returns the state to go to.
func (c *Choice) Next(input *Value, ctx *Context) (string, *Failure) {
	effective, failure := selectPath("InputPath", c.InputPath, input, ctx)
	if failure != nil {
		return "", failure
	}
	for _, r := range c.rules {
		holds, failure := r.holds(effective, ctx)
		if failure != nil {
			return "", failure
		}
		if holds {
			return r.next, nil
		}
	}
	if c.fallback == "" {
		return "", &Failure{ErrNoChoiceMatched, "No choice rule matched and there is no Default"}
	}
	return c.fallback, nil
}

func readCondition(e *object, depth int) condition {
	e.text("Comment")
	if depth == 0 {
		e.fail("", "rules are nested more than %d deep", maxRuleDepth)
		return never{}
	}
	defer e.done()
	switch {
	case e.has("And"):
		return readAll(e, "And", true, depth)
	case e.has("Or"):
		return readAll(e, "Or", false, depth)
	case e.has("Not"):
		raw, _ := e.take("Not")
		return not{readCondition(readObject(e.at+"/Not", raw, e.problems), depth-1)}
	}
	return readComparison(e)
}

func readAll(e *object, name string, and bool, depth int) condition {
	elements := e.list(name)
	if len(elements) == 0 {
		e.fail(name, "must have at least one rule")
	}
	c := combined{and: and}
	for i, raw := range elements {
		c.of = append(c.of, readCondition(readObject(place(e, name, i), raw, e.problems), depth-1))
	}
	return c
}

// combined is And or Or; it stops at the first part that decides.
type combined struct {
	and bool
	of  []condition
}

func (c combined) holds(input *Value, ctx *Context) (bool, *Failure) {
	for _, part := range c.of {
		if holds, failure := part.holds(input, ctx); failure != nil || holds != c.and {
			return holds, failure
		}
	}
	return c.and, nil
}

type not struct{ of condition }

func (n not) holds(input *Value, ctx *Context) (bool, *Failure) {
	holds, failure := n.of.holds(input, ctx)
	return !holds && failure == nil, failure
}

type never struct{}

func (never) holds(*Value, *Context) (bool, *Failure) { return false, nil }

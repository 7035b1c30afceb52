package asl

import (
	"fmt"
	"maps"
)

// Flow is how data moves through a state: InputPath, Parameters, (the state's
// work), ResultSelector, ResultPath, OutputPath. A nil path is an explicit null;
// states without one of the fields have its default.
type Flow struct {
	InputPath, ResultPath, OutputPath *Path
	Parameters, ResultSelector        *Template
}

var emptyObject = map[string]any{}

// Effective is the input after InputPath and Parameters.
func (f *Flow) Effective(input *Value, ctx *Context) (*Value, *Failure) {
	v, failure := selectPath("InputPath", f.InputPath, input, ctx)
	if failure != nil || f.Parameters == nil {
		return v, failure
	}
	tree, failure := f.Parameters.fill(v, ctx)
	if failure != nil {
		return nil, failure
	}
	return TreeValue(tree), nil
}

// Output is the state's output: the result after ResultSelector, put into the
// raw input by ResultPath, then OutputPath.
func (f *Flow) Output(input, result *Value, ctx *Context) (*Value, *Failure) {
	if f.ResultSelector != nil {
		tree, failure := f.ResultSelector.fill(result, ctx)
		if failure != nil {
			return nil, failure
		}
		result = TreeValue(tree)
	}
	v, failure := f.merge(input, result)
	if failure != nil {
		return nil, failure
	}
	return selectPath("OutputPath", f.OutputPath, v, ctx)
}

func (f *Flow) merge(input, result *Value) (*Value, *Failure) {
	return putResult(f.ResultPath, input, result)
}

// Through is the output of a state that has only InputPath and OutputPath.
func (f *Flow) Through(input *Value, ctx *Context) (*Value, *Failure) {
	v, failure := selectPath("InputPath", f.InputPath, input, ctx)
	if failure != nil {
		return nil, failure
	}
	return selectPath("OutputPath", f.OutputPath, v, ctx)
}

func selectPath(field string, p *Path, v *Value, ctx *Context) (*Value, *Failure) {
	switch {
	case p == nil:
		return TreeValue(emptyObject), nil
	case p.isRoot():
		return v, nil // the text goes through untouched
	}
	tree, failure := p.get(field, v, ctx)
	if failure != nil {
		return nil, failure
	}
	return TreeValue(tree), nil
}

func putResult(p *Path, input, result *Value) (*Value, *Failure) {
	switch {
	case p == nil:
		return input, nil
	case p.isRoot():
		return result, nil
	}
	tree, ok := put(input.Tree(), p.steps, result.Tree())
	if !ok {
		return nil, &Failure{ErrResultPathMatchFailure, fmt.Sprintf("Unable to apply ResultPath '%s' to the input '%s'",
			p.text, excerpt(input.Text()))}
	}
	return TreeValue(tree), nil
}

// put returns a copy of tree with value at steps; only the objects on the way
// are copied.
func put(tree any, steps []step, value any) (any, bool) {
	if len(steps) == 0 {
		return value, true
	}
	object, isObject := tree.(map[string]any)
	if !isObject {
		return nil, false
	}
	child, exists := object[steps[0].name]
	if !exists {
		child = emptyObject
	}
	changed, ok := put(child, steps[1:], value)
	if !ok {
		return nil, false
	}
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	object[steps[0].name] = changed
	return object, true
}

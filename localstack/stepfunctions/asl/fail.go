package asl

import "fmt"

// Fail ends the execution with an error.
type Fail struct {
	Transition
	err, cause         string
	errPath, causePath *Path
}

func readFail(o *object) State {
	s := &Fail{}
	s.err, s.errPath = textOrPath(o, "Error")
	s.cause, s.causePath = textOrPath(o, "Cause")
	return s
}

func textOrPath(o *object, name string) (string, *Path) {
	if o.has(name) && o.has(name+"Path") {
		o.fail(name, "both %s and %sPath are given", name, name)
	}
	text, _ := o.text(name)
	return text, o.path(name + "Path")
}

// Run returns the failure the execution ends with.
func (s *Fail) Run(input *Value, ctx *Context) *Failure {
	name, failure := textAt("ErrorPath", s.err, s.errPath, input, ctx)
	if failure != nil {
		return failure
	}
	cause, failure := textAt("CausePath", s.cause, s.causePath, input, ctx)
	if failure != nil {
		return failure
	}
	return &Failure{Error: name, Cause: cause}
}

func textAt(field, text string, p *Path, input *Value, ctx *Context) (string, *Failure) {
	if p == nil {
		return text, nil
	}
	value, failure := p.get(field, input, ctx)
	if failure != nil {
		return "", failure
	}
	text, isText := value.(string)
	if !isText {
		return "", &Failure{ErrRuntime, fmt.Sprintf("The %s '%s' does not name a string", field, p)}
	}
	return text, nil
}

package asl

// Pass hands on its input, or a fixed Result.
type Pass struct {
	Transition
	Flow
	result    any
	hasResult bool
}

func readPass(o *object) State {
	s := &Pass{Transition: o.transition(), Flow: Flow{
		InputPath: o.pathOrNull("InputPath"), OutputPath: o.pathOrNull("OutputPath"),
		Parameters: o.template("Parameters"), ResultPath: o.resultPath(),
	}}
	if raw, given := o.take("Result"); given {
		s.result, _ = decode(raw)
		s.hasResult = true
	}
	return s
}

// Run returns the state's output.
func (s *Pass) Run(input *Value, ctx *Context) (*Value, *Failure) {
	result, failure := s.Effective(input, ctx)
	if failure != nil {
		return nil, failure
	}
	if s.hasResult {
		result = TreeValue(s.result)
	}
	return s.Output(input, result, ctx)
}

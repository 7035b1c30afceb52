package stepfunctions

import "windlass/localstack/stepfunctions/asl"

func (r *run) enterChoice(s *asl.Choice) {
	r.entered("Choice")
	next, failure := s.Next(r.data, &r.context)
	if failure != nil {
		r.fail(failure)
		return
	}
	output, failure := s.Through(r.data, &r.context)
	r.pass("Choice", next, output, failure)
}

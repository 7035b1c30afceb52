package stepfunctions

import "windlass/localstack/stepfunctions/asl"

func (r *run) enterPass(s *asl.Pass) {
	r.entered("Pass")
	output, failure := s.Run(r.data, &r.context)
	r.pass("Pass", s.Next, output, failure)
}

package stepfunctions

import "windlass/localstack/stepfunctions/asl"

func (r *run) enterSucceed(s *asl.Succeed) {
	r.entered("Succeed")
	output, failure := s.Through(r.data, &r.context)
	r.pass("Succeed", "", output, failure)
}

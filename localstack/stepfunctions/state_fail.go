package stepfunctions

import "windlass/localstack/stepfunctions/asl"

func (r *run) enterFail(s *asl.Fail) {
	r.entered("Fail")
	r.fail(s.Run(r.data, &r.context))
}

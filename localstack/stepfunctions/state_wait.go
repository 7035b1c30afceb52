package stepfunctions

import "windlass/localstack/stepfunctions/asl"

func (r *run) enterWait(s *asl.Wait) {
	r.entered("Wait")
	until, failure := s.Until(r.now, r.data, &r.context)
	if failure != nil {
		r.fail(failure)
		return
	}
	r.cur.Due = atLeast(until)
	r.cur.Phase = waiting
	if !until.After(r.now) {
		r.cur.Due = 0
		r.leaveWait()
	}
}

func (r *run) leaveWait() {
	s := r.machine.States[r.cur.State].(*asl.Wait)
	output, failure := s.Through(r.data, &r.context)
	r.pass("Wait", s.Next, output, failure)
}

package stepfunctions

import "encoding/json"

// maxDetail is how much escaped input and output an event may carry.
const maxDetail = 248 << 10

// statusChange describes an execution as EventBridge would. If input and output
// do not fit together the input is left out, and then the output.
func (s *Service) statusChange(ex *execution, input, output []byte) StatusChange {
	detail := StatusChange{
		ExecutionARN:    s.executionARN(ex.Machine, ex.Name),
		StateMachineARN: s.machineARN(ex.Machine),
		Name:            ex.Name,
		Status:          string(ex.Status),
		StartDate:       int64(ex.Start),
		Error:           ex.Error,
		Cause:           ex.Cause,
	}
	if ex.Stop != 0 {
		stop := int64(ex.Stop)
		detail.StopDate = &stop
	}
	in, out := escapedLen(input), 0
	if output != nil {
		out = escapedLen(output)
		detail.Output, detail.OutputDetails = include(output, out <= maxDetail)
	}
	detail.Input, detail.InputDetails = include(input, in+out <= maxDetail)
	return detail
}

func include(text []byte, fits bool) (*string, *Included) {
	if !fits {
		return nil, &Included{}
	}
	s := string(text)
	return &s, &Included{Included: true}
}

func escapedLen(text []byte) int {
	quoted, _ := json.Marshal(string(text))
	return len(quoted)
}

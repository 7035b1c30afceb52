package stepfunctions

import (
	"context"
	"net/http"
	"strconv"

	"windlass/localstack/awsjson"
)

// Handler serves the API (JSON 1.0). Operations and fields that are not modelled
// are refused by name.
func (s *Service) Handler() http.Handler {
	return awsjson.Handler("AWSStepFunctions", "application/x-amz-json-1.0", map[string]awsjson.Operation{
		"CreateStateMachine":   operation(s.createStateMachine),
		"UpdateStateMachine":   operation(s.updateStateMachine),
		"DescribeStateMachine": operation(s.describeStateMachine),
		"ListStateMachines":    operation(s.listStateMachines),
		"DeleteStateMachine":   operation(s.deleteStateMachine),
		"StartExecution":       operation(s.startExecution),
		"DescribeExecution":    operation(s.describeExecution),
		"StopExecution":        operation(s.stopExecution),
		"ListExecutions":       operation(s.listExecutions),
		"GetExecutionHistory":  operation(s.getExecutionHistory),
		"SendTaskSuccess":      operation(s.sendTaskSuccess),
		"SendTaskFailure":      operation(s.sendTaskFailure),
		"SendTaskHeartbeat":    operation(s.sendTaskHeartbeat),
	})
}

func operation[In any](do func(In) (any, error)) awsjson.Operation {
	return func(_ context.Context, body []byte) (any, error) {
		var in In
		if err := awsjson.Decode(body, &in); err != nil {
			return nil, err
		}
		return do(in)
	}
}

// MarshalJSON gives times their form in the protocol: seconds since 1970.
func (m epoch) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(m)/1000, 'f', 3, 64), nil
}

type epoch millis

// members is an answer; absent optional members are left out.
type members map[string]any

func (m members) set(name string, text *string) {
	if text != nil {
		m[name] = *text
	}
}

package stepfunctions

import (
	"encoding/json"
	"errors"
	"fmt"

	"windlass/localstack/stepfunctions/asl"
)

// Error names of Lambda, beside those of the functions themselves.
const (
	errLambdaUnknown = "Lambda.Unknown"
	errLambdaService = "Lambda.ServiceException"
)

// invoke makes one attempt and hands its outcome to the execution.
func (s *Service) invoke(seq uint64, call *invocation) {
	result, functionError, err := s.opts.Invoke(s.ctx, call.function, call.payload)
	s.drive(seq, answer{attempt: call.attempt, outcome: readOutcome(result, functionError, err)})
}

func readOutcome(result []byte, functionError *FunctionError, err error) outcome {
	switch {
	case err != nil:
		return outcome{refused: true, failure: &asl.Failure{Error: serviceError(err), Cause: err.Error()}}
	case functionError != nil:
		return outcome{failure: functionFailure(functionError)}
	case len(result) == 0:
		return outcome{result: asl.TreeValue(nil)}
	}
	v, err := asl.ParseValue(result)
	if err != nil {
		return outcome{failure: &asl.Failure{Error: errLambdaUnknown, Cause: fmt.Sprintf("The function's answer is not JSON: %v", err)}}
	}
	return outcome{result: v}
}

func serviceError(err error) string {
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) && coded.ErrorCode() != "" {
		return "Lambda." + coded.ErrorCode()
	}
	return errLambdaService
}

// functionFailure makes the handler's error type the error name, and the
// handler's answer the cause.
func functionFailure(e *FunctionError) *asl.Failure {
	name := e.Type
	if name == "" {
		name = errLambdaUnknown
	}
	cause, err := json.Marshal(e)
	if err != nil {
		cause = []byte(e.Message)
	}
	return &asl.Failure{Error: name, Cause: string(cause)}
}

// lost is the outcome of an invocation whose process ended first. Whether the
// function did its work is not known; that is what Lambda.Unknown says on AWS.
func lost() outcome {
	return outcome{failure: &asl.Failure{Error: errLambdaUnknown, Cause: "The process that ran the function ended before the function answered."}}
}

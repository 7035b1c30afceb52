package stepfunctions

import (
	"windlass/localstack/awsjson"
	"windlass/localstack/stepfunctions/asl"
)

// maxToken is AWS's bound on a task token.
const maxToken = 2048

type sendTaskSuccessInput struct {
	Token  string  `json:"taskToken"`
	Output *string `json:"output"`
}

func (s *Service) sendTaskSuccess(in sendTaskSuccessInput) (any, error) {
	if in.Output == nil {
		return nil, awsjson.Errorf("ValidationException", "output is required")
	}
	if len(*in.Output) > asl.MaxData {
		return nil, awsjson.Errorf("ValidationException", "output has %d bytes, more than %d", len(*in.Output), asl.MaxData)
	}
	v, err := asl.ParseValue([]byte(*in.Output))
	if err != nil {
		return nil, awsjson.Errorf("InvalidOutput", "Invalid Output: the output is not JSON: %v", err)
	}
	return s.answerToken(in.Token, func(r *run) { r.taskSucceeded(v) })
}

type sendTaskFailureInput struct {
	Token string `json:"taskToken"`
	Error string `json:"error"`
	Cause string `json:"cause"`
}

func (s *Service) sendTaskFailure(in sendTaskFailureInput) (any, error) {
	if len(in.Error) > maxError || len(in.Cause) > maxCause {
		return nil, awsjson.Errorf("ValidationException", "error has at most %d bytes and cause at most %d", maxError, maxCause)
	}
	failure := &asl.Failure{Error: in.Error, Cause: in.Cause}
	return s.answerToken(in.Token, func(r *run) { r.taskFailed("Failed", failure) })
}

type sendTaskHeartbeatInput struct {
	Token string `json:"taskToken"`
}

func (s *Service) sendTaskHeartbeat(in sendTaskHeartbeatInput) (any, error) {
	return s.answerToken(in.Token, func(r *run) { r.heartbeat() })
}

// answerToken moves the execution whose present token this is. A token is taken
// while the function that got it still runs; the function's own answer is then
// ignored. Once it was answered, failed, timed out or was replaced by a retry's,
// the answer is TaskTimedOut, as on AWS.
func (s *Service) answerToken(token string, do func(*run)) (any, error) {
	seq, ok := tokenExecution(token)
	if len(token) > maxToken || !ok {
		return nil, awsjson.Errorf("InvalidToken", "Invalid Token: 'Invalid token'")
	}
	switch err := s.transition(seq, tokenSignal{token: token, do: do}); err {
	case nil:
		return members{}, nil
	case errStale, errNotRunning:
		return nil, awsjson.Errorf("TaskTimedOut", "Task Timed Out: 'Provided task does not exist anymore'")
	default:
		return nil, err
	}
}

package main

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"windlass/localstack/cloudwatch"
	"windlass/localstack/lambda"
	"windlass/localstack/stepfunctions"
)

// measured is what AWS's own services measure, as far as an alarm watches it.
type measured struct {
	metrics *cloudwatch.Metrics
	now     func() time.Time
}

func (m measured) put(namespace, name string, dimensions map[string]string, v float64) {
	m.metrics.Put(cloudwatch.Metric{Namespace: namespace, Name: name, Dimensions: dimensions}, m.now(), v)
}

// invoked: Lambda, of an invocation.
func (m measured) invoked(function string, _ time.Duration, err error) {
	of := map[string]string{"FunctionName": function}
	var failed *lambda.FunctionError
	var refused *lambda.ServiceError
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests:
		m.put("AWS/Lambda", "Throttles", of, 1)
		return
	case errors.As(err, &failed):
		m.put("AWS/Lambda", "Errors", of, 1)
	}
	m.put("AWS/Lambda", "Invocations", of, 1)
}

// delivered: Lambda, of a stream.
func (m measured) delivered(functionARN string, age time.Duration) {
	m.put("AWS/Lambda", "IteratorAge", map[string]string{"FunctionName": functionARN[strings.LastIndexByte(functionARN, ':')+1:]}, float64(age.Milliseconds()))
}

// givenUp: SQS, of a failure queue. Nothing takes a message out, but its age is not told
// here: the alarm ends by itself.
func (m measured) givenUp(queue string) {
	m.put("AWS/SQS", "ApproximateNumberOfMessagesVisible", map[string]string{"QueueName": queue}, 1)
}

// executions are the names of Step Functions' metrics, by an execution's status.
var executions = map[string]string{"FAILED": "ExecutionsFailed", "TIMED_OUT": "ExecutionsTimedOut", "ABORTED": "ExecutionsAborted"}

// ended: Step Functions, of an execution.
func (m measured) ended(change stepfunctions.StatusChange) {
	if name := executions[change.Status]; name != "" {
		m.put("AWS/States", name, map[string]string{"StateMachineArn": change.StateMachineARN}, 1)
	}
}

// answered: API Gateway, of an HTTP API's answers.
func (m measured) answered(api string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&statusSeen{w, func() { m.put("AWS/ApiGateway", "5xx", map[string]string{"ApiId": api}, 1) }}, r)
	})
}

// handled: API Gateway, of a message that came over a socket.
func (m measured) handled(api, stage string, err error) {
	if err != nil {
		m.put("AWS/ApiGateway", "IntegrationError", map[string]string{"ApiId": api, "Stage": stage}, 1)
	}
}

// statusSeen tells of an answer that is not the caller's fault.
type statusSeen struct {
	http.ResponseWriter
	bad func()
}

func (s *statusSeen) WriteHeader(status int) {
	if status >= http.StatusInternalServerError {
		s.bad()
	}
	s.ResponseWriter.WriteHeader(status)
}

func (s *statusSeen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

package stepfunctions

import (
	"encoding/json"
	"fmt"
	"time"

	"windlass/localstack/stepfunctions/asl"
)

// invocation is one attempt of a task, to be made once its start is durable.
type invocation struct {
	attempt  uint64
	function string
	payload  []byte
}

// outcome is what an invocation came to: a result, or a failure.
type outcome struct {
	result  *asl.Value
	failure *asl.Failure
	refused bool // the function was not run
}

func (r *run) task() *asl.Task { return r.machine.States[r.cur.State].(*asl.Task) }

func (r *run) enterTask() {
	r.entered("Task")
	r.attempt()
}

// attempt begins the first attempt or, with the retry count raised, a later one.
// The parameters are filled anew: they may name the count or the new token.
func (r *run) attempt() {
	t := r.task()
	r.cur.Attempt++
	r.context.RetryCount = r.cur.Retry
	token := ""
	if t.Kind == asl.InvokeAndWaitToken {
		token = r.token(r.ex.Seq, r.cur.Attempt)
	}
	r.context.TaskToken = token
	timeout, heartbeat, failure := t.Limits(r.data, &r.context)
	var parameters *asl.Value
	if failure == nil {
		parameters, failure = t.Effective(r.data, &r.context)
	}
	if failure == nil {
		failure = r.oversize(parameters, "input after Parameters")
	}
	var call *invocation
	if failure == nil {
		call, failure = target(t, parameters)
	}
	if failure != nil {
		r.handle(failure)
		return
	}
	call.attempt, r.launch = r.cur.Attempt, call
	r.cur.Phase, r.cur.Token = invoking, token
	r.setLimits(timeout, heartbeat)
	e := event{text: parameters.Text(), Timeout: int64(timeout / time.Second), Heartbeat: int64(heartbeat / time.Second)}
	r.addTask("Scheduled", e)
	r.addTask("Started", event{})
}

func (r *run) setLimits(timeout, heartbeat time.Duration) {
	r.cur.Timeout, r.cur.Beat, r.cur.Heartbeat = 0, 0, heartbeat.Milliseconds()
	if timeout > 0 {
		r.cur.Timeout = atLeast(r.now.Add(timeout))
	}
	r.heartbeat()
}

// heartbeat moves the instant at which the next one is overdue.
func (r *run) heartbeat() {
	if r.cur.Heartbeat > 0 {
		r.cur.Beat = atLeast(r.now.Add(time.Duration(r.cur.Heartbeat) * time.Millisecond))
	}
}

// addTask records an event of the attempt, in the family of the task's kind.
func (r *run) addTask(what string, e event) {
	t := r.task()
	e.Type = "Task" + what
	switch t.Kind {
	case asl.Invoke:
		e.Resource = "invoke"
	case asl.InvokeAndWaitToken:
		e.Resource = "invoke.waitForTaskToken"
	case asl.FunctionARN:
		e.Type, e.Resource = "LambdaFunction"+what, t.Resource
	}
	r.add(e)
}

// target finds the function and its payload in the parameters.
func target(t *asl.Task, parameters *asl.Value) (*invocation, *asl.Failure) {
	if t.Kind == asl.FunctionARN {
		return &invocation{function: asl.FunctionName(t.Resource), payload: parameters.Text()}, nil
	}
	object, _ := parameters.Tree().(map[string]any)
	text, _ := object["FunctionName"].(string)
	name := asl.FunctionName(text)
	if name == "" {
		return nil, &asl.Failure{Error: "Lambda.ResourceNotFoundException", Cause: fmt.Sprintf("Function not found: %.200q", text)}
	}
	payload := []byte("{}")
	if p, given := object["Payload"]; given {
		payload = asl.TreeValue(p).Text()
	}
	return &invocation{function: name, payload: payload}, nil
}

// functionAnswered takes the answer of the invocation that is under way.
func (r *run) functionAnswered(o outcome) {
	t := r.task()
	switch {
	case o.failure != nil && o.refused && t.Kind == asl.InvokeAndWaitToken:
		r.taskFailed("SubmitFailed", o.failure)
		return
	case o.failure != nil:
		r.taskFailed("Failed", o.failure)
		return
	}
	result := o.result
	if t.Kind != asl.FunctionARN {
		result = invokeResult(result)
	}
	if failure := r.oversize(result, "result"); failure != nil {
		r.taskFailed("Failed", failure)
		return
	}
	if t.Kind == asl.InvokeAndWaitToken {
		r.addTask("Submitted", event{text: result.Text()})
		r.cur.Phase = parked
		return
	}
	r.taskSucceeded(result)
}

// invokeResult is what the API call Invoke returns, without its transport's own
// metadata.
func invokeResult(payload *asl.Value) *asl.Value {
	return asl.TreeValue(map[string]any{"ExecutedVersion": "$LATEST", "Payload": payload.Tree(), "StatusCode": json.Number("200")})
}

// taskSucceeded ends the state with the function's or the token holder's result.
func (r *run) taskSucceeded(result *asl.Value) {
	t := r.task()
	r.addTask("Succeeded", event{text: result.Text()})
	r.endAttempt()
	output, failure := t.Output(r.data, result, &r.context)
	if failure == nil {
		failure = r.oversize(output, "output")
	}
	if failure != nil {
		r.handle(failure)
		return
	}
	r.leave("Task", t.Next, output)
}

func (r *run) taskFailed(what string, failure *asl.Failure) {
	failure = clip(failure)
	r.addTask(what, event{Error: failure.Error, Cause: failure.Cause})
	r.handle(failure)
}

func (r *run) taskTimedOut(name string) {
	r.taskFailed("TimedOut", &asl.Failure{Error: name})
}

// endAttempt makes the running attempt's answer, token and limits void.
func (r *run) endAttempt() {
	r.cur.Token, r.cur.Timeout, r.cur.Beat, r.cur.Heartbeat, r.launch = "", 0, 0, 0, nil
}

// handle retries, catches, or ends the execution: in that order.
func (r *run) handle(failure *asl.Failure) {
	t := r.task()
	r.endAttempt()
	if i := asl.MatchRetrier(t.Retry, failure.Error); i >= 0 {
		if r.cur.Counts == nil {
			r.cur.Counts = make([]int, len(t.Retry))
		}
		if used := r.cur.Counts[i]; used < t.Retry[i].MaxAttempts {
			r.cur.Counts[i]++
			r.cur.Retry++
			r.cur.Phase = backoff
			r.cur.Due = atLeast(r.now.Add(t.Retry[i].Delay(used, r.random())))
			return
		}
	}
	catcher := asl.MatchCatcher(t.Catch, failure.Error)
	if catcher == nil {
		r.fail(failure)
		return
	}
	output, merged := catcher.Output(r.data, *failure)
	if merged == nil {
		merged = r.oversize(output, "output")
	}
	if merged != nil {
		r.fail(merged)
		return
	}
	r.leave("Task", catcher.Next, output)
}

package stepfunctions

import "strings"

// detailsOf names, by event type, the member that carries an event's details and
// the name its text has there. Types that are not listed have none.
var detailsOf = map[string]struct{ member, text string }{
	"ExecutionStarted":        {"executionStartedEventDetails", "input"},
	"ExecutionSucceeded":      {"executionSucceededEventDetails", "output"},
	"ExecutionFailed":         {"executionFailedEventDetails", ""},
	"ExecutionTimedOut":       {"executionTimedOutEventDetails", ""},
	"ExecutionAborted":        {"executionAbortedEventDetails", ""},
	"TaskScheduled":           {"taskScheduledEventDetails", "parameters"},
	"TaskStarted":             {"taskStartedEventDetails", ""},
	"TaskSubmitted":           {"taskSubmittedEventDetails", "output"},
	"TaskSubmitFailed":        {"taskSubmitFailedEventDetails", ""},
	"TaskSucceeded":           {"taskSucceededEventDetails", "output"},
	"TaskFailed":              {"taskFailedEventDetails", ""},
	"TaskTimedOut":            {"taskTimedOutEventDetails", ""},
	"LambdaFunctionScheduled": {"lambdaFunctionScheduledEventDetails", "input"},
	"LambdaFunctionSucceeded": {"lambdaFunctionSucceededEventDetails", "output"},
	"LambdaFunctionFailed":    {"lambdaFunctionFailedEventDetails", ""},
	"LambdaFunctionTimedOut":  {"lambdaFunctionTimedOutEventDetails", ""},
}

// view renders an event as the API has it.
func (e *event) view(id int64, region string, data bool) members {
	out := members{"id": id, "previousEventId": e.previous(id), "timestamp": epoch(e.At), "type": e.Type}
	if strings.HasSuffix(e.Type, "StateEntered") {
		out["stateEnteredEventDetails"] = e.details("input", data)
	} else if strings.HasSuffix(e.Type, "StateExited") {
		out["stateExitedEventDetails"] = e.details("output", data)
	} else if d, known := detailsOf[e.Type]; known {
		details := e.details(d.text, data)
		if e.Type == "TaskScheduled" {
			details["region"] = region
		}
		out[d.member] = details
	}
	return out
}

// previous is the event before, except that the first state entered and an end
// from outside follow from no event.
func (e *event) previous(id int64) int64 {
	if id <= 2 || e.Type == "ExecutionTimedOut" || e.Type == "ExecutionAborted" {
		return 0
	}
	return id - 1
}

func (e *event) details(textName string, data bool) members {
	out := members{}
	put := func(name, text string) {
		if text != "" {
			out[name] = text
		}
	}
	if e.Type == "ExecutionStarted" {
		put("roleArn", e.Name)
	} else {
		put("name", e.Name)
	}
	put("resource", e.Resource)
	if strings.HasPrefix(e.Type, "Task") && !strings.HasPrefix(e.Type, "TaskState") {
		out["resourceType"] = "lambda"
	}
	if data {
		put("error", e.Error)
		put("cause", e.Cause)
		put(textName, string(e.text))
		if textName == "input" || textName == "output" {
			out[textName+"Details"] = members{"truncated": false}
		}
	}
	if e.Timeout > 0 {
		out["timeoutInSeconds"] = e.Timeout
	}
	if e.Heartbeat > 0 {
		out["heartbeatInSeconds"] = e.Heartbeat
	}
	return out
}

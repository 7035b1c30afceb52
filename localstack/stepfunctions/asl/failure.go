package asl

import "slices"

// The error names that the States Language itself defines.
const (
	ErrAll                    = "States.ALL"
	ErrRuntime                = "States.Runtime"
	ErrTimeout                = "States.Timeout"
	ErrHeartbeatTimeout       = "States.HeartbeatTimeout"
	ErrTaskFailed             = "States.TaskFailed"
	ErrDataLimitExceeded      = "States.DataLimitExceeded"
	ErrNoChoiceMatched        = "States.NoChoiceMatched"
	ErrResultPathMatchFailure = "States.ResultPathMatchFailure"
)

// Failure is an error of a running execution: a name that Retry and Catch match,
// and a cause for people.
type Failure struct {
	Error, Cause string
}

// Matches reports whether an ErrorEquals list covers the error named name.
//
// As AWS documents: States.Runtime is never retried nor caught;
// States.DataLimitExceeded is terminal, so neither wildcard covers it;
// States.TaskFailed covers everything but a timeout; States.Timeout covers a
// missed heartbeat too.
func Matches(errorEquals []string, name string) bool {
	if name == ErrRuntime {
		return false
	}
	timeout := name == ErrTimeout || name == ErrHeartbeatTimeout
	return slices.ContainsFunc(errorEquals, func(pattern string) bool {
		switch pattern {
		case name:
			return true
		case ErrAll:
			return name != ErrDataLimitExceeded
		case ErrTaskFailed:
			return name != ErrDataLimitExceeded && !timeout
		case ErrTimeout:
			return timeout
		}
		return false
	})
}

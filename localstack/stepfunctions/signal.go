package stepfunctions

import (
	"errors"

	"windlass/localstack/stepfunctions/asl"
)

// A signal is what makes an execution move. Each returns an error, and changes
// nothing, if the execution does not wait for it (any more).
type signal interface {
	apply(r *run) error
}

var (
	errStale      = errors.New("stepfunctions: the execution does not wait for this any more")
	errNotDue     = errors.New("stepfunctions: nothing is due yet")
	errNotRunning = errors.New("stepfunctions: the execution is not running")
	errClosed     = errors.New("stepfunctions: closed")
)

// proceed enters the state that the execution has come to.
type proceed struct{}

func (proceed) apply(r *run) error {
	if r.cur.Phase != entering {
		return errStale
	}
	r.walk()
	return nil
}

// tick looks at the clock.
type tick struct{}

func (tick) apply(r *run) error {
	now := toMillis(r.now)
	due := func(m millis) bool { return m != 0 && m <= now }
	switch c := &r.cur; {
	case due(c.Deadline):
		r.timeOut()
	case due(c.Due):
		c.Due = 0
		if c.Phase == waiting {
			r.leaveWait()
		} else {
			r.moves++
			r.attempt()
		}
		r.walk()
	case due(c.Timeout):
		r.taskTimedOut(asl.ErrTimeout)
		r.walk()
	case due(c.Beat):
		r.taskTimedOut(asl.ErrHeartbeatTimeout)
		r.walk()
	default:
		return errNotDue
	}
	return nil
}

// answer is what a function's invocation came to.
type answer struct {
	attempt uint64
	outcome outcome
}

func (a answer) apply(r *run) error {
	if r.cur.Phase != invoking || r.cur.Attempt != a.attempt {
		return errStale // stopped, timed out or answered by token meanwhile
	}
	r.functionAnswered(a.outcome)
	r.walk()
	return nil
}

// stop is StopExecution.
type stop struct {
	err, cause *string
}

func (s stop) apply(r *run) error {
	r.abort(s.err, s.cause)
	return nil
}

// tokenSignal is an answer by task token; do moves the execution.
type tokenSignal struct {
	token string
	do    func(r *run)
}

func (t tokenSignal) apply(r *run) error {
	if r.cur.Token == "" || r.cur.Token != t.token {
		return errStale
	}
	t.do(r)
	r.walk()
	return nil
}

package stepfunctions

import (
	"fmt"
	"strings"
	"time"

	"windlass/localstack/stepfunctions/asl"
)

// maxWalk bounds the states entered, and maxWalkBytes the data recorded, by one
// transition; a machine that goes on without waiting is continued by the next.
const (
	maxWalk      = 64
	maxWalkBytes = 4 << 20
)

// run is one transition while it is worked out, in memory: it starts from what is
// stored and ends as what is to be stored, plus the effects that follow once it
// is. Nothing here touches the disk.
type run struct {
	machine *asl.Machine
	ex      *execution
	cur     cursor
	data    *asl.Value // cur.data
	now     time.Time
	context asl.Context
	random  func() float64
	token   func(seq, attempt uint64) string
	steps   int // states that may still be entered
	moves   int // state transitions so far

	first  int64 // id of events[0]
	events []event
	bytes  int
	launch *invocation // function to run
	end    *ending
}

// ending is how an execution ends.
type ending struct {
	status     status
	output     *asl.Value
	err, cause *string
}

// add records an event.
func (r *run) add(e event) {
	if e.At == 0 {
		e.At = toMillis(r.now)
	}
	r.cur.NextEvent++
	r.bytes += len(e.text)
	r.events = append(r.events, e)
}

// walk enters state after state until one has to wait, the execution ends, or
// the bounds of a transition are reached.
func (r *run) walk() {
	for r.end == nil && r.cur.Phase == entering && r.steps > 0 && r.bytes < maxWalkBytes {
		r.steps--
		r.enter()
	}
}

// worked ends the working out: what is here now is what is to be stored.
func (r *run) worked() {
	r.limitHistory()
	r.cur.data = r.data.Text()
}

// unfinished reports that another transition can follow at once.
func (r *run) unfinished() bool { return r.end == nil && r.cur.Phase == entering }

func (r *run) enter() {
	if r.moves++; r.cur.NextEvent == 2 { // behind the event of the start
		r.moves++
	}
	r.cur.Entered = max(toMillis(r.now), r.cur.Entered)
	if _, isTask := r.machine.States[r.cur.State].(*asl.Task); isTask {
		// Faster than the clock, two visits would share their entry time, by which
		// invocations are told apart.
		r.cur.Entered = max(toMillis(r.now), r.cur.Entered+1)
	}
	r.cur.Retry, r.cur.Counts = 0, nil
	r.context.StateName, r.context.EnteredTime = r.cur.State, r.cur.Entered.text()
	switch s := r.machine.States[r.cur.State].(type) {
	case *asl.Task:
		r.enterTask()
	case *asl.Choice:
		r.enterChoice(s)
	case *asl.Wait:
		r.enterWait(s)
	case *asl.Pass:
		r.enterPass(s)
	case *asl.Succeed:
		r.enterSucceed(s)
	case *asl.Fail:
		r.enterFail(s)
	}
}

func (r *run) entered(kind string) {
	r.add(event{Type: kind + "StateEntered", Name: r.cur.State, text: r.data.Text(), At: r.cur.Entered})
}

// leave records the state's exit and moves on to next, or ends the execution.
// The output is known to be within the limit.
func (r *run) leave(kind, next string, output *asl.Value) {
	r.add(event{Type: kind + "StateExited", Name: r.cur.State, text: output.Text()})
	r.data = output
	if next == "" {
		r.add(event{Type: "ExecutionSucceeded", text: output.Text()})
		r.end = &ending{status: succeeded, output: output}
		return
	}
	r.cur = cursor{
		State: next, Phase: entering, Entered: r.cur.Entered, Attempt: r.cur.Attempt,
		Deadline: r.cur.Deadline, NextEvent: r.cur.NextEvent,
	}
}

// pass is leave for the states whose output may be too large or missing, and
// that cannot catch that.
func (r *run) pass(kind, next string, output *asl.Value, failure *asl.Failure) {
	if failure == nil {
		failure = r.oversize(output, "output")
	}
	if failure != nil {
		r.fail(failure)
		return
	}
	r.leave(kind, next, output)
}

func (r *run) oversize(v *asl.Value, what string) *asl.Failure {
	if !v.TooLarge() {
		return nil
	}
	return &asl.Failure{Error: asl.ErrDataLimitExceeded, Cause: fmt.Sprintf(
		"The %s of the state '%s' has %d bytes, which exceeds the maximum number of bytes service limit of %d.",
		what, r.cur.State, len(v.Text()), asl.MaxData)}
}

// located adds to a runtime error where it happened, as AWS does.
func (r *run) located(failure *asl.Failure) *asl.Failure {
	if failure.Error != asl.ErrRuntime {
		return failure
	}
	return &asl.Failure{Error: failure.Error, Cause: fmt.Sprintf(
		"An error occurred while executing the state '%s'. %s", r.cur.State, failure.Cause)}
}

// fail ends the execution with an error of the state it is in.
func (r *run) fail(failure *asl.Failure) { r.finish(clip(r.located(failure))) }

func (r *run) finish(failure *asl.Failure) {
	r.add(event{Type: "ExecutionFailed", Error: failure.Error, Cause: failure.Cause})
	r.end = &ending{status: failed, err: optional(failure.Error), cause: optional(failure.Cause)}
}

func (r *run) timeOut() {
	r.add(event{Type: "ExecutionTimedOut", Error: asl.ErrTimeout})
	r.end = &ending{status: timedOut} // AWS gives neither error nor cause
}

func (r *run) abort(err, cause *string) {
	r.add(event{Type: "ExecutionAborted", Error: value(err), Cause: value(cause)})
	r.end = &ending{status: aborted, err: err, cause: cause}
}

// limitHistory ends an execution whose history would grow too long. The 25,000th
// event may be a natural end; otherwise it is the failure, as on AWS, and
// whatever this transition would have begun is not begun.
func (r *run) limitHistory() {
	last := r.cur.NextEvent - 1
	if last < maxEvents || last == maxEvents && r.end != nil {
		return
	}
	r.events = r.events[:maxEvents-r.first]
	r.cur.NextEvent = maxEvents
	r.launch = nil
	r.finish(&asl.Failure{Error: asl.ErrRuntime, Cause: fmt.Sprintf(
		"The execution reached the maximum number of history events (%d).", maxEvents)})
}

// Limits of an error's name and cause.
const (
	maxError = 256
	maxCause = 32_768
)

func clip(f *asl.Failure) *asl.Failure {
	return &asl.Failure{Error: clipText(f.Error, maxError), Cause: clipText(f.Cause, maxCause)}
}

func clipText(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

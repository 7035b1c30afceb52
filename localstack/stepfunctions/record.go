package stepfunctions

import "time"

// status of an execution, as the API spells it.
type status string

const (
	running   status = "RUNNING"
	succeeded status = "SUCCEEDED"
	failed    status = "FAILED"
	timedOut  status = "TIMED_OUT"
	aborted   status = "ABORTED"
)

// machine is a stored state machine.
type machine struct {
	Name       string
	Definition string // key into the definitions
	StartAt    string
	Timeout    int // seconds; 0 is none
	RoleARN    string
	Created    millis
	Updated    millis
	Deleting   bool
}

// execution is what is known of an execution apart from where it stands. It is
// written when it starts and when it ends.
type execution struct {
	Seq        uint64
	Machine    string
	Name       string
	Definition string // the one it started with
	RoleARN    string
	Start      millis
	Stop       millis
	Status     status
	Error      *string
	Cause      *string
}

// phase is what a running execution waits for.
type phase string

const (
	entering phase = "entering" // nothing: the state is to be entered
	invoking phase = "invoking" // a function's answer
	parked   phase = "parked"   // somebody who has the token
	backoff  phase = "backoff"  // the instant of the next attempt
	waiting  phase = "waiting"  // the end of a Wait state
)

// cursor is where a running execution stands. It is replaced by every
// transition, and it is all that a restart needs.
type cursor struct {
	State     string
	Phase     phase
	Entered   millis
	Retry     int    // $$.State.RetryCount
	Counts    []int  `json:",omitempty"` // retries used, by retrier
	Attempt   uint64 // numbers the invocations of the whole execution
	Token     string `json:",omitempty"`
	Due       millis `json:",omitempty"` // end of the wait or back-off
	Timeout   millis `json:",omitempty"` // end of this attempt
	Heartbeat int64  `json:",omitempty"` // milliseconds between two heartbeats
	Beat      millis `json:",omitempty"` // when the next heartbeat is overdue
	Deadline  millis `json:",omitempty"` // end of the execution
	NextEvent int64
	data      []byte // the state's raw input
}

// millis is an instant, in milliseconds since 1970; 0 is none.
type millis int64

func toMillis(t time.Time) millis { return millis(t.UnixMilli()) }

// atLeast rounds up, so that nothing is due before its instant.
func atLeast(t time.Time) millis {
	m := toMillis(t)
	if t.After(m.time()) {
		m++
	}
	return m
}

func (m millis) time() time.Time { return time.UnixMilli(int64(m)).UTC() }

// text is the form of times in the context object.
func (m millis) text() string { return m.time().Format("2006-01-02T15:04:05.000Z") }

// earliest returns the next instant at which something is due; 0 if never.
func (c *cursor) earliest() millis {
	var first millis
	for _, m := range []millis{c.Due, c.Timeout, c.Beat, c.Deadline} {
		if m != 0 && (first == 0 || m < first) {
			first = m
		}
	}
	return first
}

// Package checker verifies a session's log from the outside: it reads the events
// as a client gets them and knows the laws, but shares no code with what wrote
// them. One file for each family of events.
package checker

import (
	"encoding/json"
	"fmt"

	"windlass/tests/client"
)

// Report is what a log holds, and what is wrong with it.
type Report struct {
	Violations []string
	Operations map[string]*Operation
}

// Operation counts what one operation's events say.
type Operation struct {
	Accepted, Started, Terminal int
	// Status is completed, failed or cancelled; empty while it is not settled.
	// Code is why it failed.
	Status, Code                string
	Rounds                      int
	ModelAnswers, ModelAttempts int
	// EmptyAnswers are attempts that were answered with nothing.
	EmptyAnswers           int
	Takeovers, Generations int
	Results, Writes        int
	// Unknowns are calls of which nobody knew whether they took effect, Asked those
	// of them that a person was asked about.
	Unknowns, Asked  int
	Steered, Warned  int
	CancelsRequested int

	// Children counts the calls that other agents carry out.
	Children int

	unread    int  // messages that no round has read
	abandoned bool // a child was given up: only the end may follow
	round     map[int]*round
	asks      []string // what each round with calls asked for
}

// Check verifies a whole log, from seq 1.
func Check(events []client.Event) Report {
	c := checker{Report: Report{Operations: map[string]*Operation{}}, children: map[string]bool{}}
	for i, e := range events {
		c.event(uint64(i+1), e)
	}
	return c.Report
}

type checker struct {
	Report
	running  string
	queue    []string        // accepted, in their order
	children map[string]bool // the sessions that calls were handed to
}

// data is what the laws look at of any event's data.
type data struct {
	Attempt, Index             int
	Reason, CallID, Name, Code string
	Effect, Decision, Purpose  string
	Session, Status            string
	OperationID                string // a child's
	Again                      bool
	Output                     *json.RawMessage
	Items                      []item
	Error                      struct{ Code string }
	RetryAt                    *string
}

type item struct {
	Text json.RawMessage
	Kind string
	Call *call
}

func (c *checker) bad(e client.Event, format string, args ...any) {
	c.Violations = append(c.Violations, fmt.Sprintf("seq %d (%s of %q): ", e.Seq, e.Type, e.OperationID)+fmt.Sprintf(format, args...))
}

func (c *checker) event(want uint64, e client.Event) {
	if e.Seq != want {
		c.bad(e, "is the %d-th event", want)
	}
	if opened := e.Type == "session.opened"; opened != (want == 1) {
		c.bad(e, "a session is opened once, first")
	}
	if e.OperationID == "" {
		return
	}
	op := c.Operations[e.OperationID]
	if op == nil {
		op = &Operation{round: map[int]*round{}}
		c.Operations[e.OperationID] = op
		// An id may be cancelled before its submission comes.
		if e.Type != "operation.accepted" && e.Type != "operation.cancel_requested" {
			c.bad(e, "before the operation was accepted")
		}
	}
	if op.Terminal > 0 {
		c.bad(e, "after the operation settled")
	}
	if works[e.Type] {
		c.mayWork(op, e)
	}
	var d data
	_ = json.Unmarshal(e.Data, &d) // fields of other shapes stay zero
	c.apply(op, e, d)
}

// works are the events with which a turn goes on. The others that are known here settle
// it: a new driver, the one outcome of each step that is open, and the end. Of a type that
// is not known nothing is said.
var works = map[string]bool{
	"operation.accepted": true, "operation.started": true, "operation.cancel_requested": true, "operation.warned": true,
	"operation.completed": true, "message.steered": true, "model.started": true, "model.completed": true,
	"transcript.compacted": true, "transcript.repaired": true, "tool.started": true, "approval.requested": true, "approval.resolved": true,
	"child.submitted": true, "child.settled": true,
}

// mayWork: nothing goes on once a cancel is requested, or a child is given up.
func (c *checker) mayWork(op *Operation, e client.Event) {
	if op.CancelsRequested > 0 {
		c.bad(e, "after a cancel was requested")
	}
	if op.abandoned {
		c.bad(e, "after a child was abandoned")
	}
}

func (c *checker) apply(op *Operation, e client.Event, d data) {
	switch e.Type {
	case "operation.accepted":
		c.accepted(op, e)
	case "operation.started":
		c.started(op, e)
	case "operation.resumed":
		if d.Reason == "takeover" {
			op.Takeovers++
		} else {
			op.Generations++
		}
	case "operation.cancel_requested":
		op.CancelsRequested++
	case "operation.warned":
		c.warned(op, e, d)
	case "message.steered":
		c.steered(op, e)
	case "operation.completed", "operation.failed", "operation.cancelled":
		c.terminal(op, e, d)
	case "model.started":
		c.modelStarted(op, e, d)
	case "transcript.compacted":
		c.compacted(op, e, d)
	case "model.failed":
		c.modelFailed(op, e, d)
	case "model.completed":
		c.modelCompleted(op, e, d)
	case "workspace.written":
		op.Writes++
	case "tool.started", "tool.unknown", "tool.completed", "tool.failed", "approval.requested", "approval.resolved":
		c.step(op, e, d)
	case "child.submitted", "child.settled", "child.abandoned":
		c.child(op, e, d)
	case "tool.deferred", "tool.answered":
		c.later(op, e, d)
	}
}

// Package checker verifies a session's log from the outside: it reads the events
// as a client gets them and knows the laws, but shares no code with what wrote
// them.
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
	Status                      string
	Rounds                      int
	ModelAnswers, ModelAttempts int
	Takeovers, Generations      int
	Results, Writes             int

	round map[int]*round
}

type round struct {
	answered bool
	calls    []call
	results  map[int]int
}

type call struct {
	Index        int
	CallID, Name string
}

// Check verifies a whole log, from seq 1.
func Check(events []client.Event) Report {
	c := checker{Report: Report{Operations: map[string]*Operation{}}}
	for i, e := range events {
		c.event(uint64(i+1), e)
	}
	for id, op := range c.Operations {
		if op.Terminal == 1 {
			c.settled(id, op)
		}
	}
	return c.Report
}

type checker struct {
	Report
	running string
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
		if e.Type != "operation.accepted" {
			c.bad(e, "before the operation was accepted")
		}
	}
	if op.Terminal > 0 {
		c.bad(e, "after the operation settled")
	}
	c.apply(op, e)
}

func (c *checker) apply(op *Operation, e client.Event) {
	var d struct {
		Attempt, Index             int
		Reason, CallID, Name, Path string
		Items                      []struct {
			Call *call
		}
	}
	_ = json.Unmarshal(e.Data, &d) // fields of other shapes stay zero
	switch e.Type {
	case "operation.accepted":
		if op.Accepted++; op.Accepted > 1 {
			c.bad(e, "accepted twice")
		}
	case "operation.started":
		if op.Started++; op.Started > 1 || c.running != "" {
			c.bad(e, "started for the %d-th time while %q runs", op.Started, c.running)
		}
		c.running = e.OperationID
	case "operation.resumed":
		if d.Reason == "takeover" {
			op.Takeovers++
		} else {
			op.Generations++
		}
	case "operation.completed", "operation.failed":
		op.Terminal++
		op.Status = e.Type[len("operation."):]
		if c.running == e.OperationID {
			c.running = ""
		}
	case "model.started":
		op.ModelAttempts++
		c.modelStarted(op, e, d.Attempt)
	case "model.completed":
		op.ModelAnswers++
		r := op.round[e.Round]
		if r == nil || r.answered {
			c.bad(e, "an answer that nobody waits for")
			return
		}
		r.answered, r.results = true, map[int]int{}
		for _, it := range d.Items {
			if it.Call != nil {
				r.calls = append(r.calls, *it.Call)
			}
		}
	case "workspace.written":
		op.Writes++
	case "tool.completed", "tool.failed":
		op.Results++
		r := op.round[e.Round]
		if r == nil || d.Index >= len(r.calls) || r.calls[d.Index].CallID != d.CallID || r.calls[d.Index].Name != d.Name {
			c.bad(e, "a result of no call")
			return
		}
		if r.results[d.Index]++; r.results[d.Index] > 1 {
			c.bad(e, "a second result of call %d", d.Index)
		}
	}
}

func (c *checker) modelStarted(op *Operation, e client.Event, attempt int) {
	if op.Started == 0 {
		c.bad(e, "before the turn started")
	}
	if attempt > 1 {
		if r := op.round[e.Round]; r == nil || r.answered {
			c.bad(e, "attempt %d of a round that needs none", attempt)
		}
		return
	}
	if op.round[e.Round] != nil {
		c.bad(e, "round %d begins twice", e.Round)
	}
	if e.Round != op.Rounds+1 {
		c.bad(e, "round %d follows round %d", e.Round, op.Rounds)
	}
	if before := op.round[op.Rounds]; op.Rounds > 0 && (before == nil || !before.answered || len(before.results) != len(before.calls)) {
		c.bad(e, "round %d is not settled", op.Rounds)
	}
	op.Rounds = e.Round
	op.round[e.Round] = &round{}
}

// settled: every call of every round has its one result.
func (c *checker) settled(id string, op *Operation) {
	for n, r := range op.round {
		if r.answered && len(r.results) != len(r.calls) {
			c.Violations = append(c.Violations, fmt.Sprintf("operation %q settled, and round %d has %d results of %d calls", id, n, len(r.results), len(r.calls)))
		}
	}
}

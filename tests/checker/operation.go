package checker

import "windlass/tests/client"

func (c *checker) accepted(op *Operation, e client.Event) {
	if op.Accepted++; op.Accepted > 1 {
		c.bad(e, "accepted twice")
	}
	c.queue = append(c.queue, e.OperationID)
}

// started: one turn at a time, in the order in which they were accepted.
func (c *checker) started(op *Operation, e client.Event) {
	if op.Started++; op.Started > 1 || c.running != "" {
		c.bad(e, "started for the %d-th time while %q runs", op.Started, c.running)
	}
	for _, id := range c.queue {
		if id == e.OperationID {
			break
		}
		if c.Operations[id].Terminal == 0 {
			c.bad(e, "started before %q, which was accepted before it", id)
		}
	}
	c.running = e.OperationID
}

func (c *checker) steered(op *Operation, e client.Event) {
	if op.Accepted == 0 {
		c.bad(e, "a message to an operation that nobody submitted")
	}
	op.Steered++
	op.unread++
}

// Rounds in a row that ask for the very same calls: how many there are when the
// model is told, and when the turn ends.
const (
	toldAfter  = 3
	endedAfter = 5
)

func (c *checker) warned(op *Operation, e client.Event, d data) {
	op.Warned++
	if d.Code != "repeated_calls" {
		c.bad(e, "warned of %q, which is not known", d.Code)
	}
	if n := op.repeats(); n != toldAfter {
		c.bad(e, "warned after the same calls in %d rounds", n)
	}
}

// repeats counts the last rounds that asked for the same.
func (op *Operation) repeats() (n int) {
	for i := len(op.asks) - 1; i >= 0 && op.asks[i] != "" && op.asks[i] == op.asks[len(op.asks)-1]; i-- {
		n++
	}
	return n
}

func (c *checker) terminal(op *Operation, e client.Event, d data) {
	op.Terminal++
	op.Status, op.Code = e.Type[len("operation."):], d.Error.Code
	if c.running == e.OperationID {
		c.running = ""
	}
	if (op.Status == "cancelled") != (op.CancelsRequested == 1) {
		c.bad(e, "after %d requests to cancel", op.CancelsRequested)
	}
	switch op.Status {
	case "completed":
		c.completed(op, e)
	case "failed":
		c.failed(op, e)
	}
	for n, r := range op.round {
		c.outcomes(e, n, r)
	}
}

// completed: the last answer asked for nothing, and everything said was read.
func (c *checker) completed(op *Operation, e client.Event) {
	r := op.round[op.Rounds]
	if r == nil || !r.answered || len(r.calls) > 0 {
		c.bad(e, "round %d does not answer", op.Rounds)
	}
	if op.unread > 0 {
		c.bad(e, "no round has read %d messages", op.unread)
	}
}

func (c *checker) failed(op *Operation, e client.Event) {
	switch {
	case op.Code == "":
		c.bad(e, "failed without a code")
	case op.Code == "loop_detected" && op.repeats() < endedAfter:
		c.bad(e, "ended for the same calls in %d rounds", op.repeats())
	}
}

// outcomes: every attempt, every call and every child of a settled operation has its one
// outcome.
func (c *checker) outcomes(e client.Event, n int, r *round) {
	if r.open {
		c.bad(e, "round %d has a model call without an outcome", n)
	}
	if r.answered && r.results() != len(r.calls) {
		c.bad(e, "round %d has %d results of %d calls", n, r.results(), len(r.calls))
	}
	for _, k := range r.calls {
		if k.child.session != "" && k.child.end == "" {
			c.bad(e, "call %d of round %d is still another agent's", k.Index, n)
		}
	}
}

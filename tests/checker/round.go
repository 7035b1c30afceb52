package checker

import (
	"fmt"
	"strings"

	"windlass/tests/client"
)

// maxRounds and maxAttempts bound a turn and a round; maxSummaries the attempts of a round
// that ask for a summary of the transcript instead, of which one is kept.
const (
	maxRounds    = 128
	maxAttempts  = 5
	maxSummaries = 3
)

type round struct {
	open     bool // a model call has begun, and has no outcome
	answered bool
	attempt  int  // the last that began
	again    bool // another attempt may follow
	empty    int  // answers with nothing in them
	calls    []*call
	// compacting: the attempt asks for a summary; summaries counts those attempts.
	compacting, compacted bool
	summaries             int
}

func (r *round) results() (n int) {
	for _, k := range r.calls {
		n += k.results
	}
	return n
}

func (c *checker) modelStarted(op *Operation, e client.Event, d data) {
	op.ModelAttempts++
	if op.Started == 0 {
		c.bad(e, "before the turn started")
	}
	if d.Attempt > 1 {
		c.attempt(op, e, d)
		return
	}
	if op.round[e.Round] != nil {
		c.bad(e, "round %d begins twice", e.Round)
	}
	if e.Round != op.Rounds+1 || e.Round > maxRounds {
		c.bad(e, "round %d follows round %d", e.Round, op.Rounds)
	}
	if before := op.round[op.Rounds]; op.Rounds > 0 && (before == nil || !before.answered || before.results() != len(before.calls)) {
		c.bad(e, "round %d is not settled", op.Rounds)
	}
	op.unread = 0
	op.Rounds = e.Round
	op.round[e.Round] = &round{open: true, attempt: 1}
	c.purpose(op.round[e.Round], e, d)
}

// purpose: most attempts ask for an answer, some for a summary.
func (c *checker) purpose(r *round, e client.Event, d data) {
	if r.compacting = d.Purpose == "compact"; !r.compacting {
		return
	}
	if r.summaries++; r.summaries > maxSummaries || r.compacted {
		c.bad(e, "a summary that round %d does not need", e.Round)
	}
}

func (c *checker) compacted(op *Operation, e client.Event, d data) {
	r := op.round[e.Round]
	if r == nil || !r.open || !r.compacting {
		c.bad(e, "a summary that nobody asked for")
		return
	}
	r.open, r.compacting, r.compacted, r.again = false, false, true, true
}

// attempt: one more, of a round whose last one failed and may be tried again.
func (c *checker) attempt(op *Operation, e client.Event, d data) {
	r := op.round[e.Round]
	if r == nil || r.answered || r.open || !r.again || d.Attempt != r.attempt+1 || d.Attempt > maxAttempts+r.summaries {
		c.bad(e, "attempt %d of a round that needs none", d.Attempt)
		return
	}
	r.open, r.attempt, r.again = true, d.Attempt, false
	c.purpose(r, e, d)
}

func (c *checker) modelFailed(op *Operation, e client.Event, d data) {
	r := op.round[e.Round]
	if r == nil || !r.open || d.Attempt != r.attempt {
		c.bad(e, "a failure of attempt %d, which is not under way", d.Attempt)
		return
	}
	r.open, r.again = false, d.RetryAt != nil
	if d.Error.Code != "empty_response" {
		return
	}
	op.EmptyAnswers++
	if r.empty++; r.empty > 1 && r.again {
		c.bad(e, "asked again after %d empty answers", r.empty)
	}
}

func (c *checker) modelCompleted(op *Operation, e client.Event, d data) {
	op.ModelAnswers++
	r := op.round[e.Round]
	if r == nil || r.answered || !r.open || r.compacting || d.Attempt != r.attempt {
		c.bad(e, "an answer that nobody waits for")
		return
	}
	r.open, r.answered = false, true
	said := false
	var asks strings.Builder
	for _, it := range d.Items {
		if it.Call != nil {
			fmt.Fprintf(&asks, "%s %s\n", it.Call.Name, it.Call.Arguments)
			r.calls = append(r.calls, it.Call)
		}
		said = said || it.Call != nil || it.Kind == "text" && len(it.Text) > len(`""`)
	}
	if !said {
		c.bad(e, "an empty answer counts as one")
	}
	op.asks = append(op.asks, asks.String())
}

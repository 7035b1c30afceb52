package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"windlass/eventstore/event"
)

// A model may ask for the very same calls round after round. At the third it is
// told; at the fifth the turn ends, before they are carried out.
const (
	warnRepeats = 3
	maxRepeats  = 5
)

// again counts a round that asks for calls.
func (r Repeat) again(calls []Call) Repeat {
	d := digest(calls)
	if d == "" || d != r.Calls {
		return Repeat{d, 1}
	}
	return Repeat{d, r.Times + 1}
}

// digest names calls by their tools and arguments, in their order; provider ids are
// no part of it.
func digest(calls []Call) string {
	if len(calls) == 0 {
		return ""
	}
	h := sha256.New()
	for _, c := range calls {
		ref, _ := c.Arguments.Ref()
		fmt.Fprintf(h, "%q %q %q\n", c.Name, c.Arguments.Inline(), ref.SHA256)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// repeated is what the turn says about a round like those before; nothing for most.
func repeated(op *Operation, me Situation, c *commit) (ends bool) {
	switch n := op.Asking.Times; {
	case me.LoopsAllowed:
	case n >= maxRepeats:
		c.events = append(c.events, failed(op, me, looped(n)).Events...)
		return true
	case n == warnRepeats:
		c.add(op.Round, event.OperationWarned{Code: event.WarnRepeatedCalls, Message: fmt.Sprintf(
			"You have asked for the same tool calls with the same arguments in %d rounds in a row, and their results will not change. Do something else, or answer with what you have.", n)})
	}
	return false
}

func looped(n int) event.Error {
	return event.Error{
		Code:    "loop_detected",
		Message: fmt.Sprintf("the model asked for the same calls with the same arguments in %d rounds in a row; say what to do differently, or allow it in the agent's limits", n),
	}
}

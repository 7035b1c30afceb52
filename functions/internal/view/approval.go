package view

import (
	"fmt"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// Approval is a call that waits for a person.
type Approval struct {
	// Step names the call within its operation: "round.index".
	Step  string `json:"step"`
	Round int    `json:"round"`
	Index int    `json:"index"`
	Tool  string `json:"tool"`
	// Reason is policy, or unknown_outcome: then somebody has to find out whether the
	// call took effect.
	Reason string `json:"reason"`
	// UnknownSeq is the tool.unknown that is asked about, which its answer names; 0 for a
	// question of policy.
	UnknownSeq  uint64      `json:"unknownSeq,omitempty"`
	Arguments   event.Value `json:"arguments"`
	RequestedAt event.Time  `json:"requestedAt"`
	ExpiresAt   *event.Time `json:"expiresAt,omitempty"`
}

// ApprovalsOf are the calls of an operation that wait for a person.
func ApprovalsOf(op *turn.Operation) (all []Approval) {
	if op == nil || op.CancelRequested {
		return nil
	}
	for _, c := range op.Calls {
		if c.Phase != turn.Asked {
			continue
		}
		a := Approval{
			Step: fmt.Sprintf("%d.%d", op.Round, c.Index), Round: op.Round, Index: c.Index, Tool: c.Name,
			Reason: c.Question.Reason, Arguments: c.Arguments, RequestedAt: c.Question.At,
		}
		if c.Question.Reason == event.ReasonUnknownOutcome {
			a.UnknownSeq = c.UnknownSeq
		}
		if at := c.Question.ExpiresAt; !at.IsZero() {
			a.ExpiresAt = &at
		}
		all = append(all, a)
	}
	return all
}

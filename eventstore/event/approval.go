package event

// Reasons of ApprovalRequested.
const (
	// ReasonUnknownOutcome: a person has to find out whether a call took effect.
	ReasonUnknownOutcome = "unknown_outcome"
)

// ApprovalRequested asks a person about a call. Until it is resolved the turn waits,
// at no cost.
type ApprovalRequested struct {
	// Index is the call's; with the event's operation and round it names the step.
	Index  int    `json:"index"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Decisions of ApprovalResolved, about an unknown outcome.
const (
	// Happened: the call took effect; it is not run again.
	Happened = "happened"
	// DidNotHappen: it did not, and may be run.
	DidNotHappen = "did_not_happen"
)

// ApprovalResolved is the person's answer.
type ApprovalResolved struct {
	Index    int    `json:"index"`
	Decision string `json:"decision"`
	// Output is what the model reads as the call's result, if it happened.
	Output *Value `json:"output,omitempty"`
}

func (ApprovalRequested) EventType() string { return "approval.requested" }
func (ApprovalRequested) EventVersion() int { return 1 }
func (ApprovalResolved) EventType() string  { return "approval.resolved" }
func (ApprovalResolved) EventVersion() int  { return 1 }

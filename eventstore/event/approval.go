package event

// Reasons of ApprovalRequested.
const (
	// ReasonUnknownOutcome: a person has to find out whether a call took effect.
	ReasonUnknownOutcome = "unknown_outcome"
	// ReasonPolicy: the agent's policy wants a person to allow the call first.
	ReasonPolicy = "policy"
)

// ApprovalRequested asks a person about a call. Until it is resolved the turn waits,
// at no cost.
type ApprovalRequested struct {
	// Index is the call's; with the event's operation and round it names the step.
	Index  int    `json:"index"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
	// ArgumentsSHA256 is of the very bytes that are asked about, in lower-case hex, and
	// ExpiresAt when the question lapses; both with policy.
	ArgumentsSHA256 string `json:"argumentsSha256,omitempty"`
	ExpiresAt       *Time  `json:"expiresAt,omitempty"`
}

// Decisions of ApprovalResolved.
const (
	// Approve and Deny answer a question of policy; Expired ends one that nobody answered.
	Approve = "approve"
	Deny    = "deny"
	Expired = "expired"
	// Happened and DidNotHappen answer one about an unknown outcome. Happened: the call
	// took effect; it is not run again.
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
	// Note is what the person said; the model reads it.
	Note string `json:"note,omitempty"`
	// Arguments are those that the call is carried out with, where the person changed them.
	Arguments *Value `json:"arguments,omitempty"`
	// UnknownSeq is the [ToolUnknown] that it is about; 0 for an answer of policy.
	UnknownSeq uint64 `json:"unknownSeq,omitempty"`
	// By is who answered: how the key begins by which the answer came, as the table of
	// keys knows it, or a token's issuer and subject; empty for none.
	By string `json:"by,omitempty"`
}

func (ApprovalRequested) EventType() string { return "approval.requested" }
func (ApprovalRequested) EventVersion() int { return 1 }
func (ApprovalResolved) EventType() string  { return "approval.resolved" }
func (ApprovalResolved) EventVersion() int  { return 1 }

package turn

import (
	"windlass/eventstore/event"
)

// State is a session as its log tells it.
type State struct {
	// Seq is the last event that was applied.
	Seq uint64
	// StreamID names the log; empty before the session is opened.
	StreamID string
	// Agent is the default for operations that name none.
	Agent string
	// Parent is the call that the session exists for; nil for none.
	Parent *event.Parent
	// Queue holds the operations that are not settled, in the order in which they
	// were accepted. Only the first one, the head, is driven.
	Queue []*Operation
	// Spent is what all operations have used so far.
	Spent event.Usage
	// Answered is the newest answer, for what it left in the provider's cache.
	Answered Answered
	// Retention is how long it is kept behind Active, the time of the newest event but for
	// those that change its retention.
	Retention Retention
	Active    event.Time
	// Deleted: the session has ended for good. Nothing is in the queue, and no event that
	// follows would mean anything.
	Deleted bool
	// Waited: a call of this session once waited for a person, a child or a callback. Only
	// then can a parked turn's token be kept, or have been.
	Waited bool
	// Checkpoint is carried from summary to summary; no event tells of it.
	Checkpoint *Checkpoint
}

// Head is the operation whose turn it is; nil if all are settled.
func (s *State) Head() *Operation {
	if len(s.Queue) == 0 {
		return nil
	}
	return s.Queue[0]
}

// Phase is where a step, or an operation, stands.
type Phase string

const (
	// Pending: nothing has begun, or an attempt failed and another may follow.
	Pending Phase = "pending"
	// Open: begun, outcome unknown to the log.
	Open Phase = "open"
	// Done: the outcome is in the log.
	Done Phase = "done"
	// Unknown: begun, and nobody knows whether it took effect (calls of the class
	// once alone, and so is happened).
	Unknown Phase = "unknown"
	// Asked: a person was asked, why the call's Question says.
	Asked Phase = "asked"
	// Happened: the person says that it took effect; its result is next.
	Happened Phase = "happened"
	// Elsewhere: another agent carries it out, in a session of its own. Deferred: what it
	// began ends later, and is waited for until the call's Until. Reported: what became of
	// either is in the log; its result is next.
	Elsewhere Phase = "elsewhere"
	Deferred  Phase = "deferred"
	Reported  Phase = "reported"
	// Denied: the person does not allow it, or nobody answered; its result is next.
	Denied Phase = "denied"
)

// Operation is an unsettled operation.
type Operation struct {
	ID                string
	FirstSeq, LastSeq uint64
	Prompt            event.Value
	Preview           string // how the prompt begins
	Agent             event.Agent
	AcceptedAt        event.Time
	TraceID           string // of the trace that it stands in

	// Started says that its own turn began; StartedAt when.
	Started   bool
	StartedAt event.Time

	// Generation is the Step Functions execution that may drive it, from 1.
	Generation int
	// NotBefore delays a generation that follows others without progress.
	NotBefore event.Time
	// Stalls counts generations since the last progress.
	Stalls int

	// CancelRequested: nothing but the settlement follows.
	CancelRequested bool
	// Steered counts messages that the model has not seen yet.
	Steered int

	// Round is the model round under way, from 1.
	Round int
	Model ModelStep
	// Calls are the round's tool calls, in the model's order.
	Calls []Call
	// Asking is what this round and so many in a row ask for, if they all ask for
	// the very same calls.
	Asking Repeat
	// NoCompaction: this turn's transcript could not be compacted before it had to be; it
	// is not tried again until it has to.
	NoCompaction bool
	// Output is the text of the round's answer, and Stop why it ended.
	Output event.Value
	Stop   string
	Usage  event.Usage
}

// Repeat counts rounds that ask for the same.
type Repeat struct {
	Calls string // their digest
	Times int
}

// ModelStep is a round's call of the model.
type ModelStep struct {
	Phase   Phase
	Attempt int
	Start   Start
	// Name is the model that is asked, as "provider/name"; Purpose what for.
	Name, Purpose string
	// Failures counts attempts of the round that failed, Tries those of the model that is
	// asked. Fallback: the agent's next model is next.
	Failures, Tries int
	Fallback        bool
	// Overflowed: the transcript is too long for the model. Compactions and
	// CompactFailures count what was done about it in this round.
	Overflowed                   bool
	Compactions, CompactFailures int
	// Fault is why the last attempt failed, while Pending; RetryAt when the next
	// may begin, nil if none may.
	Fault   *event.Error
	RetryAt *event.Time
	// Empty: an attempt of this round was answered with nothing.
	Empty bool
}

// Call is one tool call of a round.
type Call struct {
	event.ToolCall
	Phase Phase
	Start Start
	// Effect is what repeating it would do, as its start says.
	Effect string
	// Until is when a start's effect has ended at the latest, or what is waited for comes
	// too late. Again: a deferred call is carried out again then.
	Until event.Time
	Again bool
	// Inherited: open, of the class once, and begun by a driver that is gone.
	Inherited bool
	// UnknownSeq is the tool.unknown that an answer to it is about.
	UnknownSeq uint64
	// Question is what a person was asked about it, and Answer what the answer was; empty
	// for none. Policy asks about a call at most once; an unknown outcome is asked about
	// each time that it is lost.
	Question Question
	Answer   string
	// Approved: a person allowed it. Denial is why it is not.
	Approved bool
	Denial   *event.Error
	// Output is what the person says the call gave.
	Output *event.Value
	// Child is who carries it out. Report is what became of a call elsewhere: what the
	// child or, with no child, a callback said.
	Child  *event.ChildSubmitted
	Report *event.ChildSettled
}

// Question is why a person was asked about a call, and until when it counts; a zero
// ExpiresAt is for ever.
type Question struct {
	Reason    string
	At        event.Time
	ExpiresAt event.Time
}

// Once is the effect class of calls that must not be repeated.
const Once = "once"

// open reports whether somebody may be carrying the call out just now.
func (c *Call) open() bool { return c.Phase == Open }

// Start says who began an open step, when, and for the how-many-th time.
type Start struct {
	By    string
	At    event.Time
	Count int
}

// Copy copies the state with all its operations: nothing is shared with it.
func (s *State) Copy() *State {
	c := s.Clone()
	for i := 1; i < len(c.Queue); i++ {
		op := *c.Queue[i]
		op.Calls = append([]Call(nil), op.Calls...)
		c.Queue[i] = &op
	}
	return c
}

// Clone copies the state and its head, so that events can be tried on it.
func (s *State) Clone() *State {
	c := *s
	c.Queue = append([]*Operation(nil), s.Queue...)
	if op := s.Head(); op != nil {
		head := *op
		head.Calls = append([]Call(nil), op.Calls...)
		c.Queue[0] = &head
	}
	return &c
}

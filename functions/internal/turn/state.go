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
	// Queue holds the operations that are not settled, in the order in which they
	// were accepted. Only the first one, the head, is driven.
	Queue []*Operation
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
)

// Operation is an unsettled operation.
type Operation struct {
	ID                string
	FirstSeq, LastSeq uint64
	Prompt            event.Value
	Preview           string // how the prompt begins
	Agent             event.Agent
	AcceptedAt        event.Time

	// Started says that its own turn began; StartedAt when.
	Started   bool
	StartedAt event.Time

	// Generation is the Step Functions execution that may drive it, from 1.
	Generation int
	// NotBefore delays a generation that follows others without progress.
	NotBefore event.Time
	// Stalls counts generations since the last progress.
	Stalls int

	// Round is the model round under way, from 1.
	Round int
	Model ModelStep
	// Calls are the round's tool calls, in the model's order.
	Calls []Call
	// Output is the text of the round's answer.
	Output event.Value
	Usage  event.Usage
}

// ModelStep is a round's call of the model.
type ModelStep struct {
	Phase   Phase
	Attempt int
	Start   Start
	// Fault is why the last attempt failed, while Pending; RetryAt when the next
	// may begin, nil if none may.
	Fault   *event.Error
	RetryAt *event.Time
}

// Call is one tool call of a round.
type Call struct {
	event.ToolCall
	Phase Phase
	Start Start
}

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

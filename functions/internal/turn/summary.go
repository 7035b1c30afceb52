package turn

import (
	"encoding/json"
	"fmt"

	"windlass/eventstore/event"
)

// Summary is the digest of a session that stands in each of its commits, so that
// api, dispatch and recover decide without folding the log.
type Summary struct {
	Version  int    `json:"v"`
	StreamID string `json:"streamId"`
	Agent    string `json:"agent"`
	// Unsettled counts the operations in the queue, the head included.
	Unsettled int `json:"unsettled"`
	// Deleted: the session has ended for good, and nothing else is said of it.
	Deleted bool `json:"deleted,omitempty"`
	// Head is the operation whose turn it is; nil if all are settled.
	Head *HeadSummary `json:"head,omitempty"`
	// Parent is the call that the session exists for; absent for none.
	Parent *event.Parent `json:"parent,omitempty"`
	// Spent is what all operations have used so far.
	Spent event.Usage `json:"spent,omitzero"`
	// Retention is how long the session is kept; absent for ever.
	Retention Retention `json:"retention,omitzero"`
	// ExpiresAt is when it may be deleted if no commit follows; absent for never.
	ExpiresAt event.Time `json:"expiresAt,omitzero"`
	// Waited: see [State].
	Waited bool `json:"waited,omitempty"`
	// Checkpoint is the newest one that was known when the commit was made.
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
}

// Checkpoint says where the fold of a log's beginning is kept. It is a cache: what
// it holds follows from the events up to Seq.
type Checkpoint struct {
	Seq uint64    `json:"seq"`
	Ref event.Ref `json:"ref"`
}

// HeadSummary is what is known of the head without folding.
type HeadSummary struct {
	Operation  string `json:"operationId"`
	FirstSeq   uint64 `json:"firstSeq"`
	LastSeq    uint64 `json:"lastSeq"`
	Generation int    `json:"generation"`
	// NotBefore is when this generation may begin; absent if it may at once.
	NotBefore *event.Time `json:"notBefore,omitempty"`
	StartedAt *event.Time `json:"startedAt,omitempty"`
	// CancelRequested: whoever may settle it does so at once.
	CancelRequested bool `json:"cancelRequested,omitempty"`
	Round           int  `json:"round"`
	// Asked counts the calls that a person is asked about.
	Asked int         `json:"asked,omitempty"`
	Phase string      `json:"phase"`
	Usage event.Usage `json:"usage"`
}

// Summary digests the state.
func (s *State) Summary() Summary {
	if s.Deleted { // a child's parent still has to be told
		return Summary{Version: 1, StreamID: s.StreamID, Parent: s.Parent, Deleted: true, Waited: s.Waited}
	}
	sum := Summary{Version: 1, StreamID: s.StreamID, Agent: s.Agent, Unsettled: len(s.Queue), Parent: s.Parent, Spent: s.Spent, Retention: s.Retention, ExpiresAt: s.ExpiresAt(), Waited: s.Waited, Checkpoint: s.Checkpoint}
	if op := s.Head(); op != nil {
		sum.Head = op.summary()
	}
	return sum
}

func (op *Operation) summary() *HeadSummary {
	h := &HeadSummary{Operation: op.ID, FirstSeq: op.FirstSeq, LastSeq: op.LastSeq, Generation: op.Generation, Round: op.Round, Phase: op.phase(), CancelRequested: op.CancelRequested, Usage: op.Usage}
	for i := range op.Calls {
		if op.Calls[i].Phase == Asked && !op.CancelRequested {
			h.Asked++
		}
	}
	if op.Started {
		at := op.StartedAt
		h.StartedAt = &at
	}
	if !op.NotBefore.IsZero() {
		at := op.NotBefore
		h.NotBefore = &at
	}
	return h
}

// Waiting is the phase of a head that waits for a person, or for a child.
const Waiting = "waiting"

// phase is where the head stands: queued, model, compact, tools, retry or waiting.
func (op *Operation) phase() string {
	switch {
	case !op.Started:
		return "queued"
	case op.waiting():
		return Waiting
	case op.Model.Phase == Done:
		return "tools"
	case op.Model.Phase == Open && op.Model.Purpose == event.PurposeCompact:
		return "compact"
	case op.Model.Phase == Open:
		return "model"
	}
	return "retry"
}

// waiting: nothing can be done until a person answers, a child ends, or a callback comes.
func (op *Operation) waiting() bool {
	asked := false
	if op.CancelRequested || op.Model.Phase != Done {
		return false
	}
	for i := range op.Calls {
		switch op.Calls[i].Phase {
		case Done:
		case Asked, Elsewhere, Deferred:
			asked = true
		default:
			return false
		}
	}
	return asked
}

// Accept is the summary after operation.accepted at seq, the same as folding it
// would give: accepting must cost the same in a long session as in a new one.
func (s Summary) Accept(operation string, seq uint64) Summary {
	s.Unsettled++
	s.ExpiresAt = event.Time{}
	if s.Head == nil {
		s.Head = &HeadSummary{Operation: operation, FirstSeq: seq, LastSeq: seq, Generation: 1, Phase: "queued", Usage: event.Usage{CostUSD: event.NoUSD}}
	}
	return s
}

// Retain is the summary after events of which some may be session.retained.
func (s Summary) Retain(events []event.Event) Summary {
	for _, e := range events {
		if d, ok := e.Data.(event.SessionRetained); ok {
			s.Retention = Retention{d.Seconds, d.Own}
		}
	}
	return s
}

// Encode writes the summary for a commit.
func (s Summary) Encode() []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("turn: summary: %v", err)) // plain values only
	}
	return b
}

// DecodeSummary reads a commit's summary. None, before the first commit, is the
// zero Summary.
func DecodeSummary(b []byte) (Summary, error) {
	if len(b) == 0 {
		return Summary{Version: 1}, nil
	}
	var s Summary
	if err := json.Unmarshal(b, &s); err != nil {
		return Summary{}, fmt.Errorf("turn: summary: %w", err)
	}
	if s.Version != 1 {
		return Summary{}, fmt.Errorf("turn: summary of version %d: this build reads 1; deploy one that reads it", s.Version)
	}
	return s, nil
}

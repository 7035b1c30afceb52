package view

import (
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// Operation is a snapshot: true as of AsOfSeq, or newer. Events after AsOfSeq
// may already be in it.
type Operation struct {
	OperationID string `json:"operationId"`
	SessionID   string `json:"sessionId"`
	StreamID    string `json:"streamId"`
	// TraceID is the trace that it stands in; empty of one that an earlier build accepted.
	TraceID     string `json:"traceId,omitempty"`
	Agent       string `json:"agent"`
	Status      string `json:"status"`
	Prompt      string `json:"prompt"`
	PromptBytes int64  `json:"promptBytes"`
	// Input is the files that the prompt came with; a list does not show them.
	Input      []File      `json:"input,omitempty"`
	Round      int         `json:"round"`
	AsOfSeq    uint64      `json:"asOfSeq"`
	FirstSeq   uint64      `json:"firstSeq"`
	LastSeq    uint64      `json:"lastSeq"`
	AcceptedAt event.Time  `json:"acceptedAt"`
	StartedAt  *event.Time `json:"startedAt,omitempty"`
	SettledAt  *event.Time `json:"settledAt,omitempty"`
	// ResumesAt says that executions failed, and when the next one begins.
	ResumesAt *event.Time `json:"resumesAt,omitempty"`
	// CancelRequested: it is about to be cancelled.
	CancelRequested bool `json:"cancelRequested,omitempty"`
	// Approvals are the calls that wait for a person; a list leaves them out.
	Approvals []Approval `json:"approvals,omitempty"`
	// Output is the answer; OutputRef names one that is over 256 KiB.
	Output    *event.Value `json:"output,omitempty"`
	OutputRef *event.Ref   `json:"outputRef,omitempty"`
	Error     *event.Error `json:"error,omitempty"`
	Usage     event.Usage  `json:"usage"`
}

// Settled reports whether the operation has ended.
func (o Operation) Settled() bool {
	return o.Status != index.Queued && o.Status != index.Running && o.Status != index.Waiting
}

// Of puts a snapshot together from the session's head, read first, and the
// operation's row, read after it. While the operation is at the head the summary
// knows more than the row, unless the row has settled meanwhile.
func Of(session string, head turn.Summary, asOf uint64, row index.Operation) Operation {
	o := Operation{
		OperationID: row.ID, SessionID: session, StreamID: head.StreamID, TraceID: row.TraceID, Agent: row.Agent, Status: row.Status,
		Prompt: row.Prompt, PromptBytes: row.PromptBytes, Round: row.Round, AsOfSeq: asOf,
		FirstSeq: row.FirstSeq, LastSeq: row.LastSeq, AcceptedAt: row.AcceptedAt, StartedAt: row.StartedAt, SettledAt: row.SettledAt,
		Error: row.Error, Usage: row.Usage,
	}
	if h := head.Head; h != nil && h.Operation == row.ID && !o.Settled() {
		o.Round, o.LastSeq, o.StartedAt, o.ResumesAt, o.Usage = h.Round, h.LastSeq, h.StartedAt, h.NotBefore, h.Usage
		switch {
		case h.Phase == turn.Waiting && h.Asked > 0:
			o.Status = index.Waiting
		case h.StartedAt != nil:
			o.Status = index.Running
		}
		o.CancelRequested = h.CancelRequested
	}
	return o
}

// promptListed is how much of a prompt a list shows, in characters.
const promptListed = 200

// Listed is [Of] for a list: without an output, and with the prompt's beginning
// only.
func Listed(session string, head turn.Summary, asOf uint64, row index.Operation) Operation {
	o := Of(session, head, asOf, row)
	o.Prompt = index.First(o.Prompt, promptListed)
	return o
}

package session

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/index"
	"windlass/functions/internal/trace"
	"windlass/functions/internal/turn"
)

// Submission is a prompt for a session.
type Submission struct {
	Prompt string
	// PromptUpload names a prompt that was uploaded, instead of Prompt.
	PromptUpload string
	// Input is the files that the prompt comes with, up to [MaxInput] of up to
	// [MaxInputBytes] together.
	Input []Part
	// OperationID is made if empty.
	OperationID string
	// Agent is the session's default if empty.
	Agent string
	// IfBusy is what becomes of it while others are not settled: one of
	// [agent.Policies]; the agent's own if empty.
	IfBusy string
	// Trace is the caller's place in a trace, which the operation joins; none begins one.
	// It tells no submission from another: the first one's stays.
	Trace trace.Context

	// Parent is the call that the session is opened for; MaxTokens and MaxCost bound the
	// turn further than its agent does. They are of a child's submission alone, which no
	// client makes.
	Parent    *event.Parent
	MaxTokens int64
	MaxCost   event.USD

	prompt prompt
	parts  []part
	files  []event.File // what the parts stand for, at the position that is decided about
}

// Receipt says that a prompt is durable. Accepted is not completed.
type Receipt struct {
	OperationID string `json:"operationId"`
	SessionID   string `json:"sessionId"`
	StreamID    string `json:"streamId"`
	// Accepted is false if this prompt stood in the log already.
	Accepted bool   `json:"accepted"`
	Status   string `json:"status"`
	// TraceID is the trace that the operation stands in: the first submission's.
	TraceID string `json:"traceId,omitempty"`
	// After is the seq to read the operation's events from.
	After uint64 `json:"after"`
	// Steered says that the prompt joined an operation that was under way, and is
	// none of its own: OperationID is that one's.
	Steered bool `json:"steered,omitempty"`
}

// Submit accepts a prompt. Sent again with the same id it returns the operation
// that exists, and makes good a start that was lost; with the same id and
// another prompt, input or agent it is operation_mismatch. Files that it comes with are
// those of the position that it is accepted at: not_found if one is not there.
func (s *Service) Submit(ctx context.Context, stream eventstore.Stream, sub Submission) (Receipt, error) {
	err := s.check(stream, &sub)
	if err == nil {
		sub.prompt, err = s.readPrompt(ctx, stream, sub)
	}
	if err != nil {
		return Receipt{OperationID: sub.OperationID}, err
	}
	for {
		r, err := s.accept(ctx, stream, &sub)
		r.OperationID = cmp.Or(r.OperationID, sub.OperationID) // of a failure too: it is what to send again
		var lost *eventstore.Conflict
		if errors.As(err, &lost) && ctx.Err() == nil {
			continue // others append to this session too: decide again
		}
		var claimed *eventstore.Claimed
		if errors.As(err, &claimed) {
			return s.again(ctx, stream, sub, claimed.Existing)
		}
		return r, err
	}
}

func (s *Service) check(stream eventstore.Stream, sub *Submission) (err error) {
	if sub.OperationID == "" {
		sub.OperationID = s.NewID(s.Now())
	}
	switch {
	case !eventstore.ValidID(stream.Session):
		return badID("session", stream.Session)
	case !eventstore.ValidID(sub.OperationID):
		return badID("operationId", sub.OperationID)
	case sub.IfBusy != "" && !slices.Contains(agent.Policies, sub.IfBusy):
		return fault.New(fault.InvalidRequest, "ifBusy is %.40q; it is one of %s", sub.IfBusy, strings.Join(agent.Policies, ", "))
	}
	sub.parts, err = readParts(sub.Input)
	return err
}

func badID(what, id string) error {
	return fault.New(fault.InvalidRequest, "%s is %.140q; it takes 1 to %d of A-Z a-z 0-9 . _ : - and is not . or ..", what, id, eventstore.MaxID)
}

func (s *Service) accept(ctx context.Context, stream eventstore.Stream, sub *Submission) (Receipt, error) {
	if sub.readsFiles() {
		return s.acceptFolded(ctx, stream, sub)
	}
	sum, at, err := s.head(ctx, stream)
	if err != nil {
		return Receipt{}, err
	}
	policy, err := s.policy(sub, sum)
	switch {
	case err != nil:
		return Receipt{}, s.refused(ctx, stream, sub.OperationID, err)
	case policy == agent.Interrupt || policy == agent.Steer:
		return s.acceptFolded(ctx, stream, sub)
	}
	d, sum, err := s.draft(ctx, stream, sub, sum, at.Seq())
	if err != nil {
		return Receipt{}, s.refused(ctx, stream, sub.OperationID, err)
	}
	commit, _, err := s.Journal.Append(ctx, at, d)
	if err != nil {
		return Receipt{}, err
	}
	if sum.Unsettled == 1 {
		_, err := s.Turns.Start(ctx, execution.Turn{Tenant: stream.Tenant, Session: stream.Session, Operation: sub.OperationID, Generation: 1})
		late(ctx, stream, err)
	}
	return Receipt{OperationID: sub.OperationID, SessionID: stream.Session, StreamID: sum.StreamID, Accepted: true, Status: index.Queued, TraceID: traceOf(commit), After: commit.Last - 1}, nil
}

// refused decides about an operation that cannot be accepted now: a submission
// that stands in the log already gets its receipt all the same.
func (s *Service) refused(ctx context.Context, stream eventstore.Stream, id string, why error) error {
	c, err := s.Journal.Claim(ctx, stream, id)
	switch {
	case err == nil:
		return &eventstore.Claimed{Existing: c}
	case eventstore.CodeOf(err) == eventstore.NotFound:
		return why
	}
	return err
}

// draft is the commit that accepts: it opens the session if it is new.
func (s *Service) draft(ctx context.Context, stream eventstore.Stream, sub *Submission, sum turn.Summary, last uint64) (eventstore.Draft, turn.Summary, error) {
	now := event.At(s.Now())
	var d eventstore.Draft
	if sum.Unsettled >= MaxQueue {
		return d, sum, queueFull(sum.Unsettled, stream)
	}
	if sum.StreamID == "" {
		sum.StreamID, sum.Agent, sum.Parent = s.NewID(now.Time), cmp.Or(sub.Agent, s.Agents.Default), sub.Parent
		d.Events = append(d.Events, event.Event{At: now, Data: event.SessionOpened{StreamID: sum.StreamID, Agent: sum.Agent, Parent: sub.Parent}})
		d.Rows = append(d.Rows, index.SessionRow(stream.Tenant, index.Session{ID: stream.Session, StreamID: sum.StreamID, Agent: sum.Agent, OpenedAt: now}))
	}
	renewed, err := s.renewed(ctx, stream, sum.Retention, now)
	if err != nil {
		return d, sum, err
	}
	d.Events = append(d.Events, renewed...)
	a, err := s.agent(sub, sum)
	if err != nil {
		return d, sum, err
	}
	if a, err = agent.Bounded(a, sub.MaxTokens, sub.MaxCost); err != nil {
		return d, sum, err
	}
	sum.Agent = cmp.Or(sum.Agent, a.Name) // of a session that files opened
	if err := sub.prompt.keep(ctx, s.Journal, stream); err != nil {
		return d, sum, err
	}
	if err := s.bring(ctx, stream, sub, nil); err != nil {
		return d, sum, err
	}
	seq := last + uint64(len(d.Events)) + 1
	s.accepted(stream, sum.StreamID, sub, a, now, seq, &d)
	d.Rows = append(d.Rows, index.ExpiringRows(stream, last, sum.ExpiresAt, 0, event.Time{})...)
	sum = sum.Retain(renewed).Accept(sub.OperationID, seq)
	d.Wake, d.Summary = true, sum.Encode()
	return d, sum, nil
}

// accepted adds to a draft what accepts the submission as seq: claim, event, rows.
func (s *Service) accepted(stream eventstore.Stream, streamID string, sub *Submission, a event.Agent, now event.Time, seq uint64, d *eventstore.Draft) {
	print := sub.fingerprint()
	said := sub.prompt.accepted(print, a)
	said.Input = sub.files
	said.Traceparent, said.ParentSpanID = trace.Begin(sub.Trace, streamID, sub.OperationID).String(), sub.Trace.SpanID
	d.Claim = &eventstore.Claim{Key: sub.OperationID, Fingerprint: print, Event: len(d.Events)}
	d.Events = append(d.Events, event.Event{At: now, Operation: sub.OperationID, Data: said})
	d.Rows = append(d.Rows,
		index.OperationRow(stream, index.Operation{
			ID: sub.OperationID, Agent: a.Name, Status: index.Queued, Prompt: sub.prompt.preview, PromptBytes: sub.prompt.bytes,
			FirstSeq: seq, LastSeq: seq, AcceptedAt: now, TraceID: said.TraceID(), Usage: event.Usage{CostUSD: event.NoUSD},
		}),
		index.UnsettledRow(stream, sub.OperationID, seq))
}

// traceOf is the trace of the operation that a commit accepts, as its last event.
func traceOf(c eventstore.Commit) string {
	d, _ := c.Events[len(c.Events)-1].Data.(event.OperationAccepted)
	return d.TraceID()
}

// agent is the one that the submission runs on.
func (s *Service) agent(sub *Submission, sum turn.Summary) (event.Agent, error) {
	name := cmp.Or(sub.Agent, sum.Agent, s.Agents.Default)
	a, ok := s.Agents.Find(name)
	switch {
	case !ok && sub.Agent != "":
		return a, fault.New(fault.UnknownAgent, "there is no agent %.128q", sub.Agent)
	case !ok:
		return a, fault.New(fault.UnknownAgent, "the session's agent %q is not deployed any more; name another one", name)
	}
	return a, nil
}

// again answers a submission whose id is taken.
func (s *Service) again(ctx context.Context, stream eventstore.Stream, sub Submission, c eventstore.Claim) (Receipt, error) {
	switch {
	case c.Fingerprint == cancelledUnseen: // before it came
	case c.Fingerprint != sub.fingerprint():
		return Receipt{}, fault.New(fault.OperationMismatch, "operation %s was submitted with another prompt, input or agent; use a new operationId", sub.OperationID)
	}
	if id, ok, err := s.steeredInto(ctx, stream, c); err != nil || ok {
		return s.steered(ctx, stream, c, id, false, err)
	}
	o, err := s.operation(ctx, stream, c)
	if err != nil {
		return Receipt{}, err
	}
	if !o.Settled() {
		late(ctx, stream, s.Turns.Wake(ctx, stream))
	}
	return Receipt{OperationID: sub.OperationID, SessionID: stream.Session, StreamID: o.StreamID, Status: o.Status, TraceID: o.TraceID, After: o.FirstSeq - 1}, nil
}

// late logs a start that failed: the prompt is durable, and dispatch and recover
// will start its turn.
func late(ctx context.Context, stream eventstore.Stream, err error) {
	if err != nil {
		slog.WarnContext(ctx, "the turn will start later", "session", stream.Session, "error", err)
	}
}

package delegation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/index"
	"windlass/functions/internal/session"
	"windlass/functions/internal/trace"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// MaxDepth is how many parents a session may have above it: an agent that delegates to
// itself comes to an end.
const MaxDepth = 3

// task is the one operation of a child session.
const task = "task"

// Child names the session of a step's child: the same for whoever asks.
func Child(s eventstore.Stream, operation string, round, index int, agent string) turn.Delegation {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d\x00%d", s.Session, operation, round, index))
	return turn.Delegation{Session: "child-" + hex.EncodeToString(sum[:16]), Operation: task, Agent: agent}
}

// sessions are what is needed of package session.
type sessions interface {
	Submit(context.Context, eventstore.Stream, session.Submission) (session.Receipt, error)
	Operation(ctx context.Context, stream eventstore.Stream, id string) (view.Operation, error)
	Cancel(ctx context.Context, stream eventstore.Stream, id string) (view.Operation, error)
}

// Families hands calls to child sessions, and tells parents what became of them.
type Families struct {
	Sessions sessions
	Journal  *eventstore.Journal
	// Wake has a session's turn go on.
	Wake func(context.Context, eventstore.Stream) error
	Now  func() time.Time
}

// Handover is a call that is handed over.
type Handover struct {
	Parent event.Parent
	Child  event.ChildSubmitted
	Prompt string
	// Tokens and Cost are the child's share of what is left of the parent's budget; zero
	// values for no bound.
	Tokens int64
	Cost   event.USD
}

// Hand submits the child, if it is not there. One that has ended already, or that
// nobody takes on, is reported to the parent's log. It may be done any number of times.
func (f *Families) Hand(ctx context.Context, parent eventstore.Stream, h Handover) error {
	child := eventstore.Stream{Tenant: parent.Tenant, Session: h.Child.Session}
	call, err := f.traced(ctx, parent, h.Parent)
	if err != nil {
		return err
	}
	_, err = f.Sessions.Submit(ctx, child, session.Submission{
		Prompt: h.Prompt, OperationID: h.Child.Operation, Agent: h.Child.Agent, Parent: &h.Parent, MaxTokens: h.Tokens, MaxCost: h.Cost, Trace: call,
	})
	var refused *fault.Error
	if errors.As(err, &refused) && !fault.Table[refused.Code].Retryable {
		return f.report(ctx, child, h.Parent, event.ChildSettled{
			Status: index.Failed, Error: &event.Error{Code: string(refused.Code), Message: refused.Message}, Usage: event.Usage{CostUSD: event.NoUSD},
		})
	}
	if err != nil {
		return err
	}
	o, err := f.Sessions.Operation(ctx, child, h.Child.Operation)
	if err != nil || !o.Settled() {
		return err
	}
	return f.ended(ctx, child, h.Parent, o)
}

// traced is the place of the parent's call in its trace, which follows from the event that
// accepted the parent's operation.
func (f *Families) traced(ctx context.Context, parent eventstore.Stream, p event.Parent) (trace.Context, error) {
	claim, err := f.Journal.Claim(ctx, parent, p.Operation)
	if err != nil {
		return trace.Context{}, err
	}
	for c, err := range f.Journal.Read(ctx, parent, claim.First-1) {
		if err != nil {
			return trace.Context{}, err
		}
		for _, e := range c.Events {
			if d, ok := e.Data.(event.OperationAccepted); ok && e.Seq == claim.First {
				own, _ := trace.Accepted(e, d)
				return own.Call(p.Round, p.Index), nil
			}
		}
		break
	}
	return trace.Context{}, nil
}

// settled is the end of a child as its parent's log has it: its values stand in the
// parent's session.
func (f *Families) settled(ctx context.Context, parent, child eventstore.Stream, o view.Operation) (event.ChildSettled, error) {
	s := event.ChildSettled{Status: o.Status, Error: o.Error, Usage: o.Usage}
	output := o.Output
	if o.OutputRef != nil {
		v := event.ByRef(*o.OutputRef)
		output = &v
	}
	switch {
	case output != nil:
		text, err := f.Journal.Load(ctx, child, *output)
		if err != nil {
			return s, err
		}
		kept, err := f.Journal.Keep(ctx, parent, text, "text/plain; charset=utf-8")
		s.Output = &kept
		return s, err
	case s.Error == nil:
		s.Error = &event.Error{Code: o.Status, Message: "the other agent's turn was " + o.Status}
	}
	return s, nil
}

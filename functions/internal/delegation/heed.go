package delegation

import (
	"context"
	"errors"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// Heed does what a commit asks of other sessions: a child that ended is told to its
// parent, one whose parent ended is cancelled. Again is as once.
func (f *Families) Heed(ctx context.Context, r eventstore.Record) error {
	sum, err := turn.DecodeSummary(r.Summary)
	if err != nil {
		return err
	}
	events, err := f.Journal.Events(ctx, r)
	if err != nil {
		return err
	}
	for _, e := range events {
		switch d := e.Data.(type) {
		case event.ChildAbandoned:
			_, err = f.Sessions.Cancel(ctx, eventstore.Stream{Tenant: r.Stream.Tenant, Session: d.Session}, d.Operation)
			if isDeleted(err) {
				err = nil // that ended it
			}
		case event.OperationCompleted, event.OperationFailed, event.OperationCancelled:
			if sum.Parent != nil && e.Operation == task {
				err = f.tell(ctx, r.Stream, *sum.Parent)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// tell reports a child's end to its parent.
func (f *Families) tell(ctx context.Context, child eventstore.Stream, p event.Parent) error {
	o, err := f.Sessions.Operation(ctx, child, task)
	if fault.Of(err).Code == fault.NotFound && err != nil {
		return nil // it was cancelled before it was there
	}
	if isDeleted(err) {
		return f.report(ctx, child, p, event.ChildSettled{
			Status: index.Cancelled, Usage: event.Usage{CostUSD: event.NoUSD},
			Error: &event.Error{Code: string(fault.SessionDeleted), Message: "the other agent's session was deleted before it had answered"},
		})
	}
	if err != nil {
		return err
	}
	return f.ended(ctx, child, p, o)
}

func (f *Families) ended(ctx context.Context, child eventstore.Stream, p event.Parent, o view.Operation) error {
	s, err := f.settled(ctx, eventstore.Stream{Tenant: child.Tenant, Session: p.Session}, child, o)
	if isDeleted(err) {
		return nil // the parent's, which cannot keep it
	}
	if err != nil {
		return err
	}
	return f.report(ctx, child, p, s)
}

// report appends a child's end to its parent, if the parent waits for it.
func (f *Families) report(ctx context.Context, child eventstore.Stream, p event.Parent, end event.ChildSettled) error {
	parent := eventstore.Stream{Tenant: child.Tenant, Session: p.Session}
	for {
		s, err := fold.Open(ctx, f.Journal, parent)
		if err != nil {
			return err
		}
		events := turn.Report(&s.State, p, event.ChildSubmitted{Session: child.Session, Operation: task}, end, f.Now())
		if events == nil {
			return nil
		}
		_, _, err = f.Journal.Append(ctx, s.At, index.Draft(parent, &s.State, "", events))
		var lost *eventstore.Conflict
		switch {
		case errors.As(err, &lost) && ctx.Err() == nil: // others append to it too: decide again
		case err != nil:
			return err
		default:
			return f.Wake(ctx, parent)
		}
	}
}

func isDeleted(err error) bool { return err != nil && fault.Of(err).Code == fault.SessionDeleted }

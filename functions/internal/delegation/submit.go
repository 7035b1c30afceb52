package delegation

import (
	"context"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/tool"
)

// Submit hands a prompt to a session of the tenant, for the tool that the step from of the
// caller's session runs: the operation stands in its trace, below the call. An operation that is there
// already is this one: its id follows from the call, and what is said of it may follow
// from when it was said. An error is a [tool.Failure], unless the log was out of reach.
func (f *Families) Submit(ctx context.Context, caller eventstore.Stream, from event.Parent, s tool.Submission) error {
	if !eventstore.ValidID(s.Session) || !eventstore.ValidID(s.OperationID) {
		return tool.Failure{Code: "invalid_arguments", Message: "an id has 1 to 128 of A-Z a-z 0-9 . _ : -"}
	}
	call, err := f.traced(ctx, caller, from)
	if err != nil {
		return err
	}
	to := eventstore.Stream{Tenant: caller.Tenant, Session: s.Session}
	_, err = f.Sessions.Submit(ctx, to, session.Submission{Prompt: s.Prompt, OperationID: s.OperationID, Agent: s.Agent, Trace: call})
	switch its := fault.Of(err); {
	case err == nil, its.Code == fault.OperationMismatch:
		return nil
	case its.Code == fault.Unavailable || its.Code == fault.Internal:
		return err
	default:
		return tool.Failure{Code: string(its.Code), Message: its.Message}
	}
}

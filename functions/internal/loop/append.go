package loop

import (
	"context"
	"errors"
	"fmt"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// append writes the events on condition that nobody appended since. A lost race
// is folded, and decided again by the caller. What is too large for one commit
// is cut; what is too large by itself becomes an error that can be kept.
func (d *driver) append(ctx context.Context, events []event.Event) error {
	c, _, err := d.Journal.Append(ctx, d.at, d.draft(events))
	var lost *eventstore.Conflict
	switch {
	case err == nil:
		d.me.First, d.me.Flush = false, false
		d.apply(c)
		return nil
	case errors.As(err, &lost):
		// Only another driver fences; also one that was first to take over.
		d.me.Lost, err = d.catchUp(ctx)
		return err
	case eventstore.CodeOf(err) != eventstore.TooLarge:
		return err
	}
	if n := cut(events); n > 0 {
		return d.append(ctx, events[:n])
	}
	return d.tooLarge(ctx, events, err)
}

// cut is how many of the events to try instead, 0 if they are one thing: a
// file stays with the result that tells of it.
func cut(events []event.Event) int {
	for n := len(events) / 2; n < len(events); n++ {
		if _, file := events[max(n-1, 0)].Data.(event.WorkspaceWritten); n > 0 && !file {
			return n
		}
	}
	return 0
}

// tooLarge replaces what cannot be stored: a call's outcome by an error that the
// model reads, anything else by the end of the turn.
func (d *driver) tooLarge(ctx context.Context, events []event.Event, err error) error {
	last := events[len(events)-1].Data
	if r, ok := last.(event.ToolCompleted); ok {
		d.me.Outcomes[r.Index] = turn.Outcome{event.ToolFailed{Index: r.Index, CallID: r.CallID, Name: r.Name, Error: event.Error{
			Code: "too_large", Message: "the outcome is too large to be kept in one entry of the log; do it in smaller parts"}}}
		return nil
	}
	if _, ok := last.(event.OperationFailed); ok {
		return err // nothing smaller is left to say
	}
	clear(d.me.Outcomes)
	op := d.state.Head()
	fail := turn.Fail(op, d.me, event.Error{Code: "too_large", Message: fmt.Sprintf("%s is too large to be kept in one entry of the log (at most %d bytes)", last.EventType(), eventstore.MaxBody)})
	return d.append(ctx, fail.Events)
}

// draft is the commit of the events: with the summary after them, and the rows
// that a settlement moves.
func (d *driver) draft(events []event.Event) eventstore.Draft {
	after := d.state.Clone()
	settled := event.Event{}
	for i, e := range events {
		e.Seq, e.By = d.at.Seq()+uint64(i)+1, d.me.Me
		after.Apply(e)
		if terminal(e.Data) {
			settled = e
		}
	}
	draft := eventstore.Draft{By: d.me.Me, Events: events, Summary: after.Summary().Encode()}
	for _, e := range events {
		draft.Wake = draft.Wake || turn.Wakes(e.Data)
	}
	if settled.Data != nil {
		op := d.state.Head()
		draft.Rows = []eventstore.Row{
			index.OperationRow(d.stream, settledRow(op, settled)),
			index.SettledRow(d.stream, op.FirstSeq),
		}
	}
	return draft
}

func terminal(p event.Payload) bool {
	switch p.(type) {
	case event.OperationCompleted, event.OperationFailed:
		return true
	}
	return false
}

func settledRow(op *turn.Operation, e event.Event) index.Operation {
	at := e.At
	row := index.Operation{
		ID: op.ID, Agent: op.Agent.Name, Prompt: index.Preview(op.Prompt.Inline()), PromptBytes: op.Prompt.Len(),
		FirstSeq: op.FirstSeq, LastSeq: e.Seq, Round: op.Round, AcceptedAt: op.AcceptedAt, SettledAt: &at,
	}
	if op.Started {
		started := op.StartedAt
		row.StartedAt = &started
	}
	switch p := e.Data.(type) {
	case event.OperationCompleted:
		row.Status, row.Usage = index.Completed, p.Usage
	case event.OperationFailed:
		row.Status, row.Usage, row.Error = index.Failed, p.Usage, &p.Error
	}
	return row
}

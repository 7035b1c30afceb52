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
	d.noteCheckpoint() // so that this commit's summary names it
	c, _, err := d.Journal.Append(ctx, d.session.At, index.Draft(d.stream, &d.session.State, d.me.Me, events))
	var lost *eventstore.Conflict
	switch {
	case err == nil:
		d.me.First, d.me.Flush = false, false
		d.session.Appended(c)
		d.applied(c)
		d.session.Save(d.effects, d.Journal)
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
		if n > 0 && !ofFile(events[n-1].Data) {
			return n
		}
	}
	return 0
}

func ofFile(p event.Payload) bool {
	switch p.(type) {
	case event.WorkspaceWritten, event.WorkspaceDeleted:
		return true
	}
	return false
}

// tooLarge replaces what cannot be stored: a call's outcome by an error that the
// model reads, anything else by the end of the turn.
func (d *driver) tooLarge(ctx context.Context, events []event.Event, err error) error {
	last := events[len(events)-1].Data
	switch r := last.(type) {
	case event.ToolCompleted:
		d.me.Outcomes[r.Index] = turn.Outcome{event.ToolFailed{Index: r.Index, CallID: r.CallID, Name: r.Name, Error: event.Error{
			Code: "too_large", Message: "the outcome is too large to be kept in one entry of the log; do it in smaller parts"}}}
		return nil
	case event.OperationFailed:
		return err // nothing smaller is left to say; its parts are bounded, so this does not come
	}
	clear(d.me.Outcomes)
	op := d.session.State.Head()
	fail := turn.Fail(op, d.me, event.Error{Code: "too_large", Message: fmt.Sprintf("%s is too large to be kept in one entry of the log (at most %d bytes)", last.EventType(), eventstore.MaxBody)})
	return d.append(ctx, fail.Events)
}

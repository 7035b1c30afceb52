package turn

import (
	"fmt"
	"time"

	"windlass/eventstore/event"
)

// DefaultStartDelays space repeated starts of the same step: 1 s after the
// first, then 10 s, a minute, five. A step that was started five times without
// an outcome is poison.
var DefaultStartDelays = []time.Duration{time.Second, 10 * time.Second, time.Minute, 5 * time.Minute}

// enter is a driver's first look: wait, take over from a dead driver, give up on
// a step that kills its drivers, or (nil) simply go on.
func enter(op *Operation, me Situation) Effect {
	takeover := Append{Events: op.commit(me).add(0, event.OperationResumed{Reason: event.ReasonTakeover, Generation: op.Generation, By: me.Me}).events}
	foreign := op.ownedByAnother(me.Me)
	switch {
	case op.CancelRequested && foreign:
		return takeover // the settlement follows at once
	case op.CancelRequested:
		return nil
	case op.NotBefore.After(me.Now.Time):
		return Backoff{Until: op.NotBefore}
	case !foreign:
		return nil
	}
	last := op.lastStart()
	if last.Count == 0 { // only calls that must not be repeated
		if until := op.onceUntil(); until.After(me.Now.Time) {
			return Backoff{Until: until}
		}
		return takeover
	}
	if last.Count > len(me.StartDelays) {
		return failed(op, me, event.Error{
			Code:    "step_poisoned",
			Message: fmt.Sprintf("a step of round %d was started %d times and no run of it came to an end", op.Round, last.Count),
		})
	}
	if due := event.At(last.At.Add(me.StartDelays[max(last.Count, 1)-1])); due.After(me.Now.Time) {
		return Backoff{Until: due}
	}
	return takeover
}

// UntilMargin is added to a call's Until before anybody decides what became of it:
// clocks differ.
const UntilMargin = 5 * time.Second

// onceUntil is when the first of the open calls that must not be repeated may be
// asked about.
func (op *Operation) onceUntil() (first event.Time) {
	for i := range op.Calls {
		if c := &op.Calls[i]; c.open() && c.Effect == Once {
			if at := event.At(c.Until.Add(UntilMargin)); first.IsZero() || at.Before(first.Time) {
				first = at
			}
		}
	}
	return first
}

// lastStart is the start of the open step that was started most often, of those that
// may be repeated; its At is that of the latest start of any.
func (op *Operation) lastStart() Start {
	var most Start
	see := func(s Start) {
		at := most.At
		if s.Count > most.Count {
			most = s
		}
		if s.At.Before(at.Time) {
			most.At = at
		} else {
			most.At = s.At
		}
	}
	if op.Model.Phase == Open {
		see(op.Model.Start)
	}
	for _, c := range op.Calls {
		if c.Phase == Open && c.Effect != Once {
			see(c.Start)
		}
	}
	return most
}

// nextGeneration hands the turn to a new execution, between rounds.
func nextGeneration(op *Operation, me Situation) Effect {
	return Append{Events: op.commit(me).add(0, event.OperationResumed{Reason: event.ReasonGeneration, Generation: op.Generation + 1}).events}
}

// GenerationDelays space generations that make no progress, as a deployment does
// that cannot start. The first new one begins at once, the others when recover's
// schedule finds that they may.
var GenerationDelays = []time.Duration{0, 10 * time.Second, time.Minute, 5 * time.Minute, 30 * time.Minute}

// maxStalls is how many generations in a row may make no progress. Poison counts
// starts that reached the log; this counts executions that die before any.
const maxStalls = 8

// Revive is what a waker appends when the head's execution has ended without
// settling it: the next generation, or the turn's end if the last ones got
// nowhere or it was to be cancelled. A driver that dies at once cannot keep this from being decided.
func Revive(op *Operation, now time.Time) []event.Event {
	if op.CancelRequested {
		return cancelled(op, Situation{Now: event.At(now)}).Events
	}
	if op.Stalls >= maxStalls {
		return failed(op, Situation{Now: event.At(now)}, event.Error{
			Code:    "stalled",
			Message: fmt.Sprintf("%d executions in a row ended without any progress", op.Stalls+1),
		}).Events
	}
	e := event.OperationResumed{Reason: event.ReasonGeneration, Generation: op.Generation + 1}
	if d := GenerationDelays[min(op.Stalls, len(GenerationDelays)-1)]; d > 0 {
		at := event.At(now.Add(d))
		e.NotBefore = &at
	}
	return []event.Event{{At: event.At(now), Operation: op.ID, Data: e}}
}

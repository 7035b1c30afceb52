package proof

import (
	"slices"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// rule is a sentence of the protocol that can be switched off.
type rule uint32

const (
	ruleFirst         rule = 1 << iota // only a driver's first read may take over
	ruleLost                           // who lost an append to another driver stops
	ruleFence                          // who sees another's open step stops
	ruleEarly                          // an open once step is not taken over before its until
	ruleWait                           // nobody decides about an open once step before its until
	ruleUntil                          // its effect's context has ended by then
	ruleOwner                          // a takeover makes its writer the owner of every open step
	ruleGeneration                     // a driver of another generation is done
	ruleRedecide                       // a lost append is decided again
	ruleForget                         // what is held for a step is dropped when the step is not open any more
	ruleFound                          // a finding counts for the very tool.unknown it was asked about
	ruleMayHave                        // a begun once step is settled as unknown, never as not run
	rulePrompt                         // a requested cancel is settled at once, before until too
	ruleRefuse                         // after a cancel was requested nothing is said to the operation
	ruleSteered                        // a message keeps the turn going
	ruleCap                            // the cap is checked before the call
	ruleHead                           // only the head of the queue is driven
	ruleDurable                        // a start is in the log before its effect
	ruleAnswer                         // dispatch answers tokens
	ruleSettled                        // those of settled operations too
	ruleRecoverTokens                  // recover answers tokens
	ruleParkReads                      // Park stores first and reads second
	ruleNewest                         // an older token never replaces a newer one
	ruleStrong                         // a waker folds the newest log
	ruleSubmitted                      // a child is in its parent's log before it is handed over
	ruleNamed                          // a child's session follows from its step
	ruleTold                           // an end is told if its parent waits for it
	ruleRecheck                        // a parked parent looks after its children
	ruleAbandon                        // who ends lets go of the children that have not
	ruleClaim                          // cancelling a child that is not there keeps it from coming

	rules // the first bit that is none
)

func (x *explorer) off(r rule) bool { return x.without&r != 0 }

// next asks the code; with a rule switched off, as if it did not have it.
func (x *explorer) next(w *world, d *driver) turn.Effect {
	me, s := x.situation(w, d), d.view
	if x.without == 0 {
		return turn.Next(s, me)
	}
	op := s.Find(me.Operation)
	if op == nil {
		return turn.Next(s, me)
	}
	s, op = x.blind(s, op, &me)
	e := turn.Next(s, me)
	switch e := e.(type) {
	case turn.Fenced:
		if by := otherOwner(op, me.Me); x.off(ruleFence) && by != "" {
			me.Lost, me.Me = false, by
			return turn.Next(s, me)
		}
	case turn.Backoff:
		return x.hasty(s, op, me, e)
	case turn.Append:
		if x.off(rulePrompt) && op.CancelRequested && !me.First && onceOpen(op, me) {
			return turn.Backoff{}
		}
	}
	return e
}

// blind takes from the situation, or from what the driver sees of the log, what a
// rule goes by.
func (x *explorer) blind(s *turn.State, op *turn.Operation, me *turn.Situation) (*turn.State, *turn.Operation) {
	if x.off(ruleFirst) && me.Lost {
		me.Lost, me.First = false, true
	}
	if x.off(ruleLost) {
		me.Lost = false
	}
	if x.off(ruleGeneration) {
		me.Generation = op.Generation
	}
	if x.off(ruleCap) {
		me.MaxRounds++
	}
	if x.off(ruleFound) {
		for i, f := range me.Found {
			f.UnknownSeq = op.Calls[i].UnknownSeq
			me.Found[i] = f
		}
	}
	if x.off(ruleSteered | ruleHead) {
		o := *op
		if x.off(ruleSteered) {
			o.Steered = 0
		}
		c := *s
		c.Queue = []*turn.Operation{&o}
		return &c, &o
	}
	return s, op
}

func otherOwner(op *turn.Operation, me string) string {
	if op.Model.Phase == turn.Open && op.Model.Start.By != me {
		return op.Model.Start.By
	}
	for _, c := range op.Calls {
		if c.Phase == turn.Open && c.Start.By != me {
			return c.Start.By
		}
	}
	return ""
}

func onceOpen(op *turn.Operation, me turn.Situation) bool {
	for _, c := range op.Calls {
		if c.Phase == turn.Open && c.Effect == turn.Once && c.Until.Add(turn.UntilMargin).After(me.Now.Time) {
			return true
		}
	}
	return false
}

// hasty does at once what the code would wait with.
func (x *explorer) hasty(s *turn.State, op *turn.Operation, me turn.Situation, e turn.Backoff) turn.Effect {
	if !x.off(ruleEarly | ruleWait) {
		return e
	}
	now := me.Now
	me.Now = event.At(now.Add(time.Hour))
	late, ok := turn.Next(s, me).(turn.Append)
	if !ok {
		return e
	}
	for i := range late.Events {
		late.Events[i].At = now
		switch late.Events[i].Data.(type) {
		case event.OperationResumed:
			if !x.off(ruleEarly) {
				return e
			}
		case event.ToolUnknown:
			if !x.off(ruleWait) {
				return e
			}
		default:
			return e
		}
	}
	return late
}

// events are what is appended; with a rule switched off, something else.
func (x *explorer) events(events []event.Event) []event.Event {
	if !x.off(ruleOwner | ruleMayHave | ruleAbandon) {
		return events
	}
	if x.off(ruleAbandon) {
		events = slices.DeleteFunc(events, func(e event.Event) bool { _, ok := e.Data.(event.ChildAbandoned); return ok })
	}
	for i, e := range events {
		switch p := e.Data.(type) {
		case event.OperationResumed:
			if x.off(ruleOwner) {
				p.By = "nobody"
				events[i].Data = p
			}
		case event.ToolFailed:
			if x.off(ruleMayHave) && p.Error.Code == "outcome_unknown" {
				p.Error.Code = "cancelled"
				events[i].Data = p
			}
		}
	}
	return events
}

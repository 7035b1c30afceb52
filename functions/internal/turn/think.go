package turn

import (
	"fmt"

	"windlass/eventstore/event"
)

// MaxAttempts bounds how often one round asks the model.
const MaxAttempts = 5

// begin starts the operation's turn: its prompt joins the transcript.
func begin(op *Operation, me Situation) Effect {
	switch {
	case me.HistoryFull:
		return nextGeneration(op, me)
	case !mayBeginRound(me):
		return Yield{}
	}
	if over := overBudget(op, me.Budget); over != nil {
		return failed(op, me, *over)
	}
	c := op.commit(me).add(0, event.OperationStarted{})
	return Append{Events: c.add(1, op.ask(1, 1, me)).events}
}

// mayBeginRound: no effect begins whose own timeout exceeds the time left.
func mayBeginRound(me Situation) bool {
	return me.RoundsLeft > 0 && me.TimeLeft >= me.ModelTimeout && !me.HistoryFull
}

// think moves a round's model step.
func think(s *State, op *Operation, me Situation) Effect {
	m := op.Model
	if m.Phase == Open {
		switch {
		case me.Answer == nil && m.Purpose == event.PurposeCompact:
			return Compact{Round: op.Round, Attempt: m.Attempt, Model: m.Name, Overflowed: m.Overflowed, Failures: m.CompactFailures}
		case me.Answer == nil:
			return Think{Round: op.Round, Attempt: m.Attempt, Model: m.Name}
		case me.Answer.Fault != nil:
			return Append{Events: op.shown(me).add(op.Round, failedAttempt(op, me)).events}
		case me.Answer.Compacted != nil:
			return Append{Events: op.commit(me).add(op.Round, *me.Answer.Compacted).events}
		}
		return answered(s, op, me)
	}
	switch {
	case m.Fault != nil && m.RetryAt == nil:
		return failed(op, me, *m.Fault)
	case m.RetryAt != nil && m.RetryAt.After(me.Now.Time):
		return pass(*m.RetryAt, me)
	case me.HistoryFull:
		return nextGeneration(op, me)
	case me.TimeLeft < me.ModelTimeout:
		return Yield{}
	}
	if over := overBudget(op, me.Budget); over != nil {
		return failed(op, me, *over)
	}
	return Append{Events: op.commit(me).add(op.Round, op.ask(op.Round, m.Attempt+1, me)).events}
}

// pass lets time pass: here if it is little, else where it costs nothing.
func pass(until event.Time, me Situation) Effect {
	if left := until.Sub(me.Now.Time); left <= me.WaitHere && me.TimeLeft >= left+me.ModelTimeout {
		return Wait{Until: until}
	}
	return Backoff{Until: until}
}

// shown is a commit that begins with what the model was shown otherwise than it
// stands in the log.
func (op *Operation) shown(me Situation) *commit {
	c := op.commit(me)
	if me.Answer.Repaired != nil {
		c.add(op.Round, *me.Answer.Repaired)
	}
	return c
}

// overflow is the code of a transcript that is too long for the model.
const overflow = "context_overflow"

// failedAttempt says why there is no answer, and whether, and whom, and when the
// round asks again.
func failedAttempt(op *Operation, me Situation) event.ModelFailed {
	if op.Model.Purpose == event.PurposeCompact {
		return failedCompaction(op, me)
	}
	f := me.Answer.Fault
	e := event.ModelFailed{Attempt: op.Model.Attempt, Error: f.Error, Partial: me.Answer.Partial, Usage: used(me.Answer), CostUSD: me.Answer.CostUSD}
	at := me.Now
	switch {
	case op.Model.Failures+1 >= MaxAttempts:
		return e
	case f.Again || f.Error.Code == overflow && op.mayCompact():
	case op.fallsBack(f, me):
		e.Fallback = true
	case f.Permanent:
		return e
	default:
		at = event.At(me.Now.Add(f.After))
	}
	e.RetryAt = &at
	return e
}

// used is what a failed attempt used, where anything is known.
func used(a *Answer) *event.Tokens {
	if a.Usage == (event.Tokens{}) {
		return nil
	}
	return &a.Usage
}

// answered keeps the whole answer. The calls that may be repeated begin in the
// same commit; an answer without calls ends the turn in it, unless somebody has
// said more meanwhile.
func answered(s *State, op *Operation, me Situation) Effect {
	a := me.Answer
	if a.empty() {
		return nothing(op, me)
	}
	c := op.shown(me)
	for _, w := range a.Wrote {
		c.add(op.Round, w)
	}
	said := event.ModelCompleted{
		Attempt: op.Model.Attempt, Items: a.Items, Usage: a.Usage, Stop: a.Stop, Output: a.Output,
		Model: op.Model.Name, CostUSD: a.CostUSD, CacheMiss: s.cacheMiss(op, a.Usage, me.Now),
	}
	c.add(op.Round, said)
	next := *op
	next.modelCompleted(said)
	switch {
	case len(next.Calls) == 0 && next.Stop == pause:
		return Append{Events: c.events}
	case len(next.Calls) == 0 && next.Steered == 0:
		return Append{Events: append(c.events, settle(&next, me).Events...)}
	case repeated(&next, me, c):
		return Append{Events: c.events}
	}
	plans, waits := next.inLine(me)
	for i, call := range next.Calls {
		switch p := plans[i]; {
		case p.Refusal != nil:
		case call.mustAsk(p):
			c.add(op.Round, question(call, p, me))
		case p.Delegate != nil:
			c.add(op.Round, submitted(call, *p.Delegate))
		case p.Effect != Once && p.Timeout <= me.TimeLeft && !waits[i]:
			c.add(op.Round, startOf(call, p, me))
		}
	}
	return Append{Events: c.events}
}

// emptyResponse is the code of an answer with nothing in it. It is asked for once
// more; a second one is a failure, not a success.
const emptyResponse = "empty_response"

// pause is the stop of an answer that its provider wants to go on with.
const pause = "pause"

func (a *Answer) empty() bool {
	if a.Stop == pause {
		return false
	}
	for _, it := range a.Items {
		if it.Kind == event.ItemToolCall || it.Kind == event.ItemFile || it.Kind == event.ItemText && it.Text != nil && it.Text.Len() > 0 {
			return false
		}
	}
	return true
}

func nothing(op *Operation, me Situation) Effect {
	e := event.ModelFailed{Attempt: op.Model.Attempt, Usage: &me.Answer.Usage, CostUSD: me.Answer.CostUSD,
		Error: event.Error{Code: emptyResponse, Message: "the model answered with neither text nor calls; it stopped with " + me.Answer.Stop}}
	if !op.Model.Empty && op.Model.Failures+1 < MaxAttempts {
		at := me.Now
		e.RetryAt = &at
	}
	return Append{Events: op.shown(me).add(op.Round, e).events}
}

// nextRound asks the model again, or fails the turn that has had its rounds.
// held are the results that complete this round and are not in the log yet.
func nextRound(op *Operation, me Situation, held []event.Event) Effect {
	c := op.commit(me)
	c.events = held
	switch {
	case op.Round >= me.MaxRounds:
		return Append{Events: c.add(0, event.OperationFailed{
			Error: event.Error{Code: "max_rounds", Message: fmt.Sprintf("the turn has used its %d model rounds and still asks for tools; submit another prompt to go on from here", me.MaxRounds)},
			Usage: op.Usage,
		}).events}
	case len(held) > 0 && (!mayBeginRound(me) || mayOverfill(held, me)):
		return Append{Events: held} // a commit of their own; then, with nothing held, one of those below
	case mayBeginRound(me):
		if over := overBudget(op, me.Budget); over != nil {
			return Append{Events: c.add(0, event.OperationFailed{Error: *over, Usage: op.Usage}).events}
		}
		return Append{Events: c.add(op.Round+1, op.ask(op.Round+1, 1, me)).events}
	case me.HistoryFull:
		return nextGeneration(op, me)
	}
	return Yield{}
}

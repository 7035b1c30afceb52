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
	c := op.commit(me).add(0, event.OperationStarted{})
	return Append{Events: c.add(1, event.ModelStarted{Attempt: 1, Model: me.Model}).events}
}

// mayBeginRound: no effect begins whose own timeout exceeds the time left.
func mayBeginRound(me Situation) bool {
	return me.RoundsLeft > 0 && me.TimeLeft >= me.ModelTimeout && !me.HistoryFull
}

// think moves a round's model step.
func think(op *Operation, me Situation) Effect {
	m := op.Model
	if m.Phase == Open {
		switch {
		case me.Answer == nil:
			return Think{Round: op.Round, Attempt: m.Attempt}
		case me.Answer.Fault != nil:
			return Append{Events: op.commit(me).add(op.Round, failedAttempt(m.Attempt, me)).events}
		}
		return answered(op, me)
	}
	switch {
	case m.Fault != nil && m.RetryAt == nil:
		return failed(op, me, *m.Fault)
	case m.RetryAt != nil && m.RetryAt.After(me.Now.Time):
		return Backoff{Until: *m.RetryAt}
	case me.HistoryFull:
		return nextGeneration(op, me)
	case me.TimeLeft < me.ModelTimeout:
		return Yield{}
	}
	return Append{Events: op.commit(me).add(op.Round, event.ModelStarted{Attempt: m.Attempt + 1, Model: me.Model}).events}
}

func failedAttempt(attempt int, me Situation) event.ModelFailed {
	f := me.Answer.Fault
	e := event.ModelFailed{Attempt: attempt, Error: f.Error}
	if !f.Permanent && attempt < MaxAttempts {
		at := event.At(me.Now.Add(f.After))
		e.RetryAt = &at
	}
	return e
}

// answered keeps the whole answer. The calls that may be repeated begin in the
// same commit; an answer without calls ends the turn in it, unless somebody has
// said more meanwhile.
func answered(op *Operation, me Situation) Effect {
	if me.Answer.empty() {
		return nothing(op, me)
	}
	c := op.commit(me).add(op.Round, event.ModelCompleted{Attempt: op.Model.Attempt, Items: me.Answer.Items, Usage: me.Answer.Usage, Stop: me.Answer.Stop, Output: me.Answer.Output})
	next := *op
	next.modelCompleted(c.events[0].Data.(event.ModelCompleted))
	switch {
	case len(next.Calls) == 0 && next.Steered == 0:
		return Append{Events: append(c.events, settle(&next, me).Events...)}
	case repeated(&next, me, c):
		return Append{Events: c.events}
	}
	plans, waits := next.inLine(me)
	for i, call := range next.Calls {
		if p := plans[i]; p.Refusal == nil && p.Effect != Once && p.Timeout <= me.TimeLeft && !waits[i] {
			c.add(op.Round, startOf(call, p, me))
		}
	}
	return Append{Events: c.events}
}

// emptyResponse is the code of an answer with nothing in it. It is asked for once
// more; a second one is a failure, not a success.
const emptyResponse = "empty_response"

func (a *Answer) empty() bool {
	for _, it := range a.Items {
		if it.Kind == event.ItemToolCall || it.Kind == event.ItemText && it.Text != nil && it.Text.Len() > 0 {
			return false
		}
	}
	return true
}

func nothing(op *Operation, me Situation) Effect {
	e := event.ModelFailed{Attempt: op.Model.Attempt, Usage: &me.Answer.Usage,
		Error: event.Error{Code: emptyResponse, Message: "the model answered with neither text nor calls; it stopped with " + me.Answer.Stop}}
	if !op.Model.Empty && op.Model.Attempt < MaxAttempts {
		at := me.Now
		e.RetryAt = &at
	}
	return Append{Events: op.commit(me).add(op.Round, e).events}
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
	case mayBeginRound(me):
		return Append{Events: c.add(op.Round+1, event.ModelStarted{Attempt: 1, Model: me.Model}).events}
	case len(held) > 0:
		return Append{Events: held} // a commit of their own; then, with nothing held, one of the two below
	case me.HistoryFull:
		return nextGeneration(op, me)
	}
	return Yield{}
}

package turn

import "windlass/eventstore/event"

// maxCompactTries bounds how often one round asks for a summary that does not come.
const maxCompactTries = 3

// ask begins an attempt of a round: for its answer, or first for a summary.
func (op *Operation) ask(round, attempt int, me Situation) event.ModelStarted {
	e := event.ModelStarted{Attempt: attempt, Model: op.next(me)}
	m := op.Model
	if round != op.Round {
		m = ModelStep{} // what the round before went through does not count
	}
	tokens := me.Tokens
	if !op.Started { // its prompt joins with this very commit
		tokens += op.Prompt.Len() / 3
	}
	full := me.CompactAt > 0 && tokens >= me.CompactAt && m.Failures == 0 && m.Compactions == 0 && !op.NoCompaction
	if (full || m.Overflowed && m.Compactions == 0) && m.CompactFailures < maxCompactTries {
		e.Purpose = event.PurposeCompact
	}
	return e
}

// mayCompact: a transcript that is too long for the model is compacted once in a
// round, and then the same is asked once more.
func (op *Operation) mayCompact() bool { return op.Model.Compactions == 0 }

// summaryMayCome: asking for a summary again may help; of one that was too long for the
// model less is asked for.
func summaryMayCome(code string) bool {
	switch code {
	case "rate_limited", "overloaded", "unavailable", "timeout", emptyResponse, overflow:
		return true
	}
	return false
}

// failedCompaction: a turn whose transcript still fits goes on without.
func failedCompaction(op *Operation, me Situation) event.ModelFailed {
	f := me.Answer.Fault
	e := event.ModelFailed{Attempt: op.Model.Attempt, Error: f.Error, Usage: used(me.Answer), CostUSD: me.Answer.CostUSD}
	at := me.Now
	switch last := op.Model.CompactFailures+1 >= maxCompactTries || !summaryMayCome(f.Error.Code); {
	case last && op.Model.Overflowed && op.fallsBack(&Fault{Error: event.Error{Code: overflow}, Permanent: true}, me):
		e.Fallback = true
	case last && op.Model.Overflowed:
		e.Error = event.Error{Code: overflow, Message: "the transcript is too long for the model, and could not be compacted: " + f.Error.Message}
		return e
	case !last && !f.Permanent:
		at = event.At(me.Now.Add(f.After))
	}
	e.RetryAt = &at
	return e
}

// mayOverfill: with the results that are held the transcript may be too long to be
// shown as it is. They are appended first, and then it is known.
func mayOverfill(held []event.Event, me Situation) bool {
	if me.CompactAt == 0 {
		return false
	}
	bytes := int64(0)
	for _, e := range held {
		if r, ok := e.Data.(event.ToolCompleted); ok {
			bytes += r.Output.Len()
		}
	}
	return me.Tokens+bytes/2 >= me.CompactAt // a token is hardly less than two bytes
}

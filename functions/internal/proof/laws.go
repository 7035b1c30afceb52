package proof

import (
	"fmt"

	"windlass/eventstore/event"
)

func (op *account) start(l *ledger, n int) string {
	switch {
	case op.started:
		return "it started twice"
	case n > 0 && !l.op[n-1].ended:
		return "its prompt joins before the one before it has ended"
	}
	op.started = true
	return ""
}

// ask: every call of the round before has its one result by now.
func (op *account) ask(round int, d event.ModelStarted) string {
	switch {
	case !op.started || op.model == open:
		return "the model is asked while it is being asked, or before the start"
	case round > maxRounds:
		return "the model is asked beyond the cap"
	case round == op.round && d.Attempt == op.attempt+1 && op.model == pending:
	case round == op.round+1 && d.Attempt == 1 && (round == 1 || op.model == done):
		if why := op.whole(); why != "" {
			return why
		}
		op.unread = 0
	default:
		return fmt.Sprintf("round %d, attempt %d follows round %d, attempt %d", round, d.Attempt, op.round, op.attempt)
	}
	op.round, op.attempt, op.model, op.asked = round, d.Attempt, open, 0
	op.call = [calls]callAccount{}
	return ""
}

func (op *account) answered(d event.ModelCompleted) string {
	if op.model != open {
		return "an answer to nothing"
	}
	op.model = done
	for _, it := range d.Items {
		if it.Kind == event.ItemToolCall {
			op.asked++
		}
	}
	return ""
}

// compacted: the question that the summary was for is still to come.
func (op *account) compacted() string {
	if op.model != open {
		return "a summary that nobody asked for"
	}
	op.model = pending
	return ""
}

func (op *account) modelFailed(d event.ModelFailed) string {
	if op.model != open || d.Attempt != op.attempt {
		return "an attempt failed that was not made"
	}
	op.model = pending
	return ""
}

func (op *account) whole() string {
	for i := range op.asked {
		if op.call[i].step != done {
			return fmt.Sprintf("call %d has no result", i)
		}
	}
	return ""
}

// end is the one terminal event. A cancelled operation ends as cancelled, and no
// other does.
func (op *account) end(fits bool) string {
	switch {
	case !fits:
		return "it ends otherwise than it was asked to"
	case op.model == open:
		return "the model's open step has no outcome"
	}
	for i, c := range op.call {
		if c.away && !c.told && !c.left {
			return fmt.Sprintf("it ends, and call %d's child is left to itself", i)
		}
	}
	op.ended = true
	return op.whole()
}

// reason: a turn fails for what happened to it, and for nothing else.
func (op *account) reason(x *explorer, w *world, code string) string {
	switch code {
	case "max_rounds":
		if op.round < maxRounds {
			return "it says that its rounds are used up"
		}
	case "step_poisoned":
		if used := x.left.faults() - w.left.faults(); used < len(x.delays) {
			return fmt.Sprintf("a step is called poison after %d faults", used)
		}
	case "model_error":
	default:
		return "it fails for no reason: " + code
	}
	return ""
}

package turn

import (
	"time"
	"unicode/utf8"

	"windlass/eventstore/event"
)

// Situation is what a decision depends on besides the log: who asks, when, and
// what it holds in memory.
type Situation struct {
	// Me names the driver; Operation and Generation are what it was started for.
	Me         string
	Operation  string
	Generation int
	Now        event.Time
	// First: this driver has read, and appended nothing yet. Only then may it take
	// over.
	First bool
	// Lost: another driver appended since this one's last read or append.
	Lost bool

	// Answer is what the model gave for the open model step; nil if none is held.
	Answer *Answer
	// Outcomes are held results of the round's calls, by index.
	Outcomes map[int]Outcome
	// Handed are the calls that were handed to other agents in this invocation, by index.
	Handed map[int]bool
	// Running are the calls under way, by index.
	Running map[int]bool
	// Found is what was found out about calls whose outcome was unknown, by index.
	Found map[int]Finding
	// Flush: held outcomes have waited long enough for their siblings.
	Flush bool

	// TimeLeft is how long effects may still run in this invocation.
	TimeLeft time.Duration
	// RoundsLeft is how many rounds this invocation may still begin.
	RoundsLeft int
	// HistoryFull: the execution's history should end here.
	HistoryFull bool

	// What the operation's agent says. Models are in the order in which they are asked.
	MaxRounds    int
	LoopsAllowed bool
	Models       []string
	ModelTimeout time.Duration
	Budget       Budget
	// Tokens is about how many the model would read now; from CompactAt on the transcript
	// is compacted first, if that is not 0.
	Tokens, CompactAt int64
	// WaitHere is how long a wait may be that is spent in this invocation.
	WaitHere time.Duration
	// Plan says how a call would be carried out. Pure.
	Plan func(event.ToolCall) Plan
	// StartDelays space repeated starts of one step; one start more is poison.
	StartDelays []time.Duration
}

// Plan is how a call would be carried out: refused, or with what repeating it
// would do and how long it may take.
type Plan struct {
	Refusal *event.Error
	Effect  string
	Timeout time.Duration
	// Target names what the call works on: calls of one target keep their order.
	// Empty for nothing in particular.
	Target string
	// Reconciles: it can find out what became of a call.
	Reconciles bool
	// Ask: a person has to allow it first. AskFor is how long the question counts; 0 for
	// ever.
	Ask    bool
	AskFor time.Duration
	// Delegate: another agent carries it out.
	Delegate *Delegation
}

// Finding is what came of finding out about a call: its outcome if it happened,
// that it may be run if it did not, or that nobody knows. It counts for the very
// tool.unknown that was asked about.
type Finding struct {
	UnknownSeq uint64
	Outcome    Outcome
	DidNot     bool
}

// Answer is the outcome of one model attempt: what it said, or why not.
type Answer struct {
	Items []event.ModelItem
	Usage event.Tokens
	// CostUSD is what the attempt cost, answered or not.
	CostUSD event.USD
	Stop    string
	// Output is the texts as one, where they are several.
	Output *event.Value
	// Wrote are the files that the model made.
	Wrote []event.WorkspaceWritten
	// Compacted is the outcome of an attempt to compact.
	Compacted *event.TranscriptCompacted
	// Repaired is what the model was shown otherwise than it stands in the log.
	Repaired *event.TranscriptRepaired
	// Fault is why there is no answer; Partial is the text that had come.
	Fault   *Fault
	Partial *event.Value
}

// Fault is why a model attempt gave no answer. A Permanent one is not retried.
type Fault struct {
	Error     event.Error
	Permanent bool
	// Again: Answer.Repaired took away what stood in the way. The same is asked at once.
	Again bool
	// After is how long to wait before the next attempt.
	After time.Duration
}

// Outcome is what a call did: files written, then its one result; or, alone, that there is
// none yet: [event.ToolUnknown], [event.ToolDeferred].
type Outcome []event.Payload

// unknown: whether the call took effect is not known.
func (o Outcome) unknown() bool {
	if len(o) == 0 {
		return false
	}
	_, ok := o[0].(event.ToolUnknown)
	return ok
}

// deferred: the result comes later, and from elsewhere.
func (o Outcome) deferred() bool {
	if len(o) == 0 {
		return false
	}
	_, ok := o[0].(event.ToolDeferred)
	return ok
}

// Effect is what a driver does next. Exactly one of the types below.
type Effect interface{ effect() }

type (
	// Append writes the events as one commit, then asks again.
	Append struct{ Events []event.Event }
	// Think asks the model, and holds its answer.
	Think struct {
		Round, Attempt int
		Model          string
	}
	// Compact asks the model for a summary, and holds it.
	Compact struct {
		Round, Attempt int
		Model          string
		// Overflowed: the transcript was too long for the model, whatever it is estimated at.
		// Failures counts the summaries that did not come.
		Overflowed bool
		Failures   int
	}
	// Act carries out calls, and holds their outcomes.
	Act struct{ Calls []Call }
	// Await waits for calls that are running.
	Await struct{}
	// Reconcile finds out whether a call took effect, and holds what it found.
	Reconcile struct{ Call Call }
	// Park ends the invocation; the next one comes when what it waits for is there, or at
	// Until, if that is not zero.
	Park struct{ Until event.Time }
	// Wait lets a short time pass.
	Wait struct{ Until event.Time }
	// Backoff ends the invocation; the next one comes at Until.
	Backoff struct{ Until event.Time }
	// Yield ends the invocation; the next one comes at once.
	Yield struct{}
	// Fenced ends the invocation: another driver is at work. Drop what is held.
	Fenced struct{}
	// Finish ends the execution: this operation is no longer its to drive.
	Finish struct{}
)

func (Append) effect()    {}
func (Think) effect()     {}
func (Compact) effect()   {}
func (Wait) effect()      {}
func (Act) effect()       {}
func (Await) effect()     {}
func (Reconcile) effect() {}
func (Park) effect()      {}
func (Backoff) effect()   {}
func (Yield) effect()     {}
func (Fenced) effect()    {}
func (Finish) effect()    {}

// Next says what the driver in this situation does, given the log.
func Next(s *State, me Situation) Effect {
	op := s.Head()
	switch {
	case op == nil || op.ID != me.Operation:
		return Finish{} // settled, or not at the head of its session
	case op.Generation != me.Generation:
		return Finish{} // another execution's by now
	case me.Lost:
		return Fenced{}
	}
	if me.First {
		if e := enter(op, me); e != nil {
			return e
		}
	}
	if op.ownedByAnother(me.Me) {
		return Fenced{}
	}
	switch {
	case op.CancelRequested:
		return cancelled(op, me)
	case !op.Started:
		return begin(op, me)
	case op.Model.Phase != Done:
		return think(s, op, me)
	case len(op.Calls) == 0 && (op.Steered > 0 || op.Stop == pause):
		return nextRound(op, me, nil)
	case len(op.Calls) == 0:
		return settle(op, me)
	case op.Asking.Times >= maxRepeats && !me.LoopsAllowed: // its end did not fit into its answer's commit
		return failed(op, me, looped(op.Asking.Times))
	}
	return act(op, me)
}

// ownedByAnother: a step is open that another driver began.
func (op *Operation) ownedByAnother(me string) bool {
	if op.Model.Phase == Open && op.Model.Start.By != me {
		return true
	}
	for _, c := range op.Calls {
		if c.Phase == Open && c.Start.By != me {
			return true
		}
	}
	return false
}

// commit collects the events of one append.
type commit struct {
	op     *Operation
	now    event.Time
	events []event.Event
}

func (op *Operation) commit(me Situation) *commit { return &commit{op: op, now: me.Now} }

// add puts events into the commit. Here alone errors are bounded: their messages
// come from models, tools and whatever those talk to, and a turn must always be
// able to say how it ended.
func (c *commit) add(round int, payloads ...event.Payload) *commit {
	for _, p := range payloads {
		switch e := p.(type) {
		case event.ModelFailed:
			e.Error = bounded(e.Error)
			p = e
		case event.ToolFailed:
			e.Error = bounded(e.Error)
			p = e
		case event.ToolAnswered:
			if e.Error != nil {
				told := bounded(*e.Error)
				e.Error = &told
			}
			p = e
		case event.OperationFailed:
			e.Error = bounded(e.Error)
			p = e
		}
		c.events = append(c.events, event.Event{At: c.now, Operation: c.op.ID, Round: round, Data: p})
	}
	return c
}

// Bounds of an error's parts, in bytes.
const (
	maxErrorCode    = 64
	maxErrorMessage = 2048
)

func bounded(e event.Error) event.Error {
	return event.Error{Code: cut(e.Code, maxErrorCode), Message: cut(e.Message, maxErrorMessage)}
}

// cut shortens s to at most n bytes, never in the middle of a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	n -= len(mark)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + mark
}

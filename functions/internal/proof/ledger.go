package proof

import (
	"fmt"

	"windlass/eventstore/event"
)

// ledger is what the events say, kept apart from package turn, and what really
// happened outside. It knows the laws.
type ledger struct {
	seq uint64
	op  [operations]account
}

// account is one operation's.
type account struct {
	accepted, started, cancelled, ended bool
	round, attempt                      int
	model                               step
	asked                               int // calls of the round
	call                                [calls]callAccount
	unread                              int // messages that no round has read
	// did is what really happened, by round and call.
	did [maxRounds + 1][calls]deed
}

type step uint8

const (
	pending step = iota
	open
	done
)

type callAccount struct {
	step             step
	unknown, inquiry bool
	allowed, refused bool // by a person, before it was begun
	// away: another agent has it. told: that one's end. left: it was let go.
	away, told, left bool
}

// deed counts an effect that happened, and keeps what the log says about it.
type deed struct {
	times uint8
	said  verdict
}

type verdict uint8

const (
	silent verdict = iota
	ran
	didNotRun
	mayHaveRun
)

// maxRounds is the cap of the rounds that the model may be asked for.
const maxRounds = 3

// commit checks one commit as a whole, then each of its events.
func (l *ledger) commit(x *explorer, w *world, c *commit) string {
	if c.followed() {
		return fmt.Sprintf("seq %d: %s writes, and another driver had followed it", c.first, c.by)
	}
	for i, e := range c.events {
		if why := l.event(x, w, c, i, e); why != "" {
			return fmt.Sprintf("seq %d, %s of %q: %s", e.Seq, e.Data.EventType(), e.Operation, why)
		}
	}
	return ""
}

func (l *ledger) event(x *explorer, w *world, c *commit, i int, e event.Event) string {
	l.seq++
	if e.Seq != l.seq {
		return fmt.Sprintf("seqs are not dense: want %d", l.seq)
	}
	if e.Operation == "" {
		return ""
	}
	n := indexOf(e.Operation)
	op := &l.op[n]
	switch {
	case op.ended:
		return "something follows the operation's end"
	case op.cancelled && !settles(c, i):
		return "after a cancel was requested something else than a takeover or the settlement follows"
	}
	switch d := e.Data.(type) {
	case event.OperationAccepted:
		op.accepted = true
	case event.OperationStarted:
		return op.start(l, n)
	case event.OperationResumed:
		return op.resumed(x, c, d)
	case event.OperationCancelRequested:
		op.cancelled = true
	case event.MessageSteered:
		op.unread++
	case event.ModelStarted:
		return op.ask(e.Round, d)
	case event.ModelCompleted:
		return op.answered(d)
	case event.ModelFailed:
		return op.modelFailed(d)
	case event.TranscriptCompacted:
		return op.compacted()
	case event.OperationCompleted:
		if op.unread > 0 {
			return "an accepted message was never shown to the model"
		}
		return op.end(!op.cancelled)
	case event.OperationFailed:
		if why := op.reason(x, w, d.Error.Code); why != "" {
			return why
		}
		return op.end(!op.cancelled)
	case event.OperationCancelled:
		return op.end(op.cancelled)
	default:
		return op.tool(w, x.class(n, op.round), op.round, e.Data)
	}
	return ""
}

// settles: after a cancel was requested a commit resumes, or ends the operation and
// says nothing but what came of its open steps.
func settles(c *commit, i int) bool {
	if r, ok := c.events[i].Data.(event.OperationResumed); ok {
		return r.Reason == event.ReasonTakeover || r.Reason == event.ReasonGeneration
	}
	switch c.events[i].Data.(type) {
	case event.ModelFailed, event.ToolCompleted, event.ToolFailed, event.ToolUnknown, event.ChildAbandoned, event.OperationCancelled:
		_, ends := c.events[len(c.events)-1].Data.(event.OperationCancelled)
		return ends
	}
	return false
}

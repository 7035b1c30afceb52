package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"windlass/eventstore/event"
)

// question asks a person to allow a call, by the very bytes of its arguments.
func question(c Call, p Plan, me Situation) event.ApprovalRequested {
	e := event.ApprovalRequested{Index: c.Index, Name: c.Name, Reason: event.ReasonPolicy, ArgumentsSHA256: hashOf(c.Arguments)}
	if p.AskFor > 0 {
		at := event.At(me.Now.Add(p.AskFor))
		e.ExpiresAt = &at
	}
	return e
}

func hashOf(v event.Value) string {
	if ref, apart := v.Ref(); apart {
		return ref.SHA256
	}
	sum := sha256.Sum256([]byte(v.Inline()))
	return hex.EncodeToString(sum[:])
}

// mustAsk: the agent's policy wants a person to allow the call, and none has.
func (c *Call) mustAsk(p Plan) bool { return p.Ask && !c.Approved }

// lapsed: nobody answered in time.
func (c *Call) lapsed(now event.Time) bool {
	at := c.Question.ExpiresAt
	return c.Phase == Asked && !at.IsZero() && !at.After(now.Time)
}

// denial is what the model reads of a call that was not allowed.
func denial(d event.ApprovalResolved) *event.Error {
	e := &event.Error{Code: "denied", Message: "a person did not allow this call"}
	if d.Decision == event.Expired {
		e = &event.Error{Code: "approval_expired", Message: "nobody allowed this call in time"}
	}
	if d.Note != "" {
		e.Message += ": " + d.Note
	}
	return e
}

// Verdict is what became of an answer.
type Verdict string

const (
	// Taken: the events are to be appended.
	Taken Verdict = "taken"
	// Lapsed: it came too late; the events say so, and are to be appended.
	Lapsed Verdict = "lapsed"
	// Answered before, as Call.Answer says, and nothing is to be appended.
	AnsweredBefore Verdict = "answered"
	// Unnamed: the call was begun more than once, and the answer does not say which time it
	// is about.
	Unnamed Verdict = "unnamed"
	// NotAsked: nobody waits for it. (It may have been answered in a round before.)
	NotAsked Verdict = "not_asked"
	// Ending: the operation is being cancelled.
	Ending Verdict = "ending"
)

// Resolve is what whoever answers about a call appends. An answer fits its question:
// another kind is one that nobody waits for. A call whose outcome was lost may be begun
// again, lost again, and asked about again; an answer then counts for the tool.unknown that
// it names and for no other, or one that was sent a second time would have the call made
// once more, and nobody would have looked.
func Resolve(s *State, operation string, round int, answer event.ApprovalResolved, now time.Time) ([]event.Event, Verdict) {
	op := s.Find(operation)
	if op == nil || op.Round != round {
		return nil, NotAsked
	}
	c := op.call(answer.Index)
	policy := answer.Decision == event.Approve || answer.Decision == event.Deny
	switch {
	case c == nil, c.Question.Reason == "", policy != (c.Question.Reason == event.ReasonPolicy):
		return nil, NotAsked
	case op.CancelRequested:
		return nil, Ending
	case c.Phase != Asked:
		return nil, AnsweredBefore
	case !policy && answer.UnknownSeq == 0 && c.Start.Count > 1:
		return nil, Unnamed
	case !policy && answer.UnknownSeq != 0 && answer.UnknownSeq != c.UnknownSeq:
		return nil, AnsweredBefore
	}
	if !policy {
		answer.UnknownSeq = c.UnknownSeq
	}
	at := event.At(now)
	if c.lapsed(at) {
		answer, policy = event.ApprovalResolved{Index: answer.Index, Decision: event.Expired}, false
		return op.commit(Situation{Now: at}).add(round, answer).events, Lapsed
	}
	return op.commit(Situation{Now: at}).add(round, answer).events, Taken
}

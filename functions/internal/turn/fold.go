package turn

import "windlass/eventstore/event"

// Fold applies events to an empty state.
func Fold(events []event.Event) *State {
	s := &State{}
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

// Apply adds one event. It is total: an event that is unknown, or that does not
// fit, changes nothing but Seq and Active.
func (s *State) Apply(e event.Event) {
	if s.Seq = e.Seq; s.Deleted {
		return
	}
	if _, ok := e.Data.(event.SessionRetained); !ok {
		s.Active = e.At
	}
	switch d := e.Data.(type) {
	case event.SessionRetained:
		s.Retention = Retention{d.Seconds, d.Own}
		return
	case event.SessionDeleted:
		s.Deleted, s.Queue, s.Checkpoint = true, nil, nil
		return
	case event.SessionOpened:
		s.StreamID, s.Agent, s.Parent = d.StreamID, d.Agent, d.Parent
		return
	case event.OperationAccepted:
		if s.Agent == "" {
			s.Agent = d.Agent.Name // files opened the session
		}
		s.Queue = append(s.Queue, &Operation{
			ID: e.Operation, Usage: event.Usage{CostUSD: event.NoUSD}, FirstSeq: e.Seq, LastSeq: e.Seq, Prompt: d.Prompt, Preview: d.Preview, Agent: d.Agent, AcceptedAt: e.At, TraceID: d.TraceID(),
			Generation: 1, Model: ModelStep{Phase: Pending},
		})
		return
	}
	op := s.Find(e.Operation)
	if op == nil {
		return
	}
	op.LastSeq = e.Seq
	s.Waited = s.Waited || waits(e.Data)
	if e.By != "" {
		op.NotBefore = event.Time{} // its generation has begun
	}
	s.spend(e.Data)
	switch d := e.Data.(type) {
	case event.OperationStarted:
		op.Started, op.StartedAt = true, e.At
	case event.OperationResumed:
		calls := op.Usage.ModelCalls
		op.resumed(e, d)
		s.Spent.ModelCalls += op.Usage.ModelCalls - calls
	case event.ModelStarted:
		op.modelStarted(e, d)
	case event.ModelCompleted:
		op.modelCompleted(d)
		s.noteAnswer(op, e.At, d)
	case event.ModelFailed:
		op.modelFailed(d)
	case event.TranscriptCompacted:
		op.compacted(d)
		s.Answered.Compacted = true
	case event.ToolStarted:
		if c := op.call(d.Index); c != nil && c.Phase != Done {
			c.Phase, c.Start = Open, Start{e.By, e.At, c.Start.Count + 1}
			c.Effect, c.Until, c.Inherited = d.Effect, d.Until, false
		}
	case event.ToolUnknown:
		if c := op.call(d.Index); c != nil && (c.Phase == Open || c.Phase == Deferred) {
			c.Phase, c.UnknownSeq = Unknown, e.Seq
		}
	case event.ToolDeferred:
		op.deferred(d)
	case event.ToolAnswered:
		op.answered(d)
	case event.ToolCompleted:
		op.result(d.Index)
	case event.ToolFailed:
		op.result(d.Index)
	case event.ChildSubmitted:
		if c := op.call(d.Index); c != nil && c.Phase == Pending {
			c.Phase, c.Child = Elsewhere, &d
		}
	case event.ChildSettled:
		op.reported(s, d)
	case event.ApprovalRequested:
		op.asked(e, d)
	case event.ApprovalResolved:
		op.decided(d)
	case event.MessageSteered:
		op.Steered++
	case event.OperationCancelRequested:
		op.CancelRequested = true
	case event.OperationCompleted, event.OperationFailed, event.OperationCancelled:
		s.settled(op)
	}
}

// waits reports whether a call waits from this event on, so that its turn may park.
func waits(p event.Payload) bool {
	switch p.(type) {
	case event.ApprovalRequested, event.ToolDeferred, event.ChildSubmitted:
		return true
	}
	return false
}

// Find is an unsettled operation; nil if it is not one.
func (s *State) Find(id string) *Operation {
	for _, op := range s.Queue {
		if op.ID == id {
			return op
		}
	}
	return nil
}

func (s *State) settled(op *Operation) {
	for i, o := range s.Queue {
		if o == op {
			s.Queue = append(s.Queue[:i:i], s.Queue[i+1:]...)
			return
		}
	}
}

func (op *Operation) resumed(e event.Event, d event.OperationResumed) {
	if d.Reason == event.ReasonGeneration {
		op.Generation = d.Generation
		op.Stalls++
		op.NotBefore = event.Time{}
		if d.NotBefore != nil {
			op.NotBefore = *d.NotBefore
		}
		return
	}
	// A takeover's writer owns every step that is open, and begins it again.
	if op.Model.Phase == Open {
		op.Model.Start = Start{d.By, e.At, op.Model.Start.Count + 1}
		op.Usage.ModelCalls++
	}
	for i := range op.Calls {
		switch c := &op.Calls[i]; {
		case c.Phase != Open:
		case c.Effect == Once: // owned, so that no other driver decides about it; not begun again
			c.Start.By, c.Inherited = d.By, true
		default:
			c.Start = Start{d.By, e.At, c.Start.Count + 1}
		}
	}
}

// asked: a call waits for a person, once it is pending, or its outcome unknown.
func (op *Operation) asked(e event.Event, d event.ApprovalRequested) {
	c := op.call(d.Index)
	wanted := Unknown
	if d.Reason == event.ReasonPolicy {
		wanted = Pending
	}
	if c == nil || c.Phase != wanted {
		return
	}
	c.Phase, c.Question, c.Answer = Asked, Question{Reason: d.Reason, At: e.At}, ""
	if d.ExpiresAt != nil {
		c.Question.ExpiresAt = *d.ExpiresAt
	}
}

// decided takes a person's answer.
func (op *Operation) decided(d event.ApprovalResolved) {
	c := op.call(d.Index)
	if c == nil || c.Phase != Asked {
		return
	}
	c.Answer = d.Decision
	switch d.Decision {
	case event.Happened:
		c.Phase, c.Output = Happened, d.Output
	case event.DidNotHappen:
		c.Phase = Pending
	case event.Approve:
		c.Phase, c.Approved = Pending, true
		if d.Arguments != nil {
			c.Arguments = *d.Arguments
		}
	case event.Deny, event.Expired:
		c.Phase, c.Denial = Denied, denial(d)
	}
}

func (op *Operation) modelStarted(e event.Event, d event.ModelStarted) {
	before := op.Model
	m := ModelStep{Phase: Open, Attempt: d.Attempt, Start: Start{e.By, e.At, 1}, Name: d.Model, Purpose: d.Purpose}
	if op.Round == e.Round {
		m.Empty, m.Failures, m.Overflowed = before.Empty, before.Failures, before.Overflowed
		m.Compactions, m.CompactFailures = before.Compactions, before.CompactFailures
		if before.Name == m.Name {
			m.Tries = before.Tries
		} else { // another model may read more
			m.Overflowed, m.CompactFailures = false, 0
		}
	} else {
		op.Steered = 0 // the model sees them now
	}
	op.Round, op.Calls, op.Output, op.Stop = e.Round, nil, event.Value{}, ""
	op.Model = m
	op.Usage.ModelCalls++
}

func (op *Operation) modelFailed(d event.ModelFailed) {
	m := &op.Model
	m.Phase, m.Fault, m.RetryAt, m.Fallback = Pending, &d.Error, d.RetryAt, d.Fallback
	if d.Usage != nil {
		op.Usage = spent(op.Usage, *d.Usage, d.CostUSD)
	}
	if m.Purpose == event.PurposeCompact {
		if m.CompactFailures++; !summaryMayCome(d.Error.Code) && !m.Overflowed {
			m.CompactFailures = maxCompactTries
		}
		op.NoCompaction = op.NoCompaction || m.CompactFailures >= maxCompactTries
		return
	}
	m.Failures++
	m.Tries++
	m.Empty = m.Empty || d.Error.Code == emptyResponse
	if d.Error.Code == overflow && !m.Overflowed { // what failed before was not yet needed
		m.Overflowed, m.CompactFailures = true, 0
	}
}

// compacted: the round's own question is next, of a shorter transcript.
func (op *Operation) compacted(d event.TranscriptCompacted) {
	m := &op.Model
	m.Phase, m.Purpose, m.Fault, m.RetryAt, m.Fallback = Pending, "", nil, nil, false
	m.Failures, m.Tries, m.Overflowed = 0, 0, false
	m.Compactions++
	op.Usage = spent(op.Usage, d.Usage, d.CostUSD)
}

func (op *Operation) modelCompleted(d event.ModelCompleted) {
	op.Model.Phase, op.Model.Fault, op.Model.RetryAt = Done, nil, nil
	op.Stalls = 0
	op.Usage = spent(op.Usage, d.Usage, d.CostUSD)
	op.Calls = nil
	for _, it := range d.Items {
		if it.Kind == event.ItemToolCall && it.Call != nil {
			op.Calls = append(op.Calls, Call{ToolCall: *it.Call, Phase: Pending})
		}
	}
	op.Output, op.Stop = answerText(d), d.Stop
	op.Asking = op.Asking.again(op.Calls)
}

// answerText is the answer as one value. A single text is taken as it is, so
// that a long one stays the reference that it is.
func answerText(d event.ModelCompleted) event.Value {
	if d.Output != nil {
		return *d.Output
	}
	for _, it := range d.Items {
		if it.Kind == event.ItemText && it.Text != nil {
			return *it.Text
		}
	}
	return event.Value{}
}

// result settles a call. It is progress: starts of its siblings so far do not
// count against them.
func (op *Operation) result(index int) {
	c := op.call(index)
	if c == nil {
		return
	}
	c.Phase = Done
	op.Stalls = 0
	for i := range op.Calls {
		if s := &op.Calls[i]; s.Phase == Open {
			s.Start.Count = 1
		}
	}
}

func (op *Operation) call(index int) *Call {
	if index < 0 || index >= len(op.Calls) {
		return nil
	}
	return &op.Calls[index]
}

package session

import (
	"cmp"
	"context"
	"slices"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// policy is what becomes of a submission while others are not settled; empty if none
// are.
func (s *Service) policy(sub *Submission, sum turn.Summary) (string, error) {
	if sum.Unsettled == 0 {
		return "", nil
	}
	policy := sub.IfBusy
	if policy == "" {
		a, err := s.agent(sub, sum)
		if err != nil {
			return "", err
		}
		def, err := agent.Pinned(a)
		if err != nil {
			return "", err
		}
		policy = cmp.Or(def.IfBusy, agent.Enqueue)
	}
	if policy == agent.Reject {
		return "", fault.New(fault.SessionBusy, "%d of the session's operations are not settled; submit again when they are, or with another ifBusy", sum.Unsettled)
	}
	return policy, nil
}

// maxCancelled bounds the operations that one commit cancels: each moves two rows,
// as the submission does, and a commit moves [eventstore.MaxRows] at most.
const maxCancelled = 8

// acceptFolded accepts a submission that takes more than the head to decide: it cancels
// those before it, or is said to the one that runs, or names files.
func (s *Service) acceptFolded(ctx context.Context, stream eventstore.Stream, sub *Submission) (Receipt, error) {
	if err := sub.prompt.keep(ctx, s.Journal, stream); err != nil {
		return Receipt{}, err
	}
	var d decision
	err := s.open(ctx, stream, func(now *fold.Session) (err error) {
		d, err = s.decide(ctx, stream, now, sub)
		return err
	})
	if err != nil {
		return Receipt{}, s.refused(ctx, stream, sub.OperationID, err)
	}
	commit, _, err := s.Journal.Append(ctx, d.at, d.draft)
	switch {
	case err != nil:
		return Receipt{}, err
	case d.again:
		return s.acceptFolded(ctx, stream, sub)
	}
	late(ctx, stream, s.Turns.Wake(ctx, stream))
	seq := commit.Last
	if d.into != "" {
		return s.steered(ctx, stream, eventstore.Claim{First: seq}, d.into, true, nil)
	}
	sum, err := turn.DecodeSummary(commit.Summary)
	return Receipt{OperationID: sub.OperationID, SessionID: stream.Session, StreamID: sum.StreamID, Accepted: true, Status: index.Queued, TraceID: traceOf(commit), After: seq - 1}, err
}

// decision is the commit that a submission makes at a position.
type decision struct {
	at    eventstore.Position
	draft eventstore.Draft
	// into is the operation that the submission is said to.
	into string
	// again: others are cancelled first; the submission is in a later commit.
	again bool
}

// decide looks for the files first: what cannot be accepted cancels nobody.
func (s *Service) decide(ctx context.Context, stream eventstore.Stream, now *fold.Session, sub *Submission) (decision, error) {
	d := decision{at: now.At}
	policy, err := s.policy(sub, now.State.Summary())
	if err == nil {
		err = s.bring(ctx, stream, sub, &now.Tree)
	}
	if err != nil {
		return d, err
	}
	head, queue := now.State.Head(), now.State.Queue
	switch {
	case policy == agent.Steer && steerable(head) && len(sub.parts) == 0: // a message has no files
		d.into, d.draft = head.ID, s.steerDraft(stream, &now.State, head.ID, sub)
	case policy == agent.Interrupt && len(queue) > maxCancelled:
		d.again, d.draft = true, s.cancelDraft(stream, &now.State, queue[len(queue)-maxCancelled:])
	default:
		d.draft, err = s.draftAfter(ctx, stream, &now.State, sub, policy)
	}
	return d, err
}

// draftAfter accepts the submission behind those that are there, which are cancelled
// if it interrupts them.
func (s *Service) draftAfter(ctx context.Context, stream eventstore.Stream, state *turn.State, sub *Submission, policy string) (eventstore.Draft, error) {
	a, err := s.agent(sub, state.Summary())
	switch {
	case err != nil:
		return eventstore.Draft{}, err
	case policy != agent.Interrupt && len(state.Queue) >= MaxQueue:
		return eventstore.Draft{}, queueFull(len(state.Queue), stream)
	}
	var before []event.Event
	if policy == agent.Interrupt {
		before = s.cancelled(state, state.Queue)
	}
	now := event.At(s.Now())
	renewed, err := s.renewed(ctx, stream, state.Retention, now)
	if err != nil {
		return eventstore.Draft{}, err
	}
	before = slices.Concat(before, renewed)
	var own eventstore.Draft
	s.accepted(stream, state.StreamID, sub, a, now, state.Seq+uint64(len(before))+1, &own)
	d := index.Draft(stream, state, "", append(before, own.Events...))
	own.Claim.Event = len(before)
	d.Claim, d.Rows = own.Claim, append(d.Rows, own.Rows...)
	return d, nil
}

// cancelled are the events that cancel operations.
func (s *Service) cancelled(state *turn.State, operations []*turn.Operation) (all []event.Event) {
	for _, op := range operations {
		all = append(all, turn.Cancel(state, op.ID, s.Now())...)
	}
	return all
}

func (s *Service) cancelDraft(stream eventstore.Stream, state *turn.State, operations []*turn.Operation) eventstore.Draft {
	return index.Draft(stream, state, "", s.cancelled(state, operations))
}

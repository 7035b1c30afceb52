package session

import (
	"cmp"
	"context"

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

// acceptBusy accepts a submission that does something to those before it: it cancels
// them, or it is said to the one that runs.
func (s *Service) acceptBusy(ctx context.Context, stream eventstore.Stream, sub *Submission, policy string) (r Receipt, err error) {
	if err := sub.prompt.keep(ctx, s.Journal, stream); err != nil {
		return Receipt{}, err
	}
	var at eventstore.Position
	var d eventstore.Draft
	var into string
	again := false
	err = s.Opened.Read(ctx, stream, func(now *fold.Session) error {
		at = now.At
		head := now.State.Head()
		switch {
		case policy == agent.Steer && steerable(head):
			into = head.ID
			d = s.steerDraft(stream, &now.State, into, sub)
			return nil
		case policy == agent.Interrupt && len(now.State.Queue) > maxCancelled:
			again = true // the last ones first; the rest, and the submission, in another commit
			d = s.cancelDraft(stream, &now.State, now.State.Queue[len(now.State.Queue)-maxCancelled:])
			return nil
		}
		d, err = s.draftAfter(stream, &now.State, sub, policy)
		return err
	})
	if err != nil {
		return Receipt{}, s.refused(ctx, stream, sub.OperationID, err)
	}
	commit, _, err := s.Journal.Append(ctx, at, d)
	switch {
	case err != nil:
		return Receipt{}, err
	case again:
		return s.acceptBusy(ctx, stream, sub, policy)
	}
	late(ctx, stream, s.Turns.Wake(ctx, stream))
	seq := commit.Last
	if into != "" {
		return s.steered(ctx, stream, eventstore.Claim{First: seq}, into, true, nil)
	}
	sum, err := turn.DecodeSummary(commit.Summary)
	return Receipt{OperationID: sub.OperationID, SessionID: stream.Session, StreamID: sum.StreamID, Accepted: true, Status: index.Queued, After: seq - 1}, err
}

// draftAfter accepts the submission behind those that are there, which are cancelled
// if it interrupts them.
func (s *Service) draftAfter(stream eventstore.Stream, state *turn.State, sub *Submission, policy string) (eventstore.Draft, error) {
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
	var own eventstore.Draft
	s.accepted(stream, sub, a, now, state.Seq+uint64(len(before))+1, &own)
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

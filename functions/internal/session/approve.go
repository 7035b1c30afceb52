package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/agent"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/view"
)

// Answer is what a person says about a call that waits for one.
type Answer struct {
	// Decision is approve or deny, about a question of policy; happened or
	// did_not_happen, about an unknown outcome.
	Decision string
	// Note is read by the model; at most [MaxNote] bytes.
	Note string
	// Arguments are the JSON object that an approved call is carried out with instead;
	// empty for its own. They have to fit the tool, and its policy, all the same.
	Arguments string
	// Result is what the model reads of a call that happened.
	Result string
	// UnknownSeq is the tool.unknown that an unknown outcome's answer is about. It may be 0
	// about a call that was begun once.
	UnknownSeq uint64
	// By is whose answer it is, as the log says it; see [auth.Caller.Name].
	By string
}

// maxBy bounds what stands in the log of who answers, in bytes.
const maxBy = 512

// MaxNote bounds a note, in bytes.
const MaxNote = 2 << 10

// Decide answers about the call that step ("round.index") names, and returns the
// operation's snapshot. Each question is answered once: the same answer again changes
// nothing, another one is refused, and so is one that comes too late. An answer about an
// earlier time that a call was begun never counts for a later one.
func (s *Service) Decide(ctx context.Context, stream eventstore.Stream, operation, step string, a Answer) (view.Operation, error) {
	c, err := s.claim(ctx, stream, operation)
	if err != nil {
		return view.Operation{}, err
	}
	var round, i int
	if n, err := fmt.Sscanf(step, "%d.%d", &round, &i); n != 2 || err != nil || fmt.Sprintf("%d.%d", round, i) != step {
		return view.Operation{}, fault.New(fault.NotFound, "there is no step %.40q; a step is round.index, such as 1.0", step)
	}
	answer, err := s.answer(ctx, stream, i, a)
	if err != nil {
		return view.Operation{}, err
	}
	if err := s.fits(ctx, stream, operation, round, i, a.Arguments); err != nil {
		return view.Operation{}, err
	}
	for {
		verdict, err := s.resolve(ctx, stream, operation, round, answer)
		var lost *eventstore.Conflict
		switch {
		case errors.As(err, &lost) && ctx.Err() == nil:
			continue // others append to this session too: decide again
		case err == nil && verdict == turn.Lapsed:
			err = fault.New(fault.ApprovalExpired, "nobody answered in time; the call is not made, and the model reads so")
		case err == nil && verdict == turn.Ending:
			err = fault.New(fault.ApprovalResolved, "the operation is being cancelled")
		case err == nil && verdict == turn.Unnamed:
			err = fault.New(fault.ApprovalResolved, "step %d.%d was begun more than once: look again what became of it, and answer with the unknownSeq that the operation's approvals show", round, i)
		case err == nil && verdict != turn.Taken:
			err = s.answeredBefore(ctx, stream, operation, c, round, answer)
		}
		if err != nil {
			return view.Operation{}, err
		}
		return s.operationOf(ctx, stream, operation, c)
	}
}

// answer checks what does not depend on the log, and keeps what is large.
func (s *Service) answer(ctx context.Context, stream eventstore.Stream, i int, a Answer) (e event.ApprovalResolved, err error) {
	e = event.ApprovalResolved{Index: i, Decision: a.Decision, Note: a.Note, UnknownSeq: a.UnknownSeq, By: a.By[:min(len(a.By), maxBy)]}
	keep := func(text string, allowed bool, name string) (*event.Value, error) {
		if text == "" {
			return nil, nil
		}
		if !allowed {
			return nil, fault.New(fault.InvalidRequest, "%s does not go with %q", name, a.Decision)
		}
		v, err := s.Journal.Keep(ctx, stream, text, "text/plain; charset=utf-8")
		return &v, err
	}
	switch {
	case len(a.Note) > MaxNote:
		return e, fault.New(fault.TooLarge, "the note has %d bytes, at most %d are taken", len(a.Note), MaxNote)
	case a.Arguments != "" && !isObject(a.Arguments):
		return e, fault.New(fault.InvalidRequest, "arguments are a JSON object")
	}
	if e.Arguments, err = keep(a.Arguments, a.Decision == event.Approve, "arguments"); err == nil {
		e.Output, err = keep(a.Result, a.Decision == event.Happened, "a result")
	}
	return e, err
}

// fits refuses arguments that would be refused when the call is made: the question stays
// open for better ones.
func (s *Service) fits(ctx context.Context, stream eventstore.Stream, operation string, round, i int, arguments string) error {
	if arguments == "" || s.Fits == nil {
		return nil
	}
	var name string
	var pinned event.Agent
	err := s.open(ctx, stream, func(now *fold.Session) error {
		if op := now.State.Head(); op != nil && op.ID == operation && op.Round == round && i < len(op.Calls) {
			name, pinned = op.Calls[i].Name, op.Agent
		}
		return nil
	})
	if err != nil || name == "" { // nobody is asked: that is told next
		return err
	}
	its, err := agent.Pinned(pinned)
	if err != nil {
		return err
	}
	if err := s.Fits(its, name, arguments); err != nil {
		return fault.New(fault.InvalidRequest, "the call would be refused: %v; nothing was answered", err)
	}
	return nil
}

func isObject(s string) bool {
	return strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid([]byte(s))
}

func (s *Service) resolve(ctx context.Context, stream eventstore.Stream, operation string, round int, answer event.ApprovalResolved) (verdict turn.Verdict, err error) {
	var at eventstore.Position
	var d eventstore.Draft
	var events []event.Event
	err = s.open(ctx, stream, func(now *fold.Session) error {
		at = now.At
		if events, verdict = turn.Resolve(&now.State, operation, round, answer, s.Now()); events != nil {
			d = index.Draft(stream, &now.State, "", events)
		}
		return nil
	})
	if err == nil && events != nil {
		_, _, err = s.Journal.Append(ctx, at, d)
	}
	if err == nil && (events != nil || verdict == turn.AnsweredBefore) { // the turn goes on; again, if that was lost
		late(ctx, stream, s.Turns.Wake(ctx, stream))
	}
	return verdict, err
}

// answeredBefore looks for the answer that the log has: the same one is no error.
func (s *Service) answeredBefore(ctx context.Context, stream eventstore.Stream, operation string, c eventstore.Claim, round int, answer event.ApprovalResolved) error {
	var before *event.ApprovalResolved
	for commit, err := range s.Journal.Read(ctx, stream, c.First-1) {
		if err != nil {
			return err
		}
		for _, e := range commit.Events {
			if r, ok := e.Data.(event.ApprovalResolved); ok && e.Operation == operation && e.Round == round && r.Index == answer.Index && (answer.UnknownSeq == 0 || answer.UnknownSeq == r.UnknownSeq) {
				before = &r
			}
		}
	}
	switch {
	case before == nil:
		return fault.New(fault.NotFound, "nobody is asked about step %d.%d of operation %.140q", round, answer.Index, operation)
	case before.Decision == event.Expired:
		return fault.New(fault.ApprovalExpired, "nobody answered in time; the call is not made, and the model reads so")
	case before.Decision != answer.Decision || (before.Arguments == nil) != (answer.Arguments == nil) || before.Arguments != nil && !before.Arguments.Equal(*answer.Arguments):
		return fault.New(fault.ApprovalResolved, "it was answered before: %s", before.Decision)
	}
	return nil
}

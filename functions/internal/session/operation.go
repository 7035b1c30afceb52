package session

import (
	"context"
	"strings"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/view"
)

// Operation is a snapshot of one operation, true as of its AsOfSeq.
func (s *Service) Operation(ctx context.Context, stream eventstore.Stream, id string) (view.Operation, error) {
	c, err := s.claim(ctx, stream, id)
	if err != nil {
		return view.Operation{}, err
	}
	return s.operationOf(ctx, stream, id, c)
}

// claim finds an operation; every way of not being there looks the same.
func (s *Service) claim(ctx context.Context, stream eventstore.Stream, id string) (eventstore.Claim, error) {
	c, err := s.Journal.Claim(ctx, stream, id)
	code := eventstore.CodeOf(err)
	if err == nil || code != eventstore.NotFound && code != eventstore.Invalid {
		return c, err
	}
	if code == eventstore.NotFound { // a session that was deleted has no claims any more
		if _, _, err := s.head(ctx, stream); err != nil {
			return eventstore.Claim{}, err
		}
	}
	return eventstore.Claim{}, noOperation(stream, id)
}

func noOperation(stream eventstore.Stream, id string) error {
	return fault.New(fault.NotFound, "there is no operation %.140q in session %.140q", id, stream.Session)
}

// operation reads the head first and the row after it, so the snapshot holds at
// least all that happened up to the head's seq.
func (s *Service) operation(ctx context.Context, stream eventstore.Stream, c eventstore.Claim) (view.Operation, error) {
	sum, at, err := s.head(ctx, stream)
	if err != nil {
		return view.Operation{}, err
	}
	r, err := s.Journal.Row(ctx, index.OperationKey(stream, c.First))
	if err != nil {
		return view.Operation{}, err
	}
	row, err := index.DecodeOperation(r)
	if err != nil {
		return view.Operation{}, err
	}
	o := view.Of(stream.Session, sum, at.Seq(), row)
	switch h := sum.Head; {
	case o.Status == index.Completed:
		err = s.output(ctx, stream, &o)
	case h != nil && h.Operation == o.OperationID && h.Asked > 0 && !o.Settled():
		err = s.open(ctx, stream, func(now *fold.Session) error {
			o.Approvals = view.ApprovalsOf(now.State.Find(o.OperationID))
			return nil
		})
	}
	return o, err
}

// MaxOutput is how much of an output a snapshot holds, in bytes; a longer one is
// named.
const MaxOutput = 256 << 10

// output is what the terminal event says: the log is read, not copied.
func (s *Service) output(ctx context.Context, stream eventstore.Stream, o *view.Operation) error {
	for c, err := range s.Journal.Read(ctx, stream, o.LastSeq-1) {
		if err != nil {
			return err
		}
		for _, e := range c.Events {
			if done, ok := e.Data.(event.OperationCompleted); ok && e.Operation == o.OperationID {
				return s.showOutput(ctx, stream, o, done.Output)
			}
		}
		break
	}
	return eventstore.Errorf(eventstore.Corrupt, "operation", "%s: seq %d does not complete operation %s", stream, o.LastSeq, o.OperationID)
}

func (s *Service) showOutput(ctx context.Context, stream eventstore.Stream, o *view.Operation, v event.Value) error {
	if ref, apart := v.Ref(); apart && ref.Bytes > MaxOutput {
		o.OutputRef = &ref
		return nil
	}
	text, err := s.Journal.Load(ctx, stream, v)
	inline := event.Text(text)
	o.Output = &inline
	return err
}

// Settled is [Service.Operation] with the files that the operation came with, answered
// when it has settled or after wait, whichever is first.
func (s *Service) Settled(ctx context.Context, stream eventstore.Stream, id string, wait time.Duration) (o view.Operation, err error) {
	first, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	c, err := s.claim(first, stream, id)
	if err != nil {
		return view.Operation{}, err
	}
	input, err := s.input(first, stream, c)
	if err != nil {
		return view.Operation{}, err
	}
	err = await(ctx, wait, func(ctx context.Context) (bool, error) {
		o, err = s.operation(ctx, stream, c)
		return o.Settled(), err
	})
	o.Input = input
	return o, err
}

// input is the files that an operation came with, which the log alone tells. Its claim
// says whether there are any.
func (s *Service) input(ctx context.Context, stream eventstore.Stream, c eventstore.Claim) ([]view.File, error) {
	if !strings.HasPrefix(c.Fingerprint, printInput) {
		return nil, nil
	}
	for commit, err := range s.Journal.Read(ctx, stream, c.First-1) {
		if err != nil {
			return nil, err
		}
		for _, e := range commit.Events {
			if a, ok := e.Data.(event.OperationAccepted); ok && e.Seq == c.First {
				return view.FilesOf(a.Input), nil
			}
		}
		break
	}
	return nil, eventstore.Errorf(eventstore.Corrupt, "operation", "%s: seq %d accepts no operation", stream, c.First)
}

// Span is where an operation's events stand: first is the seq that accepted it,
// last the one that settled it, or 0 while it has not.
func (s *Service) Span(ctx context.Context, stream eventstore.Stream, id string) (first, last uint64, err error) {
	c, err := s.claim(ctx, stream, id)
	if err != nil {
		return 0, 0, err
	}
	r, err := s.Journal.Row(ctx, index.OperationKey(stream, c.First))
	if err != nil {
		return 0, 0, err
	}
	row, err := index.DecodeOperation(r)
	if row.Status != index.Queued { // a row says queued until it settles
		last = row.LastSeq
	}
	return c.First, last, err
}

package fold

import (
	"context"
	"errors"
	"log/slog"

	"windlass/eventstore"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// Session is a session's log, folded up to a position.
type Session struct {
	Stream eventstore.Stream
	At     eventstore.Position
	State  turn.State
	Tree   workspace.Tree
	// Commits and Bytes are what was folded since the newest checkpoint.
	Commits, Bytes int

	seq        uint64
	transcript transcript.Transcript
	// segments hold the transcript's beginning; absent are those of them whose items
	// are not in it, and kept counts its items that stand in others of them.
	segments, absent []segment
	kept             int
}

// Apply folds one commit, which must follow what was folded.
func (s *Session) Apply(c eventstore.Commit) {
	for _, e := range c.Events {
		s.State.Apply(e)
		s.transcript.Apply(e)
		s.Tree.Apply(e)
	}
	s.At, s.seq = c.After(), c.Last
	s.Commits++
	s.Bytes += len(c.Body)
}

// Checkpointed notes a checkpoint that was stored: the next summary names it.
func (s *Session) Checkpointed(c Stored) {
	s.State.Checkpoint, s.segments = &c.at, c.segments
	s.kept += c.items
}

// CatchUp folds what came since, and shows each commit to see (nil for nobody).
func (s *Session) CatchUp(ctx context.Context, j *eventstore.Journal, see func(eventstore.Commit)) error {
	for c, err := range j.Read(ctx, s.Stream, s.seq) {
		if err != nil {
			return err
		}
		s.Apply(c)
		if see != nil {
			see(c)
		}
	}
	return nil
}

// Open folds a session up to its end, from its newest checkpoint if there is one.
// A session that does not exist has nothing in it and the position of an empty
// stream.
func Open(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream) (*Session, error) {
	head, at, err := j.Head(ctx, stream)
	if err != nil {
		return nil, err
	}
	sum, err := turn.DecodeSummary(head.Summary)
	if err != nil {
		return nil, err
	}
	s := &Session{Stream: stream, At: at}
	if sum.Checkpoint != nil {
		if err := s.load(ctx, j, *sum.Checkpoint); err != nil {
			var coded *eventstore.Error
			if errors.As(err, &coded) && (coded.Code == eventstore.Unavailable || coded.Code == eventstore.Throttled) {
				return nil, err // it may be there; folding everything would not be kinder
			}
			slog.WarnContext(ctx, "a checkpoint is not used; the log is folded from its beginning", "session", stream.Session, "seq", sum.Checkpoint.Seq, "error", err)
			s = &Session{Stream: stream, At: at}
		}
	}
	if s.seq == at.Seq() {
		return s, nil
	}
	return s, s.CatchUp(ctx, j, nil)
}

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
	// Commits and Bytes are what was folded since this session's newest checkpoint;
	// Weight is about what it takes in memory, in bytes.
	Commits, Bytes, Weight int
	// Beside is what its driver made of it: it is kept as long as the session is, if there
	// is room for the bytes that it holds besides.
	Beside      any
	BesideBytes int64

	seq        uint64
	transcript transcript.Transcript
	// segments hold the transcript's beginning; absent are those of them whose items
	// are not in it, and kept counts its items that stand in others of them.
	segments, absent []segment
	kept             int
	saving           *saving
	era              int // how often lost segments were given up
}

// Apply folds one commit, which must follow what was folded.
func (s *Session) Apply(c eventstore.Commit) {
	s.Appended(c)
	// Others make checkpoints too; the newest one is carried on.
	if sum, err := turn.DecodeSummary(c.Summary); err == nil && newer(sum.Checkpoint, s.State.Checkpoint) {
		s.State.Checkpoint = sum.Checkpoint
	}
}

// Appended is Apply for a commit that was drafted from this very session.
func (s *Session) Appended(c eventstore.Commit) {
	for _, e := range c.Events {
		s.State.Apply(e)
		s.transcript.Apply(e)
		s.Tree.Apply(e)
	}
	s.At, s.seq = c.After(), c.Last
	s.Commits++
	s.Bytes += len(c.Body)
	s.Weight += len(c.Body)
}

func newer(a, b *turn.Checkpoint) bool { return a != nil && (b == nil || a.Seq > b.Seq) }

// A checkpoint is made every so many commits, or bytes of them: opening the
// session never folds much more than that.
const (
	checkpointCommits = 64
	checkpointBytes   = 1 << 20
)

// CheckpointDue reports whether it is time for a checkpoint, and the fold can be
// kept as it stands: between the results of a round it cannot.
func (s *Session) CheckpointDue() bool {
	return (s.Commits >= checkpointCommits || s.Bytes >= checkpointBytes) && s.Checkpointable()
}

// Checkpointed notes a checkpoint that was stored: the next summary names it.
func (s *Session) Checkpointed(c Stored) {
	if c.era != s.era {
		return // it builds on segments that turned out to be lost
	}
	if newer(&c.at, s.State.Checkpoint) {
		s.State.Checkpoint = &c.at
	}
	s.segments = c.segments
	s.kept += c.items
	s.Tree.MovedApart(c.apart)
}

// Tokens is about how many a model would read now; see [transcript.Transcript.Tokens].
func (s *Session) Tokens(besides int64) int64 { return s.transcript.Tokens(besides) }

// CatchUp folds what came since, and shows each commit to see (nil for nobody).
func (s *Session) CatchUp(ctx context.Context, j *eventstore.Journal, see func(eventstore.Commit)) error {
	for c, err := range j.ReadNext(ctx, s.Stream, s.seq) {
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

// catchUp folds up to the head, which is often all that came.
func (s *Session) catchUp(ctx context.Context, j *eventstore.Journal, head eventstore.Record, at eventstore.Position) error {
	if head.First != s.seq+1 {
		return s.CatchUp(ctx, j, nil)
	}
	c, err := j.Commit(ctx, head, at)
	if err == nil {
		s.Apply(c)
	}
	return err
}

// Open folds a session up to its end, from its newest checkpoint if there is one.
// A session that does not exist has nothing in it and the position of an empty
// stream. With an error it returns what it has folded so far, if anything, which
// [Session.CatchUp] goes on from.
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
	return s, s.catchUp(ctx, j, head, at)
}

package fold

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"

	"golang.org/x/sync/errgroup"
)

// version is raised when a fold changes what it keeps: an older checkpoint is then
// not read, and the log is folded from its beginning once.
const version = 7

const checkpointType = "application/json"

// checkpoint is a session's fold at Seq as it is stored. What a model reads stands
// in segments, each written once: a checkpoint's size follows the session's files,
// not its length.
type checkpoint struct {
	Version    int                       `json:"v"`
	Seq        uint64                    `json:"seq"`
	State      *turn.State               `json:"state"`
	Files      map[string]workspace.File `json:"files"`
	Transcript transcript.Kept           `json:"transcript"`
	Segments   []segment                 `json:"segments"`
}

// segment is a stretch of the transcript.
type segment struct {
	Items int       `json:"items"`
	Ref   event.Ref `json:"ref"`
}

// smallFile is how much of a file's content stands in a checkpoint, in bytes; what
// is larger stands apart as values do, however it stands in the log, and is put
// there once.
const (
	smallFile = 4 << 10
	atOnce    = 16 // transfers of one checkpoint
)

// load reads a checkpoint into an empty session. The transcript comes when it is
// asked for.
func (s *Session) load(ctx context.Context, j *eventstore.Journal, at turn.Checkpoint) error {
	data, err := j.Load(ctx, s.Stream, event.ByRef(at.Ref))
	if err != nil {
		return err
	}
	var c checkpoint
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		return fmt.Errorf("fold: checkpoint at %d: %w", at.Seq, err)
	}
	if c.Version != version || c.Seq != at.Seq || c.State == nil {
		return fmt.Errorf("fold: the checkpoint at %d is of version %d, at %d", at.Seq, c.Version, c.Seq)
	}
	s.State = *c.State
	s.State.Checkpoint = &at
	s.Tree.Fill(c.Files)
	items := 0
	for _, seg := range c.Segments {
		items += seg.Items
	}
	s.transcript = transcript.From(items, c.Transcript)
	s.segments, s.absent = c.Segments, c.Segments
	s.seq = c.Seq
	s.Weight = len(data)
	return nil
}

// Transcript is what a model is shown: of what a checkpoint stood for it loads what
// no summary stands for. If that is lost, the log is folded again: a checkpoint is
// never the truth.
func (s *Session) Transcript(ctx context.Context, j *eventstore.Journal) (*transcript.Transcript, error) {
	first, before := len(s.absent), s.transcript.Before
	for first > 0 && before > s.transcript.First() {
		first--
		before -= s.absent[first].Items
	}
	wanted := s.absent[first:]
	parts := make([][]transcript.Item, len(wanted))
	err := together(len(parts), func(i int) (err error) {
		parts[i], err = s.items(ctx, j, wanted[i])
		return err
	})
	if eventstore.CodeOf(err) == eventstore.Corrupt && err != nil {
		slog.WarnContext(ctx, "a part of the transcript is lost; the log is folded from its beginning", "session", s.Stream.Session, "error", err)
		return s.refoldTranscript(ctx, j)
	}
	if err != nil {
		return nil, err
	}
	if items := slices.Concat(parts...); len(items) > 0 {
		s.transcript.Prepend(items)
		s.kept += len(items)
		for _, seg := range wanted {
			s.Weight += int(seg.Ref.Bytes)
		}
	}
	s.absent = s.absent[:first:first]
	return &s.transcript, nil
}

func (s *Session) refoldTranscript(ctx context.Context, j *eventstore.Journal) (*transcript.Transcript, error) {
	var t transcript.Transcript
	for c, err := range j.Read(ctx, s.Stream, 0) {
		if err != nil {
			return nil, err
		}
		if c.Last > s.seq {
			break
		}
		for _, e := range c.Events {
			t.Apply(e)
		}
	}
	s.transcript, s.segments, s.absent, s.kept = t, nil, nil, 0
	s.era++
	return &s.transcript, nil
}

// Items is a page of the transcript, and how many items it has. Only the segments
// that it touches are loaded.
func (s *Session) Items(ctx context.Context, j *eventstore.Journal, from, n int) (page []transcript.Item, all int, err error) {
	for _, seg := range s.absent {
		begin := all
		if all += seg.Items; from+len(page) < begin || from+len(page) >= all || len(page) == n {
			continue
		}
		part, err := s.items(ctx, j, seg)
		if err != nil && eventstore.CodeOf(err) == eventstore.Corrupt {
			if _, err := s.refoldTranscript(ctx, j); err != nil {
				return nil, 0, err
			}
			return s.Items(ctx, j, from, n) // nothing is absent any more
		}
		if err != nil {
			return nil, 0, err
		}
		part = part[from+len(page)-begin:]
		page = append(page, part[:min(len(part), n-len(page))]...)
	}
	rest := s.transcript.Items[min(max(from+len(page)-all, 0), len(s.transcript.Items)):]
	page = append(page, rest[:min(len(rest), n-len(page))]...)
	return page, all + len(s.transcript.Items), nil
}

func (s *Session) items(ctx context.Context, j *eventstore.Journal, seg segment) (part []transcript.Item, err error) {
	data, err := j.Load(ctx, s.Stream, event.ByRef(seg.Ref))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(data), &part); err != nil || len(part) != seg.Items {
		return nil, eventstore.Errorf(eventstore.Corrupt, "transcript", "%s: a segment holds %d items of %d: %v", s.Stream, len(part), seg.Items, err)
	}
	return part, nil
}

// together runs n transfers, some at once, and returns the first error.
func together(n int, transfer func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(atOnce)
	for i := range n {
		all.Go(func() error { return transfer(i) })
	}
	return all.Wait()
}

// Checkpointable reports whether the fold can be kept as it stands: between the
// results of a round it cannot.
func (s *Session) Checkpointable() bool { return s.transcript.Whole() }

// Stored is a checkpoint that was stored.
type Stored struct {
	at       turn.Checkpoint
	segments []segment
	items    int                       // that stand in segments by it
	apart    map[string]workspace.File // whose contents stand apart by it
	era      int                       // of the session when it was copied
}

// Checkpoint copies the fold, and returns what stores the copy: to be run off the
// hot path, at most one at a time. What that returns is for [Session.Checkpointed].
func (s *Session) Checkpoint(j *eventstore.Journal) func(context.Context) (Stored, error) {
	s.Commits, s.Bytes = 0, 0
	state := s.State.Copy()
	state.Checkpoint = nil
	c := checkpoint{Version: version, Seq: s.seq, State: state, Files: s.Tree.Files(), Transcript: s.transcript.Kept(), Segments: s.segments}
	items := s.transcript.Items[s.kept:]
	stream, era := s.Stream, s.era
	return func(ctx context.Context) (Stored, error) {
		if len(items) > 0 {
			ref, err := put(ctx, j, stream, items)
			if err != nil {
				return Stored{}, err
			}
			c.Segments = append(c.Segments[:len(c.Segments):len(c.Segments)], segment{len(items), ref})
		}
		apart, err := moveApart(ctx, j, stream, c.Files)
		if err != nil {
			return Stored{}, err
		}
		ref, err := put(ctx, j, stream, c)
		return Stored{turn.Checkpoint{Seq: c.Seq, Ref: ref}, c.Segments, len(items), apart, era}, err
	}
}

// moveApart stores the contents that are too large for a checkpoint, and returns
// the files as they are from then on.
func moveApart(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream, files map[string]workspace.File) (map[string]workspace.File, error) {
	var large []workspace.File
	for _, f := range files {
		if _, apart := f.Content.Ref(); !apart && f.Content.Len() > smallFile {
			large = append(large, f)
		}
	}
	err := together(len(large), func(i int) error {
		ref, err := j.Put(ctx, stream, []byte(large[i].Content.Inline()), large[i].ContentType)
		large[i].Content = event.ByRef(ref)
		return err
	})
	apart := map[string]workspace.File{}
	for _, f := range large {
		files[f.Path], apart[f.Path] = f, f
	}
	return apart, err
}

func put(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream, v any) (event.Ref, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return event.Ref{}, err
	}
	return j.Put(ctx, stream, b, checkpointType)
}

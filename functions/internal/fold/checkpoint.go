package fold

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/turn"
	"windlass/functions/internal/workspace"
)

// version is raised when a fold changes what it keeps: an older checkpoint is then
// not read, and the log is folded from its beginning once.
const version = 1

const checkpointType = "application/json"

// checkpoint is a session's fold at Seq as it is stored. What a model reads stands
// in segments, each written once: a checkpoint's size follows the session's files,
// not its length.
type checkpoint struct {
	Version  int                       `json:"v"`
	Seq      uint64                    `json:"seq"`
	State    *turn.State               `json:"state"`
	Files    map[string]workspace.File `json:"files"`
	Prompts  map[string]event.Value    `json:"prompts"`
	Segments []segment                 `json:"segments"`
}

// segment is a stretch of the transcript.
type segment struct {
	Items int       `json:"items"`
	Ref   event.Ref `json:"ref"`
}

// smallFile is how much of a file's content stands in a checkpoint, in bytes; what
// is larger stands apart as values do, however it stands in the log.
const smallFile = 512

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
	s.transcript = transcript.From(nil, c.Prompts)
	s.segments, s.absent = c.Segments, c.Segments
	s.seq = c.Seq
	return nil
}

// Transcript is what the model has seen. It loads what a checkpoint stood for.
func (s *Session) Transcript(ctx context.Context, j *eventstore.Journal) (*transcript.Transcript, error) {
	var items []transcript.Item
	for _, seg := range s.absent {
		data, err := j.Load(ctx, s.Stream, event.ByRef(seg.Ref))
		if err != nil {
			return nil, err
		}
		var part []transcript.Item
		if err := json.Unmarshal([]byte(data), &part); err != nil || len(part) != seg.Items {
			return nil, eventstore.Errorf(eventstore.Corrupt, "transcript", "%s: a segment holds %d items of %d: %v", s.Stream, len(part), seg.Items, err)
		}
		items = append(items, part...)
	}
	if len(items) > 0 {
		s.transcript.Items = append(items, s.transcript.Items...)
		s.kept += len(items)
	}
	s.absent = nil
	return &s.transcript, nil
}

// Checkpointable reports whether the fold can be kept as it stands: between the
// results of a round it cannot.
func (s *Session) Checkpointable() bool { return s.transcript.Whole() }

// Stored is a checkpoint that was stored.
type Stored struct {
	at       turn.Checkpoint
	segments []segment
	items    int // that stand in segments by it
}

// Checkpoint copies the fold, and returns what stores the copy: to be run off the
// hot path, at most one at a time. What that returns is for [Session.Checkpointed].
func (s *Session) Checkpoint(j *eventstore.Journal) func(context.Context) (Stored, error) {
	s.Commits, s.Bytes = 0, 0
	state := s.State.Clone()
	state.Checkpoint = nil
	c := checkpoint{Version: version, Seq: s.seq, State: state, Files: s.Tree.Files(), Prompts: maps.Clone(s.transcript.Prompts()), Segments: s.segments}
	items := s.transcript.Items[s.kept:]
	stream := s.Stream
	return func(ctx context.Context) (Stored, error) {
		if len(items) > 0 {
			ref, err := put(ctx, j, stream, items)
			if err != nil {
				return Stored{}, err
			}
			c.Segments = append(c.Segments[:len(c.Segments):len(c.Segments)], segment{len(items), ref})
		}
		if err := small(ctx, j, stream, c.Files); err != nil {
			return Stored{}, err
		}
		ref, err := put(ctx, j, stream, c)
		return Stored{turn.Checkpoint{Seq: c.Seq, Ref: ref}, c.Segments, len(items)}, err
	}
}

func small(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream, files map[string]workspace.File) error {
	for path, f := range files {
		if _, apart := f.Content.Ref(); apart || f.Content.Len() <= smallFile {
			continue
		}
		ref, err := j.Put(ctx, stream, []byte(f.Content.Inline()), f.ContentType)
		if err != nil {
			return err
		}
		f.Content = event.ByRef(ref)
		files[path] = f
	}
	return nil
}

func put(ctx context.Context, j *eventstore.Journal, stream eventstore.Stream, v any) (event.Ref, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return event.Ref{}, err
	}
	return j.Put(ctx, stream, b, checkpointType)
}

package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/workspace"
)

// maxTries bounds how often an append that lost is decided again.
const maxTries = 100

// FileWrite puts a file, or deletes one.
type FileWrite struct {
	Path string
	// Data is the content, or Upload names one.
	Data, Upload string
	// ContentType is found out if empty.
	ContentType string
	// Holds reports whether what is there is what the client expects; the hash is
	// empty if there is nothing.
	Holds func(sha256 string) bool
}

// FileWritten says what stands there now.
type FileWritten struct {
	workspace.File
	Created bool
	// AsOfSeq is the seq that it is true of.
	AsOfSeq uint64
}

// PutFile puts a file, in a session that it opens if there is none. The same
// content and type again change nothing and append nothing.
func (s *Service) PutFile(ctx context.Context, stream eventstore.Stream, w FileWrite) (FileWritten, error) {
	name, err := cleanPath(w.Path)
	switch {
	case err != nil:
		return FileWritten{}, err
	case !eventstore.ValidID(stream.Session):
		return FileWritten{}, badID("session", stream.Session)
	case len(w.Data) > MaxFile:
		return FileWritten{}, fault.New(fault.TooLarge, "a body takes up to %d bytes; POST to the session's uploads, store it there, and PUT with ?upload=", MaxFile)
	case !validType(w.ContentType):
		return FileWritten{}, badType(w.ContentType)
	}
	f, err := s.newFile(ctx, stream, name, w)
	if fault.Of(err).Code == fault.UploadMissing && err != nil {
		if _, _, gone := s.head(ctx, stream); gone != nil {
			return FileWritten{}, gone // and the upload with it
		}
	}
	if err != nil {
		return FileWritten{}, err
	}
	result := FileWritten{File: f}
	result.AsOfSeq, err = s.change(ctx, stream, func(now *fold.Session) (event.Payload, error) {
		old, there := now.Tree.File(name)
		if there && old.SHA256 == f.SHA256 && old.Bytes == f.Bytes && old.ContentType == f.ContentType {
			return nil, nil // whatever was expected: a request sent again has succeeded (RFC 9110, 13.1.1)
		}
		if err := expected(old, w); err != nil {
			return nil, err
		}
		result.Created = !there
		return f, nil
	})
	return result, err
}

// DeleteFile deletes a file of a session.
func (s *Service) DeleteFile(ctx context.Context, stream eventstore.Stream, w FileWrite) error {
	name, err := cleanPath(w.Path)
	if err != nil {
		return err
	}
	if !eventstore.ValidID(stream.Session) {
		return noSession(stream)
	}
	_, err = s.change(ctx, stream, func(now *fold.Session) (event.Payload, error) {
		old, there := now.Tree.File(name)
		if err := expected(old, w); err != nil {
			return nil, err
		}
		switch {
		case now.At.Seq() == 0:
			return nil, noSession(stream)
		case !there:
			return nil, noFile(name)
		}
		return event.WorkspaceDeleted{Path: name}, nil
	})
	return err
}

func expected(there workspace.File, w FileWrite) error {
	if w.Holds(there.SHA256) {
		return nil
	}
	if there.SHA256 == "" {
		return fault.New(fault.PreconditionFailed, "there is no such file")
	}
	return fault.New(fault.PreconditionFailed, "the file that is there has the ETag %q", there.SHA256)
}

// newFile keeps the content and describes it.
func (s *Service) newFile(ctx context.Context, stream eventstore.Stream, name string, w FileWrite) (workspace.File, error) {
	if w.Upload != "" {
		return s.uploadedFile(ctx, stream, name, w)
	}
	sum := sha256.Sum256([]byte(w.Data))
	f := workspace.File{Path: name, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(w.Data)), ContentType: w.ContentType}
	if f.ContentType == "" {
		f.ContentType = workspace.ContentType(name, w.Data)
	}
	var err error
	f.Content, err = s.Journal.Keep(ctx, stream, w.Data, f.ContentType)
	return f, err
}

// uploadedFile is a file whose content is in its place already. The bytes that
// say what it is are read at most.
func (s *Service) uploadedFile(ctx context.Context, stream eventstore.Stream, name string, w FileWrite) (workspace.File, error) {
	u, err := readUpload(w.Upload)
	switch {
	case err != nil:
		return workspace.File{}, err
	case w.Data != "":
		return workspace.File{}, fault.New(fault.InvalidRequest, "send either a body or ?upload=")
	}
	there, err := s.there(ctx, stream, u)
	switch {
	case err != nil:
		return workspace.File{}, err
	case !there:
		return workspace.File{}, missing(u)
	}
	content := event.ByRef(u.ref())
	begin, err := s.Journal.LoadRange(ctx, stream, content, 0, event.MaxInline)
	if err != nil {
		return workspace.File{}, err
	}
	f := workspace.File{Path: name, SHA256: u.sha256, Bytes: u.bytes, ContentType: w.ContentType, Content: content}
	if f.ContentType == "" {
		f.ContentType = u.mediaType
	}
	if f.ContentType == "" {
		f.ContentType = workspace.ContentType(name, begin)
	}
	if u.bytes <= event.MaxInline {
		f.Content = event.Text(begin)
	} else {
		f.Content = event.ByRef(event.Ref{SHA256: u.sha256, Bytes: u.bytes, Type: f.ContentType})
	}
	return f, nil
}

// change appends the one event that decide asks for, or none. Others append to
// the session too, a running turn among them: then it decides again. It returns
// the seq up to which the decision was made.
func (s *Service) change(ctx context.Context, stream eventstore.Stream, decide func(*fold.Session) (event.Payload, error)) (uint64, error) {
	for try := 1; ; try++ {
		var at eventstore.Position
		var d *eventstore.Draft
		err := s.open(ctx, stream, func(now *fold.Session) error {
			p, err := decide(now)
			if err == nil && p != nil {
				s.checkpoint(ctx, now)
				d, err = s.fileDraft(ctx, stream, now, event.Event{Data: p})
			}
			at = now.At
			return err
		})
		if err != nil || d == nil {
			return at.Seq(), err
		}
		commit, _, err := s.Journal.Append(ctx, at, *d)
		var lost *eventstore.Conflict
		if !errors.As(err, &lost) || try == maxTries || ctx.Err() != nil {
			return commit.Last, err
		}
	}
}

// checkpoint keeps the fold now and then: a session that only gets files has no
// driver that would.
func (s *Service) checkpoint(ctx context.Context, now *fold.Session) {
	if !now.CheckpointDue() {
		return
	}
	if stored, err := now.Checkpoint(s.Journal)(ctx); err == nil {
		now.Checkpointed(stored)
	}
}

// fileDraft is the commit of a client's events: it opens the session if it is new.
func (s *Service) fileDraft(ctx context.Context, stream eventstore.Stream, now *fold.Session, its ...event.Event) (*eventstore.Draft, error) {
	at := event.At(s.Now())
	for i := range its {
		its[i].At = at
	}
	if now.At.Seq() > 0 {
		d := index.Draft(stream, &now.State, "", its)
		return &d, nil
	}
	renewed, err := s.renewed(ctx, stream, now.State.Retention, at)
	if err != nil {
		return nil, err
	}
	opened := event.SessionOpened{StreamID: s.NewID(at.Time)} // its first operation gives it its agent
	d := index.Draft(stream, &now.State, "", slices.Concat([]event.Event{{At: at, Data: opened}}, renewed, its))
	d.Rows = append(d.Rows, index.SessionRow(stream.Tenant, index.Session{ID: stream.Session, StreamID: opened.StreamID, Agent: opened.Agent, OpenedAt: at}))
	return &d, nil
}

package session

import (
	"context"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/workspace"
)

const (
	// MaxInput bounds the files that a prompt comes with, and MaxInputBytes what they hold
	// together: all of it has to fit into a question to a model.
	MaxInput      = 16
	MaxInputBytes = 20 << 20
	// maxFileName bounds the name of an upload, in bytes.
	maxFileName = 255
)

// Part is a file that a prompt comes with: one of the workspace's, or an upload. What
// it holds is pinned when the submission is accepted, whatever becomes of it later.
type Part struct {
	// Path is where it stands in the workspace.
	Path string
	// Upload names content that was uploaded to the session, instead. It does not join the
	// workspace.
	Upload string
	// Name is what the model is told that an upload is called.
	Name string
}

// part is a Part that was read.
type part struct {
	path   string
	upload uploaded
	name   string
	file   *event.File // of an upload that was looked at: content of a hash stays as it is
}

// readParts checks what can be said without looking anywhere.
func readParts(input []Part) ([]part, error) {
	if len(input) > MaxInput {
		return nil, fault.New(fault.TooLarge, "the input has %d files, at most %d are accepted", len(input), MaxInput)
	}
	var parts []part
	for i, in := range input {
		p := part{name: in.Name}
		var err error
		switch {
		case (in.Path == "") == (in.Upload == ""):
			err = fault.New(fault.InvalidRequest, "input %d needs either a path, of a file of the session, or an upload", i)
		case in.Path != "" && in.Name != "":
			err = fault.New(fault.InvalidRequest, "input %d has a path and a name; a name is for an upload", i)
		case !validName(in.Name):
			err = fault.New(fault.InvalidRequest, "input %d has a name that is not UTF-8 of up to %d bytes without control characters", i, maxFileName)
		case in.Path != "":
			p.path, err = cleanPath(in.Path)
		default:
			p.upload, err = readUpload(in.Upload)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return parts, nil
}

func validName(s string) bool {
	return len(s) <= maxFileName && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// readsFiles reports whether the submission names files of the workspace: what they hold
// is known at a position of the folded log alone.
func (sub *Submission) readsFiles() bool {
	for _, p := range sub.parts {
		if p.path != "" {
			return true
		}
	}
	return false
}

// bring finds the files that the submission comes with, as they are in the tree; nil will
// do where it names none of them. Decided again, it looks again.
func (s *Service) bring(ctx context.Context, stream eventstore.Stream, sub *Submission, tree *workspace.Tree) error {
	files := make([]event.File, len(sub.parts))
	var bytes int64
	for i, p := range sub.parts {
		n := p.upload.bytes
		if p.path != "" {
			f, ok := tree.File(p.path)
			if !ok {
				return fault.New(fault.NotFound, "there is no file %.1100q in session %.140q for input %d; PUT it to the session's files first", p.path, stream.Session, i)
			}
			files[i] = event.File{Path: f.Path, Name: path.Base(f.Path), Type: f.ContentType, Content: f.Content}
			n = f.Bytes
		}
		if bytes += n; bytes > MaxInputBytes {
			return fault.New(fault.TooLarge, "the files of the input have more than %d bytes together; leave some to the agent, which can read those of the session itself", MaxInputBytes)
		}
	}
	err := together(len(files), func(i int) (err error) {
		if sub.parts[i].path == "" {
			files[i], err = s.uploadedPart(ctx, stream, &sub.parts[i])
		} else {
			files[i].Content, err = s.asKept(ctx, stream, files[i].Content)
		}
		return err
	})
	sub.files = files
	return err
}

func (s *Service) uploadedPart(ctx context.Context, stream eventstore.Stream, p *part) (event.File, error) {
	if p.file == nil {
		f, err := s.uploadedFile(ctx, stream, p.name, FileWrite{Upload: p.upload.id()})
		if err != nil {
			return event.File{}, err
		}
		p.file = &event.File{Name: p.name, Type: f.ContentType, Content: f.Content}
	}
	return *p.file, nil
}

// asKept is a value as the Journal keeps it: a fold may hold apart what is short, and the
// same submission leaves the same event.
func (s *Service) asKept(ctx context.Context, stream eventstore.Stream, v event.Value) (event.Value, error) {
	if _, apart := v.Ref(); !apart || v.Len() > event.MaxInline {
		return v, nil
	}
	text, err := s.Journal.Load(ctx, stream, v)
	return event.Text(text), err
}

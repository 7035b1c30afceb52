package session

import (
	"context"
	"mime"
	"path"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/workspace"
)

// MaxFile bounds what travels in a request or an answer itself, in bytes; what is
// larger is uploaded and fetched by URL.
const MaxFile = 1 << 20

// FileRead asks for a file as it stands.
type FileRead struct {
	Path string
	// Method is GET or HEAD: a URL is signed for one of them.
	Method string
	// Known reports whether the client has the content already.
	Known func(sha256 string) bool
}

// FileContent is a file: known, or here, or at a URL.
type FileContent struct {
	workspace.File
	Known bool
	Data  string
	URL   string
}

// ReadFile reads a file.
func (s *Service) ReadFile(ctx context.Context, stream eventstore.Stream, r FileRead) (FileContent, error) {
	name, err := cleanPath(r.Path)
	if err != nil {
		return FileContent{}, err
	}
	var f workspace.File
	err = s.read(ctx, stream, func(now *fold.Session) error {
		var ok bool
		if f, ok = now.Tree.File(name); !ok {
			return noFile(name)
		}
		return nil
	})
	switch {
	case err != nil:
		return FileContent{}, err
	case r.Known(f.SHA256):
		return FileContent{File: f, Known: true}, nil
	case f.Bytes <= MaxFile:
		data, err := s.Journal.Load(ctx, stream, f.Content)
		return FileContent{File: f, Data: data}, err
	}
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": path.Base(name)})
	url, err := s.Door.FetchURL(ctx, eventstore.BlobKey{Stream: stream, SHA256: f.SHA256}, r.Method, f.ContentType, disposition, fetchLife)
	return FileContent{File: f, URL: url}, err
}

// read shows a session that exists.
func (s *Service) read(ctx context.Context, stream eventstore.Stream, see func(*fold.Session) error) error {
	if !eventstore.ValidID(stream.Session) {
		return noSession(stream)
	}
	return s.open(ctx, stream, func(now *fold.Session) error {
		if now.At.Seq() == 0 {
			return noSession(stream)
		}
		return see(now)
	})
}

func noSession(stream eventstore.Stream) error {
	return fault.New(fault.NotFound, "there is no session %.140q", stream.Session)
}

func noFile(path string) error { return fault.New(fault.NotFound, "there is no file %.1100q", path) }

func cleanPath(p string) (string, error) {
	clean, err := workspace.CleanPath(p)
	if err != nil {
		return "", fault.New(fault.InvalidPath, "%v", err)
	}
	return clean, nil
}

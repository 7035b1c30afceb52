package workspace

import (
	"mime"
	"net/http"
	"path"
	"strings"

	"windlass/eventstore/event"
)

// File is a file as it stands.
type File = event.WorkspaceWritten

// NewFile describes data under a path; content is data as it is kept.
func NewFile(path, data string, content event.Value) File {
	return File{Path: path, SHA256: content.SHA256(), Bytes: int64(len(data)), ContentType: ContentType(path, data), Content: content}
}

// Moved is a file under another path: the same bytes, where they stand. Its type
// stays, unless the new name stands for one.
func Moved(f File, to string) File {
	f.Path = to
	if t := TypeByName(to); t != "" {
		f.ContentType = t
	}
	return f
}

// types that the machine's own table, which differs from host to host, must not
// decide: the same turn leaves the same events everywhere.
var types = map[string]string{
	".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml", ".xml": "application/xml",
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
	".pdf": "application/pdf", ".zip": "application/zip",
}

// TypeByName is the media type that a file's name stands for; empty if it stands
// for none.
func TypeByName(p string) string { return types[strings.ToLower(path.Ext(p))] }

// ContentType is a file's media type, by its name, else by how it begins.
func ContentType(p, content string) string {
	if t := TypeByName(p); t != "" {
		return t
	}
	t := http.DetectContentType([]byte(content))
	if _, _, err := mime.ParseMediaType(t); err != nil {
		return "application/octet-stream"
	}
	return t
}

package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"windlass/eventstore/event"
)

// File is a file as it stands.
type File = event.WorkspaceWritten

// Tree is the files of a session. It is safe for concurrent use: a driver folds
// results while other calls of the round still read.
type Tree struct {
	mu    sync.RWMutex
	files map[string]File
	// paths are the files' names in order; nil since a name came or went.
	paths []string
}

// Apply adds one event. It is total.
func (t *Tree) Apply(e event.Event) {
	switch d := e.Data.(type) {
	case event.WorkspaceWritten:
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.files == nil {
			t.files = map[string]File{}
		}
		if _, known := t.files[d.Path]; !known {
			t.paths = nil
		}
		t.files[d.Path] = d
	case event.WorkspaceDeleted:
		t.mu.Lock()
		defer t.mu.Unlock()
		if _, known := t.files[d.Path]; known {
			delete(t.files, d.Path)
			t.paths = nil
		}
	}
}

// File returns a file.
func (t *Tree) File(path string) (File, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	f, ok := t.files[path]
	return f, ok
}

// Page returns up to limit files whose path begins with prefix and comes behind
// after, by path, and whether there are more. The order is kept from call to call.
func (t *Tree) Page(prefix, after string, limit int) (page []File, more bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.paths == nil {
		t.paths = slices.Sorted(maps.Keys(t.files))
	}
	from, found := slices.BinarySearch(t.paths, max(prefix, after))
	if found && after >= prefix {
		from++ // it is after itself
	}
	for _, p := range t.paths[from:] {
		switch {
		case !strings.HasPrefix(p, prefix):
			return page, false
		case len(page) == limit:
			return page, true
		}
		page = append(page, t.files[p])
	}
	return page, false
}

// View is the tree as a round's calls see it. It is safe for concurrent use.
type View struct {
	tree    *Tree
	mu      sync.Mutex
	written map[string]File
}

// NewView lays an empty view over a tree.
func NewView(t *Tree) *View { return &View{tree: t, written: map[string]File{}} }

// Read returns a file.
func (v *View) Read(path string) (File, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f, ok := v.written[path]; ok {
		return f, true
	}
	return v.tree.File(path)
}

// Put puts a file into the view; the event that makes it durable is the file
// itself.
func (v *View) Put(f File) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.written[f.Path] = f
}

// NewFile describes data under a path; content is data as it is kept.
func NewFile(path, data string, content event.Value) File {
	sum := sha256.Sum256([]byte(data))
	return File{Path: path, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), ContentType: ContentType(path, data), Content: content}
}

// List returns the files whose path begins with prefix, by path.
func (v *View) List(prefix string) []File {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tree.mu.RLock()
	defer v.tree.mu.RUnlock()
	var list []File
	for p, f := range v.tree.files {
		if _, newer := v.written[p]; !newer && strings.HasPrefix(p, prefix) {
			list = append(list, f)
		}
	}
	for p, f := range v.written {
		if strings.HasPrefix(p, prefix) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list
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

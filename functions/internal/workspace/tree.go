package workspace

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"windlass/eventstore/event"
)

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

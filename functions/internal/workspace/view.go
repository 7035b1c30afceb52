package workspace

import (
	"slices"
	"strings"
	"sync"

	"windlass/eventstore/event"
)

// View is the tree as a round's calls see it. It is safe for concurrent use.
type View struct {
	tree *Tree
	mu   sync.Mutex
	// changed are the files that calls of the round wrote; nil: deleted.
	changed map[string]*File
}

// NewView lays an empty view over a tree.
func NewView(t *Tree) *View { return &View{tree: t, changed: map[string]*File{}} }

// Read returns a file.
func (v *View) Read(path string) (File, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f, ok := v.changed[path]; ok {
		if f == nil {
			return File{}, false
		}
		return *f, true
	}
	return v.tree.File(path)
}

// Apply shows what a call did, all of it at once: the events that will make it
// durable, in their order. It is total.
func (v *View) Apply(did ...event.Payload) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, p := range did {
		switch d := p.(type) {
		case event.WorkspaceWritten:
			v.changed[d.Path] = &d
		case event.WorkspaceDeleted:
			v.changed[d.Path] = nil
		}
	}
}

// List returns the files whose path begins with prefix, by path.
func (v *View) List(prefix string) []File {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.tree.mu.RLock()
	defer v.tree.mu.RUnlock()
	var list []File
	for p, f := range v.tree.files {
		if _, newer := v.changed[p]; !newer && strings.HasPrefix(p, prefix) {
			list = append(list, f)
		}
	}
	for p, f := range v.changed {
		if f != nil && strings.HasPrefix(p, prefix) {
			list = append(list, *f)
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

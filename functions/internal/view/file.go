package view

import "windlass/eventstore/event"

// File is a file that came with a prompt, or that a model made: what it is, and not what
// is in it.
type File struct {
	Name string `json:"name,omitempty"`
	// Path is where it stood in the workspace when the log took note of it.
	Path  string `json:"path,omitempty"`
	Type  string `json:"type"`
	Bytes int64  `json:"bytes"`
	// Ref is where to fetch it as it was; absent of one that is short: its event holds it.
	Ref *event.Ref `json:"ref,omitempty"`
}

// FilesOf shows files.
func FilesOf(files []event.File) (all []File) {
	for _, f := range files {
		v := File{Name: f.Name, Path: f.Path, Type: f.Type, Bytes: f.Content.Len()}
		if ref, apart := f.Content.Ref(); apart {
			v.Ref = &ref
		}
		all = append(all, v)
	}
	return all
}

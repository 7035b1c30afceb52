package tool

import (
	"context"
	_ "embed"
	"time"
	"unicode/utf8"

	"windlass/functions/internal/workspace"
)

// Sizes of one page of a file, in bytes.
const (
	pageBytes    = 256 << 10
	maxPageBytes = 8 << 20
)

//go:embed workspace_read.md
var workspaceReadText string

type readArgs struct {
	Path     string `json:"path" jsonschema:"the file to read, such as /notes/todo.md"`
	Offset   int64  `json:"offset,omitempty" jsonschema:"the byte to begin at, from 0"`
	MaxBytes int64  `json:"max_bytes,omitempty" jsonschema:"how many bytes to read at most: 262144 if absent, never more than 8388608"`
}

var workspaceRead = Define(Tool{
	Name: "workspace_read", Description: workspaceReadText, Effect: Read, Timeout: 30 * time.Second,
}, func(a readArgs) string { return fileTarget(a.Path) }, read)

type readResult struct {
	Path       string `json:"path"`
	Bytes      int64  `json:"bytes"`
	Offset     int64  `json:"offset"`
	NextOffset int64  `json:"next_offset,omitempty"`
	Content    string `json:"content,omitempty"`
	// Base64 stands for Content where the bytes are not text.
	Base64 []byte `json:"base64,omitempty"`
}

func read(_ context.Context, env Env, a readArgs) (Result, error) {
	path, err := workspace.CleanPath(a.Path)
	if err != nil {
		return Result{}, failf("invalid_path", "%v", err)
	}
	if a.Offset < 0 || a.MaxBytes < 0 {
		return Result{}, failf("invalid_arguments", "offset and max_bytes are not negative")
	}
	f, ok := env.Workspace.Read(path)
	if !ok {
		return Result{}, failf("not_found", "there is no file %s", path)
	}
	size := a.MaxBytes
	if size == 0 {
		size = pageBytes
	}
	size = min(size, maxPageBytes)
	out := readPage(path, f, a.Offset, size)
	for len(out) > MaxOutput { // as JSON it is longer, by how much depends on the bytes
		size /= 2
		out = readPage(path, f, a.Offset, size)
	}
	return Result{Output: out}, nil
}

func readPage(path string, f workspace.File, offset, size int64) string {
	from, to := page(f.Content.Inline(), offset, size)
	r := readResult{Path: path, Bytes: f.Bytes, Offset: from}
	if part := f.Content.Inline()[from:to]; utf8.ValidString(part) {
		r.Content = part
	} else {
		r.Base64 = []byte(part)
	}
	if to < f.Bytes {
		r.NextOffset = to
	}
	return object(r)
}

// page cuts [offset, offset+size) out of s, moved so that it never cuts a
// character in two: an offset inside one moves on to the next, an end inside one
// moves back, and a page too small for its first character holds it all the
// same, so that reading on always gets on.
func page(s string, offset, size int64) (from, to int64) {
	n := int64(len(s))
	from = min(offset, n)
	to = min(from+size, n)
	if !utf8.ValidString(s) {
		return from, to
	}
	for from < n && !utf8.RuneStart(s[from]) {
		from++
	}
	to = max(to, from)
	for to < n && to > from && !utf8.RuneStart(s[to]) {
		to--
	}
	if to == from && from < n && size > 0 {
		_, width := utf8.DecodeRuneInString(s[from:])
		to = from + int64(width)
	}
	return from, to
}

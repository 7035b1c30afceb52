package tool

import (
	"context"
	_ "embed"
	"time"
	"unicode/utf8"

	"windlass/eventstore/event"
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
	Path       string `json:"path,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
	Bytes      int64  `json:"bytes"`
	Offset     int64  `json:"offset"`
	NextOffset int64  `json:"next_offset,omitempty"`
	Content    string `json:"content,omitempty"`
	// Base64 stands for Content where the bytes are not text.
	Base64 []byte `json:"base64,omitempty"`
}

func read(ctx context.Context, env Env, a readArgs) (Result, error) {
	path, err := cleanPath(a.Path)
	if err != nil {
		return Result{}, err
	}
	f, ok := env.Workspace.Read(path)
	if !ok {
		return Result{}, failf("not_found", "there is no file %s", path)
	}
	return readValue(ctx, env, readResult{Path: f.Path}, f.Content, a.Offset, a.MaxBytes)
}

// readValue gives a page of a value; r says what the value is.
func readValue(ctx context.Context, env Env, r readResult, v event.Value, offset, size int64) (Result, error) {
	if offset < 0 || size < 0 {
		return Result{}, failf("invalid_arguments", "offset and max_bytes are not negative")
	}
	if size == 0 {
		size = pageBytes
	}
	for size = min(size, maxPageBytes); ; size /= 2 { // as JSON it is longer, by how much depends on the bytes
		p, err := readPage(ctx, env, r, v, offset, size)
		if err != nil {
			return Result{}, err
		}
		if out := object(p); len(out) <= MaxOutput {
			return Result{Output: out}, nil
		}
	}
}

func readPage(ctx context.Context, env Env, r readResult, v event.Value, offset, size int64) (readResult, error) {
	offset = min(offset, v.Len())
	lead := min(offset, utf8.UTFMax-1) // shows whether the offset cuts a character
	window, err := env.Values.Load(ctx, v, offset-lead, lead+size+utf8.UTFMax)
	if err != nil {
		return readResult{}, err
	}
	from, to, isText := page(window, lead, size)
	r.Bytes, r.Offset = v.Len(), offset-lead+from
	if isText {
		r.Content = window[from:to]
	} else {
		r.Base64 = []byte(window[from:to])
	}
	if next := offset - lead + to; next < r.Bytes {
		r.NextOffset = next
	}
	return r, nil
}

// page cuts [at, at+size) out of a window, which reaches a character's length
// further to both sides unless the file ends before. Text is never cut in the
// middle of a character: an offset inside one moves on to the next, an end inside
// one moves back, and a page too small for its first character holds it all the
// same, so that reading on always gets on. Other bytes are cut where they were
// asked for.
func page(window string, at, size int64) (from, to int64, isText bool) {
	n := int64(len(window))
	from = afterCut(window, at)
	to = max(min(at+size, n), from)
	for back := 0; to < n && to > from && !utf8.RuneStart(window[to]) && back < utf8.UTFMax; back++ {
		to--
	}
	if to == from && from < n && size > 0 {
		_, width := utf8.DecodeRuneInString(window[from:])
		to = from + int64(width)
	}
	if utf8.ValidString(window[from:to]) {
		return from, to, true
	}
	return at, min(at+size, n), false
}

// afterCut is at, or the end of the character that at is inside of.
func afterCut(window string, at int64) int64 {
	for start := at - 1; start >= max(0, at-utf8.UTFMax+1); start-- {
		if r, width := utf8.DecodeRuneInString(window[start:]); utf8.RuneStart(window[start]) {
			if r != utf8.RuneError && start+int64(width) > at {
				return start + int64(width)
			}
			break
		}
	}
	return at
}

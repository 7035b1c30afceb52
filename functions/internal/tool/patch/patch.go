package patch

import (
	"fmt"
	"strings"
)

// Kind is what becomes of a file.
type Kind string

const (
	// Add makes a file that was not there.
	Add Kind = "add"
	// Update changes a file, its name, or both.
	Update Kind = "update"
	// Delete takes a file away.
	Delete Kind = "delete"
)

// Change is what a patch does to one file. Paths are as the patch has them, without
// the "a/" and "b/" of a diff.
type Change struct {
	Kind Kind
	Path string
	// To is the file's new name; empty if it keeps its own.
	To string
	// Content is the whole of a file that is added.
	Content string
	// Hunks are of an update; of a deletion they are what the file has to hold.
	Hunks []Hunk
}

// Hunk is one place of a file.
type Hunk struct {
	// N counts a change's hunks from 1; Line is where it begins in the patch.
	N, Line int
	// At is the line of the file that it says it begins at, from 1; 0: it does not.
	At int
	// Anchors are lines that stand above it, one above the other.
	Anchors []string
	// End: it reaches to the file's end.
	End bool

	lines []line
	// oldCut, newCut: the last line has no newline, before or after.
	oldCut, newCut bool
}

// line is one of a hunk; op is ' ', '-' or '+'.
type line struct {
	op   byte
	text string
}

// Codes of an [Error].
const (
	Invalid   = "invalid_patch"
	NoMatch   = "no_match"
	Ambiguous = "ambiguous"
	TooLarge  = "too_large"
)

// Error says what is wrong with a patch, or why it does not fit.
type Error struct{ Code, Message string }

func (e *Error) Error() string { return e.Code + ": " + e.Message }

func errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Parse reads a patch of either form. There is at least one change in it.
func Parse(text string) ([]Change, error) {
	r := newReader(text)
	r.skipBlank()
	first, ok := r.peek()
	if !ok {
		return nil, errorf(Invalid, "the patch is empty")
	}
	read := (*reader).unified
	if strings.HasPrefix(first, "*** ") {
		read = (*reader).begin
	}
	changes, err := read(r)
	if err != nil {
		return nil, err // never a nil *Error
	}
	return changes, nil
}

// reader goes through a patch line by line.
type reader struct {
	lines []string
	at    int
}

func newReader(text string) *reader {
	return &reader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
}

// peek is the line to come, without what ends it.
func (r *reader) peek() (string, bool) {
	if r.at == len(r.lines) {
		return "", false
	}
	return strings.TrimSuffix(r.lines[r.at], "\r"), true
}

func (r *reader) skipBlank() {
	for l, ok := r.peek(); ok && strings.TrimSpace(l) == ""; l, ok = r.peek() {
		r.at++
	}
}

// errorf is about the line to come.
func (r *reader) errorf(format string, args ...any) *Error {
	return errorf(Invalid, "line %d of the patch: %s", r.at+1, fmt.Sprintf(format, args...))
}

// clip shows a line of any length.
func clip(s string) string {
	const longest = 120
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return fmt.Sprintf("%q", s)
}

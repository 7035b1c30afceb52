package patch

import (
	"regexp"
	"strconv"
	"strings"
)

const noNewline = `\ No newline at end of file`

// ranges are what "@@ -12,3 +12,4 @@" says.
var ranges = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// freeHunk reads a hunk to where the next thing begins. Its "@@" lines may be
// absent, several, or with line numbers.
func (r *reader) freeHunk(ends func(string) bool) (Hunk, *Error) {
	h := Hunk{Line: r.at + 1}
	for l, ok := r.peek(); ok && strings.HasPrefix(l, "@@"); l, ok = r.peek() {
		if m := ranges.FindStringSubmatch(l); m != nil {
			h.At, _ = strconv.Atoi(m[1])
		} else if anchor := strings.TrimPrefix(l[2:], " "); strings.TrimSpace(anchor) != "" {
			h.Anchors = append(h.Anchors, anchor)
		}
		r.at++
	}
	for l, ok := r.peek(); ok && !strings.HasPrefix(l, "@@") && !ends(l); l, ok = r.peek() {
		if err := r.body(&h); err != nil {
			return h, err
		}
	}
	if l, _ := r.peek(); strings.TrimSpace(l) == endOfFile {
		h.End = true
		r.at++
	} else {
		h.dropBlank()
	}
	return h, r.changes(h)
}

// body reads one line of a hunk. An empty one is context: what writes patches drops
// spaces at a line's end.
func (r *reader) body(h *Hunk) *Error {
	l := r.lines[r.at]
	switch {
	case l == "" || l == "\r":
		h.lines = append(h.lines, line{' ', l})
	case l[0] == ' ' || l[0] == '-' || l[0] == '+':
		h.lines = append(h.lines, line{l[0], l[1:]})
	case strings.HasPrefix(l, `\ `):
		return r.cut(h)
	default:
		return r.errorf(`%s begins neither with " ", "-" nor "+"`, clip(l))
	}
	r.at++
	return nil
}

// cut notes that the line before has no newline.
func (r *reader) cut(h *Hunk) *Error {
	if len(h.lines) == 0 {
		return r.errorf("%q follows no line", noNewline)
	}
	op := h.lines[len(h.lines)-1].op
	h.oldCut = h.oldCut || op != '+'
	h.newCut = h.newCut || op != '-'
	r.at++
	return nil
}

// dropBlank takes off the blank lines that separate a hunk from what follows. Where
// they were meant as context, nothing is lost but context.
func (h *Hunk) dropBlank() {
	for n := len(h.lines) - 1; n > 0 && h.lines[n].op == ' ' && strings.TrimSuffix(h.lines[n].text, "\r") == ""; n-- {
		h.lines = h.lines[:n]
	}
}

func (r *reader) changes(h Hunk) *Error {
	for _, l := range h.lines {
		if l.op != ' ' {
			return nil
		}
	}
	return errorf(Invalid, "line %d of the patch: the hunk has no line that begins with - or +", h.Line)
}

// side are the lines that the hunk has before ('-') or after ('+').
func (h *Hunk) side(op byte) []string {
	var all []string
	for _, l := range h.lines {
		if l.op == ' ' || l.op == op {
			all = append(all, l.text)
		}
	}
	return all
}

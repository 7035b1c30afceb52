package patch

import (
	"fmt"
	"strings"
)

// several is the error of a hunk that fits at more places than one.
func several(h *Hunk, found []int) *Error {
	const shown = 5
	var at []string
	for _, f := range found[:min(len(found), shown)] {
		at = append(at, fmt.Sprint(f+1))
	}
	more := ""
	if len(found) > shown {
		more = fmt.Sprintf(" and %d more", len(found)-shown)
	}
	return errorf(Ambiguous, "hunk %d (line %d of the patch) fits at lines %s%s: give more lines around it", h.N, h.Line, strings.Join(at, ", "), more)
}

// Bounds of the search for what a hunk may have meant.
const (
	nearLines  = 40
	nearPlaces = 20
	nearLength = 200
)

// near is the error of a hunk that fits nowhere: it shows where most of it does.
func (d *document) near(h *Hunk, old []string) *Error {
	begin := fmt.Sprintf("hunk %d (line %d of the patch) does not fit", h.N, h.Line)
	if h.End || h.oldCut {
		begin += " at the end of the file"
	}
	from, same := d.nearest(old)
	if same == 0 {
		return errorf(NoMatch, "%s: none of its lines %s… is in the file, which has %d lines%s; read it again", begin, clip(old[0]), len(d.lines), d.said(h))
	}
	if from >= 0 && same == len(old) && from < d.at {
		return errorf(NoMatch, "%s: it stands at line %d, above the hunk before it; give hunks in the file's order", begin, from+1)
	}
	for i, l := range old {
		at := from + i
		switch {
		case at < 0:
		case at >= len(d.lines):
			return errorf(NoMatch, "%s: nearest is line %d, but the file ends before %s", begin, from+1, clip(l))
		case loosely.of(d.lines[at]) != loosely.of(l):
			return errorf(NoMatch, "%s: nearest is line %d, but line %d is %s, not %s", begin, max(from, 0)+1, at+1, clip(d.lines[at]), clip(l))
		}
	}
	return errorf(NoMatch, "%s: its lines stand at line %d", begin, max(from, 0)+1)
}

// said shows the line that a hunk names.
func (d *document) said(h *Hunk) string {
	if at := h.At - 1 + d.shift; h.At > 0 && at >= 0 && at < len(d.lines) {
		return fmt.Sprintf(" (line %d is %s)", at+1, clip(d.lines[at]))
	}
	return ""
}

// nearest is where the most of the lines stand in their places, and how many.
func (d *document) nearest(old []string) (from, same int) {
	index := d.indexed(loosely)
	for i, l := range old[:min(len(old), nearLines)] {
		if strings.TrimSpace(l) == "" {
			continue
		}
		places := index[loosely.of(l)]
		for _, at := range places[:min(len(places), nearPlaces)] {
			if n := d.same(old, at-i); n > same {
				from, same = at-i, n
			}
		}
	}
	return from, same
}

// same is how many of the lines stand at their places, if the first one is at from.
func (d *document) same(old []string, from int) (n int) {
	for i, l := range old[:min(len(old), nearLength)] {
		if at := from + i; at >= 0 && at < len(d.lines) && loosely.of(d.lines[at]) == loosely.of(l) {
			n++
		}
	}
	return n
}

package patch

import (
	"strconv"
	"strings"
)

// hunk reads a hunk by its counts, so that a line that is taken out may look like a
// header. Models count wrongly: then it reaches to what follows it.
func (r *reader) hunk() (Hunk, *Error) {
	from := r.at
	if h, ok := r.countedHunk(); ok {
		return h, r.changes(h)
	}
	r.at = from
	return r.freeHunk(r.fileBegins)
}

func (r *reader) countedHunk() (Hunk, bool) {
	l, _ := r.peek()
	m := ranges.FindStringSubmatch(l)
	if m == nil {
		return Hunk{}, false
	}
	h := Hunk{Line: r.at + 1}
	h.At, _ = strconv.Atoi(m[1])
	old, next := count(m[2]), count(m[4])
	for r.at++; old > 0 || next > 0; {
		if l, more := r.peek(); !more || strings.HasPrefix(l, "@@") || r.body(&h) != nil {
			return h, false
		}
		if strings.HasPrefix(r.lines[r.at-1], `\`) {
			continue
		}
		switch h.lines[len(h.lines)-1].op {
		case '-':
			old--
		case '+':
			next--
		default:
			old, next = old-1, next-1
		}
	}
	if l, _ := r.peek(); strings.HasPrefix(l, `\ `) && r.cut(&h) != nil {
		return h, false
	}
	return h, old == 0 && next == 0 && r.hunkEnds()
}

// count is how many lines a range has: one, if it does not say.
func count(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s)
	return n
}

// hunkEnds reports whether what comes cannot belong to a hunk.
func (r *reader) hunkEnds() bool {
	at := r.at
	defer func() { r.at = at }()
	r.skipBlank()
	l, more := r.peek()
	return !more || strings.HasPrefix(l, "@@") || r.fileBegins(l)
}

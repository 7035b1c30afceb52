package patch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const devNull = "/dev/null"

// header is what a diff says of a file before its hunks.
type header struct {
	git          string // of "diff --git"
	old, new     string // of "---" and "+++"
	from, to     string // of "rename from" and "rename to"
	added, taken bool
	line         int
}

// errorf is about the file whose headers these are.
func (h *header) errorf(format string, args ...any) *Error {
	return errorf(Invalid, "line %d of the patch: %s", h.line, fmt.Sprintf(format, args...))
}

func (r *reader) unified() ([]Change, *Error) {
	var all []Change
	for r.skipBlank(); r.at < len(r.lines); r.skipBlank() {
		c, err := r.file()
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// file reads one file's headers and hunks.
func (r *reader) file() (Change, *Error) {
	h, err := r.header()
	if err != nil {
		return Change{}, err
	}
	c, err := h.change()
	if err != nil {
		return c, err
	}
	for r.skipBlankBefore("@@"); ; r.skipBlankBefore("@@") {
		if l, _ := r.peek(); h.old == "" || !strings.HasPrefix(l, "@@") {
			break
		}
		one, err := r.hunk()
		if err != nil {
			return c, err
		}
		one.N = len(c.Hunks) + 1
		c.Hunks = append(c.Hunks, one)
	}
	return c.complete(h)
}

// passed are lines of git's headers that say nothing about names and texts.
var passed = []string{"index ", "old mode ", "new mode ", "similarity index ", "dissimilarity index "}

func (r *reader) header() (header, *Error) {
	h := header{line: r.at + 1}
	l, _ := r.peek()
	if rest, ok := strings.CutPrefix(l, "diff --git "); ok {
		h.git = rest
		for ok {
			r.at++
			l, _ = r.peek()
			ok = h.extended(l)
		}
	}
	switch {
	case strings.HasPrefix(l, "Binary files "), strings.HasPrefix(l, "GIT binary patch"), strings.HasPrefix(l, "copy from "):
		return h, r.errorf("%s: a patch can neither change binary files nor copy", clip(l))
	case strings.HasPrefix(l, "--- "):
		err := r.sides(&h)
		return h, err
	case h.git == "":
		return h, r.errorf("%s: a file begins with %q and %q, or the patch with %q", clip(l), "--- a/path", "+++ b/path", beginPatch)
	}
	return h, nil
}

// sides reads the lines that begin with "---" and "+++".
func (r *reader) sides(h *header) *Error {
	l, _ := r.peek()
	h.old = name(strings.TrimPrefix(l, "--- "))
	r.at++
	l, _ = r.peek()
	next, ok := strings.CutPrefix(l, "+++ ")
	if !ok {
		return r.errorf("%s: a line with %q follows that with %q", clip(l), "+++ ", "--- ")
	}
	if h.new = name(next); h.old == "" || h.new == "" {
		return r.errorf("%s, or the line above, names no file", clip(l))
	}
	r.at++
	return nil
}

// extended reads a line of git's headers, if it is one.
func (h *header) extended(l string) bool {
	if from, ok := strings.CutPrefix(l, "rename from "); ok {
		h.from = name(from)
		return true
	}
	if to, ok := strings.CutPrefix(l, "rename to "); ok {
		h.to = name(to)
		return true
	}
	h.added = h.added || strings.HasPrefix(l, "new file mode ")
	h.taken = h.taken || strings.HasPrefix(l, "deleted file mode ")
	return strings.HasPrefix(l, "new file mode ") || strings.HasPrefix(l, "deleted file mode ") ||
		slices.ContainsFunc(passed, func(p string) bool { return strings.HasPrefix(l, p) })
}

// name reads a file's name: a time may follow it, and git quotes unusual ones.
func name(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, `"`) {
		plain, err := strconv.Unquote(s)
		if err != nil {
			return ""
		}
		return plain
	}
	return s
}

// change is what the headers say, without the hunks.
func (h *header) change() (Change, *Error) {
	old, next := h.names()
	switch {
	case old == "" || next == "" || old == devNull && next == devNull:
		return Change{}, h.errorf("the headers do not say which file is meant")
	case h.from != "" && (h.from != old || h.to != next), h.from == "" && h.to != "":
		return Change{}, h.errorf("the headers name several files")
	case old == devNull:
		return Change{Kind: Add, Path: next}, nil
	case next == devNull:
		return Change{Kind: Delete, Path: old}, nil
	case old != next && h.from == "":
		return Change{}, h.errorf("%s and %s are two files; a new name is said by lines with %q and %q", clip(old), clip(next), "rename from", "rename to")
	case old != next:
		return Change{Kind: Update, Path: old, To: next}, nil
	}
	return Change{Kind: Update, Path: old}, nil
}

// names are those of the file before and after. Of "a/x" and "b/x" the prefixes are
// taken off, both or none.
func (h *header) names() (old, next string) {
	old, next = h.old, h.new
	if old == "" && h.from != "" {
		return h.from, h.to
	}
	if old == "" {
		if old, next = h.gitNames(); h.added {
			old = devNull
		} else if h.taken {
			next = devNull
		}
	}
	a, isA := strings.CutPrefix(old, "a/")
	b, isB := strings.CutPrefix(next, "b/")
	if (isA || old == devNull) && (isB || next == devNull) {
		return a, b
	}
	return old, next
}

// gitNames are those of "diff --git", which says one name twice.
func (h *header) gitNames() (old, next string) {
	for at := range h.git {
		if h.git[at] != ' ' {
			continue
		}
		old, next = name(h.git[:at]), name(h.git[at+1:])
		if strings.TrimPrefix(old, "a/") == strings.TrimPrefix(next, "b/") {
			return old, next
		}
	}
	return "", ""
}

// complete checks the hunks against what becomes of the file.
func (c Change) complete(h header) (Change, *Error) {
	switch {
	case c.Kind == Add:
		return c.whole(h)
	case c.Kind == Update && len(c.Hunks) == 0 && c.To == "":
		return c, h.errorf("nothing is said of what changes in %s", clip(c.Path))
	}
	return c, nil
}

// whole puts a new file's content together.
func (c Change) whole(h header) (Change, *Error) {
	if len(c.Hunks) > 1 || len(c.Hunks) == 1 && len(c.Hunks[0].side('-')) > 0 {
		return c, h.errorf("a new file has one hunk, and only lines that begin with %q", "+")
	}
	if len(c.Hunks) == 1 {
		c.Content = strings.Join(c.Hunks[0].side('+'), "\n")
		if !c.Hunks[0].newCut {
			c.Content += "\n"
		}
	}
	c.Hunks = nil
	return c, nil
}

// fileBegins reports whether the line to come, l, begins another file.
func (r *reader) fileBegins(l string) bool {
	if strings.HasPrefix(l, "diff --git ") {
		return true
	}
	return strings.HasPrefix(l, "--- ") && r.at+1 < len(r.lines) && strings.HasPrefix(r.lines[r.at+1], "+++ ")
}

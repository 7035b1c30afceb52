package patch

import "strings"

// Lines of the form that begins with "*** Begin Patch".
const (
	beginPatch = "*** Begin Patch"
	endPatch   = "*** End Patch"
	addFile    = "*** Add File: "
	updateFile = "*** Update File: "
	deleteFile = "*** Delete File: "
	moveTo     = "*** Move to: "
	endOfFile  = "*** End of File"
)

func (r *reader) begin() ([]Change, *Error) {
	if l, _ := r.peek(); strings.TrimSpace(l) != beginPatch {
		return nil, r.errorf("it begins with %s, not with %q", clip(l), beginPatch)
	}
	r.at++
	var all []Change
	for {
		r.skipBlank()
		l, ok := r.peek()
		switch {
		case !ok:
			return nil, r.errorf("the patch ends without %q: was it cut off?", endPatch)
		case strings.TrimSpace(l) == endPatch:
			return all, r.endAll(len(all))
		}
		c, err := r.section(l)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
}

func (r *reader) endAll(changes int) *Error {
	r.at++
	r.skipBlank()
	if _, more := r.peek(); more {
		return r.errorf("something follows %q", endPatch)
	}
	if changes == 0 {
		return errorf(Invalid, "the patch changes no file")
	}
	return nil
}

// section reads what is said of one file.
func (r *reader) section(header string) (Change, *Error) {
	r.at++
	if path, ok := strings.CutPrefix(header, addFile); ok {
		return r.added(strings.TrimSpace(path))
	}
	if path, ok := strings.CutPrefix(header, deleteFile); ok {
		return Change{Kind: Delete, Path: strings.TrimSpace(path)}, nil
	}
	if path, ok := strings.CutPrefix(header, updateFile); ok {
		return r.updated(strings.TrimSpace(path))
	}
	r.at--
	return Change{}, r.errorf("%s is none of %q, %q and %q", clip(header), addFile, updateFile, deleteFile)
}

func (r *reader) added(path string) (Change, *Error) {
	var content strings.Builder
	for ; r.at < len(r.lines); r.at++ {
		text, ok := strings.CutPrefix(r.lines[r.at], "+")
		if !ok {
			break
		}
		content.WriteString(text + "\n")
	}
	r.skipBlank()
	if l, more := r.peek(); more && !strings.HasPrefix(l, "*** ") {
		return Change{}, r.errorf("%s: every line of a new file begins with %q", clip(l), "+")
	}
	return Change{Kind: Add, Path: path, Content: content.String()}, nil
}

func (r *reader) updated(path string) (Change, *Error) {
	c := Change{Kind: Update, Path: path}
	if l, _ := r.peek(); strings.HasPrefix(l, moveTo) {
		c.To = strings.TrimSpace(strings.TrimPrefix(l, moveTo))
		r.at++
	}
	for {
		r.skipBlankBefore("*** ", "@@")
		if l, ok := r.peek(); !ok || strings.HasPrefix(l, "*** ") {
			break
		}
		h, err := r.freeHunk(func(l string) bool { return strings.HasPrefix(l, "*** ") })
		if err != nil {
			return c, err
		}
		h.N = len(c.Hunks) + 1
		c.Hunks = append(c.Hunks, h)
	}
	if len(c.Hunks) == 0 && c.To == "" {
		return c, r.errorf("nothing is said of what changes in %s", clip(path))
	}
	return c, nil
}

// skipBlankBefore skips blank lines if one of the beginnings, or the end, follows.
func (r *reader) skipBlankBefore(begins ...string) {
	from := r.at
	r.skipBlank()
	l, more := r.peek()
	for _, b := range begins {
		if strings.HasPrefix(l, b) {
			return
		}
	}
	if more {
		r.at = from
	}
}

package patch

import (
	"slices"
	"strings"
)

// Apply gives what becomes of a text by an update's hunks, or by a deletion's, and
// how many of them fit only without regard to spaces. Newlines are kept as the text
// has them, CRLF and a missing last one too, unless the patch says otherwise. The
// error is an [*Error] that names the hunk.
func (c Change) Apply(old string) (text string, loose int, err error) {
	if len(c.Hunks) == 0 {
		return old, 0, nil
	}
	d := split(old)
	var out []string
	for i := range c.Hunks {
		p, err := d.place(&c.Hunks[i])
		if err != nil {
			return "", 0, err
		}
		out = append(out, d.lines[d.at:p.from]...)
		out = d.replace(out, &c.Hunks[i], p)
		d.at = p.to
		if p.how != exactly {
			loose++
		}
	}
	out = append(out, d.lines[d.at:]...)
	return d.join(out, &c.Hunks[len(c.Hunks)-1]), loose, nil
}

// document is a text in the course of being patched.
type document struct {
	// lines are without "\n"; "\r" belongs to its line.
	lines []string
	cut   bool // the last line has no newline
	at    int  // the line up to which hunks have been placed
	shift int  // by how much the last one stood below where it said
	work  int  // lines compared
	index [levels]map[string][]int
}

func split(text string) *document {
	if text == "" {
		return &document{}
	}
	whole := strings.TrimSuffix(text, "\n")
	return &document{lines: strings.Split(whole, "\n"), cut: whole == text}
}

// replace writes a hunk as it is after. Context stays as the file has it. Where it
// fits loosely, what is new ends its lines like those around it.
func (d *document) replace(out []string, h *Hunk, p place) []string {
	at, crlf := p.from, d.crlf(p.from)
	for _, l := range h.lines {
		switch {
		case l.op == ' ':
			out = append(out, d.lines[at])
			at++
		case l.op == '-':
			at++
		case p.how == exactly:
			out = append(out, l.text)
		case crlf:
			out = append(out, strings.TrimSuffix(l.text, "\r")+"\r")
		default:
			out = append(out, strings.TrimSuffix(l.text, "\r"))
		}
	}
	return out
}

// crlf reports how a line ends, or the last one.
func (d *document) crlf(at int) bool {
	at = min(at, len(d.lines)-1)
	return at >= 0 && strings.HasSuffix(d.lines[at], "\r")
}

// join makes a text again. Of a last newline the patch decides if it speaks of it.
func (d *document) join(lines []string, last *Hunk) string {
	if len(lines) == 0 {
		return ""
	}
	cut := d.cut
	if d.at == len(d.lines) && (last.oldCut || last.newCut) {
		cut = last.newCut
	}
	text := strings.Join(lines, "\n")
	if cut {
		return text
	}
	return text + "\n"
}

// place is where a hunk goes: instead of the lines from, up to, to.
type place struct {
	from, to int
	how      level
}

// place finds the one place for a hunk.
func (d *document) place(h *Hunk) (place, error) {
	old := h.side('-')
	if len(old) == 0 {
		return d.placeNew(h)
	}
	if missing, ok := d.anchored(h); !ok {
		return place{}, errorf(NoMatch, "hunk %d (line %d of the patch): the line %s that stands above it is not in the file below line %d", h.N, h.Line, clip(missing), d.at)
	}
	for how := exactly; how < levels; how++ {
		found, err := d.find(h, old, how)
		switch {
		case err != nil:
			return place{}, err
		case len(found) > 1:
			return place{}, several(h, found)
		case len(found) == 1:
			if h.At > 0 {
				d.shift = found[0] - (h.At - 1)
			}
			return place{found[0], found[0] + len(old), how}, nil
		}
	}
	return place{}, d.near(h, old)
}

// placeNew is for a hunk that holds only what is new.
func (d *document) placeNew(h *Hunk) (place, error) {
	end := len(d.lines)
	if !h.End && end > 0 {
		return place{}, errorf(NoMatch, "hunk %d (line %d of the patch) has only new lines: give lines around them, as they are, so that it is clear where they go", h.N, h.Line)
	}
	how := exactly
	if h.End {
		how = atEnds // lines end like the last one
	}
	return place{end, end, how}, nil
}

// find are the places where a hunk may go. The line that it names is enough to tell
// one from others.
func (d *document) find(h *Hunk, old []string, how level) ([]int, error) {
	if h.End || h.oldCut {
		if from := len(d.lines) - len(old); from >= d.at && d.fits(old, from, how) {
			return []int{from}, nil
		}
		return nil, nil
	}
	if said := h.At - 1 + d.shift; h.At > 0 && said >= d.at && d.fits(old, said, how) {
		return []int{said}, nil
	}
	found, err := d.search(old, how)
	if err != nil {
		return nil, err
	}
	if len(h.Anchors) == 0 {
		return found, nil
	}
	return d.below(h.Anchors, found), nil
}

// below keeps, for each place of the anchors, the first of the places found below.
func (d *document) below(anchors []string, found []int) []int {
	var some []int
	for _, from := range d.anchors(anchors) {
		if i, _ := slices.BinarySearch(found, from); i < len(found) {
			some = append(some, found[i])
		}
	}
	return slices.Compact(some)
}

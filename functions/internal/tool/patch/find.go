package patch

import (
	"slices"
	"strings"
)

// level is how strictly lines are compared.
type level int

const (
	exactly level = iota
	atEnds        // spaces at a line's end do not count
	loosely       // nor at its beginning
	levels
)

func (l level) of(s string) string {
	switch l {
	case atEnds:
		return strings.TrimRight(s, " \t\r")
	case loosely:
		return strings.Trim(s, " \t\r")
	}
	return s
}

// maxWork bounds the lines that are compared for one file.
const maxWork = 50_000_000

// fits reports whether the lines stand at from.
func (d *document) fits(old []string, from int, how level) bool {
	if from < 0 || from > len(d.lines)-len(old) {
		return false
	}
	for i, l := range old {
		d.work++
		if how.of(d.lines[from+i]) != how.of(l) {
			return false
		}
	}
	return true
}

// search returns all places where the lines stand behind the last hunk, in order.
// Only those are looked at that have the rarest of the lines.
func (d *document) search(old []string, how level) ([]int, error) {
	index := d.indexed(how)
	rarest := 0
	for i, l := range old {
		if len(index[how.of(l)]) < len(index[how.of(old[rarest])]) {
			rarest = i
		}
	}
	var found []int
	for _, at := range index[how.of(old[rarest])] {
		if from := at - rarest; from >= d.at && d.fits(old, from, how) {
			found = append(found, from)
		}
		if d.work > maxWork {
			return nil, errorf(TooLarge, "the file repeats itself too often to find a hunk's place; write the whole file instead")
		}
	}
	return found, nil
}

// indexed is where each line stands.
func (d *document) indexed(how level) map[string][]int {
	if d.index[how] == nil {
		index := make(map[string][]int, len(d.lines))
		for i, l := range d.lines {
			l = how.of(l)
			index[l] = append(index[l], i)
		}
		d.index[how] = index
	}
	return d.index[how]
}

// anchored says which of a hunk's anchors is not there.
func (d *document) anchored(h *Hunk) (missing string, ok bool) {
	for n := range h.Anchors {
		if len(d.anchors(h.Anchors[:n+1])) == 0 {
			return h.Anchors[n], false
		}
	}
	return "", true
}

// anchors returns where the last of the anchors stands, below the others, for each
// place where the first stands. Spaces around a line do not count: "@@ func f()" is
// written without them.
func (d *document) anchors(all []string) []int {
	index := d.indexed(loosely)
	var ends []int
	for _, at := range index[loosely.of(all[0])] {
		if at < d.at {
			continue
		}
		for _, next := range all[1:] {
			places := index[loosely.of(next)]
			i, _ := slices.BinarySearch(places, at+1)
			if at = len(d.lines); i < len(places) {
				at = places[i]
			}
		}
		if at < len(d.lines) {
			ends = append(ends, at)
		}
	}
	return slices.Compact(ends)
}

package tool

import (
	"strings"
	"unicode/utf8"
)

// Sizes in bytes of what is read of a file at once, of what counts as one line, and of
// what is shown of one.
const (
	searchPage  = 1 << 20
	longestLine = 64 << 10
	shownLine   = 400
)

// lines takes a text apart that comes in pages.
type lines struct {
	rest   string
	number int
}

type numbered struct {
	text   string
	number int
}

// next is the next line, without what ends it; one that is too long comes in pieces.
// Without the last page it is not known where the last line ends.
func (l *lines) next(last bool) (numbered, bool) {
	at := strings.IndexByte(l.rest[:min(len(l.rest), longestLine)], '\n')
	switch {
	case at >= 0:
		line := numbered{strings.TrimSuffix(l.rest[:at], "\r"), l.number}
		l.rest, l.number = l.rest[at+1:], l.number+1
		return line, true
	case len(l.rest) > longestLine:
		at = longestLine
		for back := 1; back < utf8.UTFMax && !utf8.RuneStart(l.rest[at]); back++ {
			at--
		}
	case last && l.rest != "":
		at = len(l.rest)
	default:
		return numbered{}, false
	}
	piece := numbered{l.rest[:at], l.number}
	l.rest = l.rest[at:]
	return piece, true
}

// shown is what is shown of a line that matches at a byte of it.
func shown(line string, at int) string {
	from := max(0, min(at-shownLine/4, len(line)-shownLine))
	to := min(len(line), from+shownLine)
	text := strings.ToValidUTF8(line[from:to], "") // characters that were cut
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

package preview

import "unicode/utf8"

// maxKept is how much of a text is kept for those who are behind, in bytes; twice as
// much until it is cut.
const maxKept = 256 << 10

// said is the end of one text. Bytes that are no character are U+FFFD in it: frames
// and rows hold nothing else, and offsets must agree with them.
type said struct {
	kept []byte
	from int
	// rest is the beginning of a character whose end did not come yet.
	rest string
}

func (s *said) end() int { return s.from + len(s.kept) }

func (s *said) add(chunk string) {
	if s.rest == "" && utf8.ValidString(chunk) {
		s.kept = append(s.kept, chunk...)
	} else {
		s.mend(s.rest + chunk)
	}
	if over := len(s.kept) - maxKept; over > maxKept {
		s.drop(over)
	}
}

func (s *said) mend(chunk string) {
	for s.rest = ""; chunk != ""; {
		r, n := utf8.DecodeRuneInString(chunk)
		if r == utf8.RuneError && n == 1 && !utf8.FullRuneInString(chunk) {
			s.rest = chunk
			return
		}
		s.kept = utf8.AppendRune(s.kept, r)
		chunk = chunk[n:]
	}
}

// drop lets go of the first n bytes, or a character less.
func (s *said) drop(n int) {
	n = start(s.kept, n)
	s.from += n
	s.kept = append(s.kept[:0], s.kept[n:]...)
}

// after is what follows an offset, as far as it is kept, and at most so much of it.
func (s *said) after(offset, most int) Piece {
	from := max(offset, s.from)
	rest := s.kept[from-s.from:]
	if len(rest) > most {
		rest = rest[:start(rest, most)]
	}
	return Piece{from, string(rest)}
}

// newest is the text's end, at most so much.
func (s *said) newest(most int) Piece {
	n := 0
	if over := len(s.kept) - most; over > 0 {
		n = over
		for n < len(s.kept) && !utf8.RuneStart(s.kept[n]) {
			n++
		}
	}
	return Piece{s.from + n, string(s.kept[n:])}
}

// start is the place at or before n where a character begins.
func start(b []byte, n int) int {
	for n > 0 && n < len(b) && !utf8.RuneStart(b[n]) {
		n--
	}
	return n
}

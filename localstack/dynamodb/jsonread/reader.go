package jsonread

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// maxDepth bounds nesting (and with it our stack). DynamoDB's own limit of 32
// levels of attributes needs two levels of JSON for each.
const maxDepth = 80

// ErrSyntax is wrapped by every error of the reader's own.
var ErrSyntax = errors.New("invalid JSON")

// Reader reads one text. It does not keep the text: every string is a copy.
type Reader struct {
	text  []byte
	pos   int
	depth int
	err   error
}

// New returns a reader of text.
func New(text []byte) *Reader { return &Reader{text: text} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Fail makes err the first error, unless there is one.
func (r *Reader) Fail(err error) {
	if r.err == nil && err != nil {
		r.err = err
	}
}

func (r *Reader) syntax(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w at byte %d: %s", ErrSyntax, r.pos, fmt.Sprintf(format, args...))
	}
}

// peek skips white space and returns the next byte, 0 at the end or after an
// error.
func (r *Reader) peek() byte {
	if r.err != nil {
		return 0
	}
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; c {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return c
		}
	}
	return 0
}

func (r *Reader) expect(c byte) bool {
	if r.peek() != c || r.err != nil {
		r.syntax("%q expected", c)
		return false
	}
	r.pos++
	return true
}

// End demands that nothing but white space is left.
func (r *Reader) End() {
	if r.peek() != 0 || r.pos < len(r.text) {
		r.syntax("text after the value")
	}
}

// Object yields the name of each member, in the text's order. The body of the
// loop must read the member's value. A name may come twice; that is for the
// caller to refuse.
func (r *Reader) Object() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !r.open('{') {
			return
		}
		for first := true; r.more('}', first); first = false {
			name := r.String()
			if !r.expect(':') || !yield(name) {
				return
			}
		}
	}
}

// Array yields once before each element. The body of the loop must read it.
func (r *Reader) Array() iter.Seq[int] {
	return func(yield func(int) bool) {
		if !r.open('[') {
			return
		}
		for i := 0; r.more(']', i == 0); i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func (r *Reader) open(c byte) bool {
	if !r.expect(c) {
		return false
	}
	if r.depth++; r.depth > maxDepth {
		r.syntax("nested too deeply")
		return false
	}
	return true
}

// more reports whether another member follows, and consumes comma or end.
func (r *Reader) more(end byte, first bool) bool {
	c := r.peek()
	switch {
	case r.err != nil:
		return false
	case c == end:
		r.pos++
		r.depth--
		return false
	case first:
		return true
	case c == ',':
		r.pos++
		return true
	}
	r.syntax("',' or %q expected", end)
	return false
}

// Null consumes a null if one is next.
func (r *Reader) Null() bool {
	if r.peek() != 'n' {
		return false
	}
	r.word("null")
	return r.err == nil
}

// Bool reads true or false.
func (r *Reader) Bool() bool {
	if r.peek() == 't' {
		r.word("true")
		return r.err == nil
	}
	r.word("false")
	return false
}

func (r *Reader) word(w string) {
	r.peek()
	if r.err != nil {
		return
	}
	if end := r.pos + len(w); end > len(r.text) || string(r.text[r.pos:end]) != w {
		r.syntax("%s expected", w)
		return
	}
	r.pos += len(w)
}

// Int reads an integer of at most 18 digits.
func (r *Reader) Int() int64 {
	r.peek()
	start := r.pos
	for r.err == nil && r.pos < len(r.text) && isNumeric(r.text[r.pos]) {
		r.pos++
	}
	word := string(r.text[start:min(r.pos, start+20)])
	n, err := strconv.ParseInt(word, 10, 64)
	digits := strings.TrimPrefix(word, "-")
	if err != nil || r.pos-start > 19 || word[0] == '+' || word == "-0" || len(digits) > 1 && digits[0] == '0' {
		r.syntax("integer expected")
		return 0
	}
	return n
}

func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

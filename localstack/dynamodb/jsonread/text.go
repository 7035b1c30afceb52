package jsonread

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// String reads a string.
func (r *Reader) String() string {
	if !r.expect('"') {
		return ""
	}
	rest := r.text[r.pos:]
	n := plain(rest)
	if n < len(rest) && rest[n] == '"' {
		r.pos += n + 1
		return r.valid(rest[:n])
	}
	return r.escaped(rest, n)
}

// plain counts the bytes before a quote, a backslash or a control character.
func plain(text []byte) int {
	for i, c := range text {
		if c == '"' || c == '\\' || c < ' ' {
			return i
		}
	}
	return len(text)
}

func (r *Reader) valid(text []byte) string {
	if !utf8.Valid(text) {
		r.syntax("invalid UTF-8")
		return ""
	}
	return string(text)
}

// escaped reads a string with escapes; n bytes are known to be plain.
func (r *Reader) escaped(rest []byte, n int) string {
	out := make([]byte, 0, closing(rest, n))
	for i := 0; ; {
		n := plain(rest[i:])
		out = append(out, rest[i:i+n]...)
		i += n
		if i >= len(rest) || rest[i] < ' ' {
			r.syntax("unterminated string")
			return ""
		}
		if rest[i] == '"' {
			r.pos += i + 1
			return r.valid(out)
		}
		used, ok := 0, false
		if out, used, ok = unescape(out, rest[i:]); !ok {
			r.syntax("invalid escape in a string")
			return ""
		}
		i += used
	}
}

// closing finds the quote that ends the string, or the end of the text, so that
// a long string is allocated once.
func closing(text []byte, i int) int {
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return min(i, len(text))
}

// unescape appends the character that text, which begins with a backslash,
// stands for. A lone surrogate has no character.
func unescape(out, text []byte) (_ []byte, used int, ok bool) {
	if len(text) < 2 {
		return out, 0, false
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return append(out, c), 2, true
	case 'b':
		return append(out, '\b'), 2, true
	case 'f':
		return append(out, '\f'), 2, true
	case 'n':
		return append(out, '\n'), 2, true
	case 'r':
		return append(out, '\r'), 2, true
	case 't':
		return append(out, '\t'), 2, true
	}
	first, ok := hex4(text)
	if !ok {
		return out, 0, false
	}
	if !utf16.IsSurrogate(first) {
		return utf8.AppendRune(out, first), 6, true
	}
	second, ok := hex4(text[6:])
	pair := utf16.DecodeRune(first, second)
	return utf8.AppendRune(out, pair), 12, ok && pair != utf8.RuneError
}

func hex4(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' || text[2] == '+' || text[2] == '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// AppendString appends s as a JSON string. s must be valid UTF-8.
func AppendString(b []byte, s string) []byte {
	const digits = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

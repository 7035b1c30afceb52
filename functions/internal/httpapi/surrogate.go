package httpapi

import (
	"strconv"
	"unicode/utf16"
)

// halfSurrogate reports whether JSON text has an escape of half a surrogate pair.
// Go's decoder would make U+FFFD of it: two prompts that differ would become the
// same.
func halfSurrogate(b []byte) bool {
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		r, ok := escaped(b[i:])
		switch {
		case !ok:
			i++ // another escape, of one character
		case !utf16.IsSurrogate(r):
			i += 5
		default:
			low, ok := escaped(b[min(i+6, len(b)):])
			if !ok || utf16.DecodeRune(r, low) == '\uFFFD' {
				return true
			}
			i += 11
		}
	}
	return false
}

// escaped reads \uXXXX at the beginning of b.
func escaped(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

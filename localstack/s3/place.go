package s3

import (
	"encoding/base64"
	"unicode/utf8"
)

// place is where a page ended: after a key, or after all that a common prefix
// stands for. The zero value is before everything.
type place struct {
	key   string
	whole bool // the key is a prefix, and all below it has been shown
}

// first is where the next page begins to look.
func (p place) first() []byte {
	switch {
	case p.whole:
		if after := successor(p.key); after != nil {
			return after
		}
		return []byte{0xff} // UTF-8 has no such byte: past every key
	case p.key == "":
		return nil
	}
	return append([]byte(p.key), 0)
}

// successor is the least string that is greater than all that begin with
// prefix; nil if there is none.
func successor(prefix string) []byte {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xff {
			b[i]++
			return b[:i+1]
		}
	}
	return nil
}

// token is opaque to clients. A token of ours is never empty.
func (p place) token() string {
	kind := "k"
	if p.whole {
		kind = "p"
	}
	return base64.RawURLEncoding.EncodeToString([]byte("1" + kind + p.key))
}

func parseToken(token string) (place, bool) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(data) < 3 || len(data) > maxKey+2 || data[0] != '1' || data[1] != 'k' && data[1] != 'p' || !utf8.Valid(data) {
		return place{}, false
	}
	return place{key: string(data[2:]), whole: data[1] == 'p'}, true
}

// escapeKey is encoding-type=url: like a form's value, but slashes stay.
func escapeKey(s string) string {
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, len(s))
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '*', c == '/':
			b = append(b, c)
		case c == ' ':
			b = append(b, '+')
		default:
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(b)
}

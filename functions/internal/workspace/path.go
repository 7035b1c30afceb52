package workspace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxPath bounds a path, in bytes.
const MaxPath = 1024

// CleanPath returns the path as it is stored: with one leading "/", and in Unicode's
// normal form C, so that é is one name however it was typed. A path is literal:
// "%2e" is three characters. Refused, and said which: backslashes, control
// characters, characters that do not show, invalid UTF-8, and segments that are
// empty, "." or "..".
//
// Names that differ in case, or in letters of two scripts that look alike, are names
// of different files.
func CleanPath(p string) (string, error) {
	p = "/" + strings.TrimPrefix(p, "/")
	switch {
	case p == "/":
		return "", fmt.Errorf("the path is empty")
	case len(p) > MaxPath:
		return "", tooLong(p)
	case !utf8.ValidString(p):
		return "", fmt.Errorf("the path is not valid UTF-8")
	}
	for i, r := range p {
		if r == '\\' || !shows(r) {
			return "", fmt.Errorf("the path has %+q at byte %d, which is not allowed", r, i)
		}
	}
	for segment := range strings.SplitSeq(p[1:], "/") {
		switch segment {
		case "":
			return "", fmt.Errorf("the path has an empty segment (%q, or a trailing %q)", "//", "/")
		case ".", "..":
			return "", fmt.Errorf("the path has a segment %q", segment)
		}
	}
	if p = norm.NFC.String(p); len(p) > MaxPath { // some letters become longer
		return "", tooLong(p)
	}
	return p, nil
}

// CleanPrefix is how paths begin that begin with p, which need not end where a segment
// does. Of a prefix that no path can have it is one that no path has.
func CleanPrefix(p string) string { return norm.NFC.String("/" + strings.TrimPrefix(p, "/")) }

func tooLong(p string) error {
	return fmt.Errorf("the path has %d bytes, at most %d are allowed", len(p), MaxPath)
}

// shows reports whether a reader sees the character, and takes it for no other kind
// of space.
func shows(r rune) bool {
	return r == ' ' || !unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

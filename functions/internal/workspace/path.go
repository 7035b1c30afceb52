package workspace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPath bounds a path, in bytes.
const MaxPath = 1024

// CleanPath returns the path as it is stored: with one leading "/". Any Unicode
// name is fine. Refused, and said which: backslashes, control characters,
// invalid UTF-8, and segments that are empty, "." or "..".
func CleanPath(p string) (string, error) {
	p = "/" + strings.TrimPrefix(p, "/")
	switch {
	case p == "/":
		return "", fmt.Errorf("the path is empty")
	case len(p) > MaxPath:
		return "", fmt.Errorf("the path has %d bytes, at most %d are allowed", len(p), MaxPath)
	case !utf8.ValidString(p):
		return "", fmt.Errorf("the path is not valid UTF-8")
	}
	for i, r := range p {
		if r == '\\' || unicode.IsControl(r) {
			return "", fmt.Errorf("the path has %q at byte %d, which is not allowed", r, i)
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
	return p, nil
}

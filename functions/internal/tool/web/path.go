package web

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"windlass/functions/internal/tool/outside"
)

// doubled is what a server that decodes twice would read as a dot or a slash.
var doubled = regexp.MustCompile(`(?i)%(2e|2f|5c|00)`)

// cleanPath is the URL's path, decoded. A path that servers read in more than one way
// is refused, because a glob could be led round by it: dots as segments, encoded
// slashes, empty segments.
func cleanPath(u *url.URL) (string, error) {
	refused := outside.Failf(outside.InvalidURL, "the URL's path holds dots as segments, empty segments or encoded slashes; write it plainly")
	if len(u.Path) == 0 || u.Path[0] != '/' || doubled.MatchString(u.Path) || strings.ContainsAny(u.Path, "\\\x00") {
		return "", refused
	}
	raw := strings.ToLower(u.EscapedPath())
	if strings.Contains(raw, "%2f") || strings.Contains(u.Path, "//") {
		return "", refused
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if s, _, _ := strings.Cut(segment, ";"); s == "." || s == ".." {
			return "", refused
		}
	}
	return u.Path, nil
}

func checkGlob(g string) error {
	if !strings.HasPrefix(g, "/") || len(g) > 512 {
		return fmt.Errorf("the path %.64q does not begin with a slash, or is too long", g)
	}
	for segment := range strings.SplitSeq(g, "/") {
		if segment != "**" && strings.Contains(segment, "**") || strings.Count(segment, "*") > 4 {
			return fmt.Errorf("the path %.64q: ** is a segment of its own, and a segment has at most four stars", g)
		}
	}
	if strings.Count(g, "**") > 2 {
		return fmt.Errorf("the path %.64q has more than two **", g)
	}
	return nil
}

// matchGlob: * stands for any part of one segment, ** for any number of segments,
// none as well.
func matchGlob(glob, path string) bool {
	return matchSegments(strings.Split(glob, "/"), strings.Split(path, "/"))
}

func matchSegments(glob, path []string) bool {
	for len(glob) > 0 && glob[0] != "**" {
		if len(path) == 0 || !matchSegment(glob[0], path[0]) {
			return false
		}
		glob, path = glob[1:], path[1:]
	}
	if len(glob) == 0 {
		return len(path) == 0
	}
	for skip := 0; skip <= len(path); skip++ {
		if matchSegments(glob[1:], path[skip:]) {
			return true
		}
	}
	return false
}

// matchSegment takes the stars' parts as short as they can be, from the left; the
// last part of the glob must be the segment's end.
func matchSegment(glob, segment string) bool {
	parts := strings.Split(glob, "*")
	if len(parts) == 1 {
		return glob == segment
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(segment, first) {
		return false
	}
	segment = segment[len(first):]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(segment, p)
		if i < 0 {
			return false
		}
		segment = segment[i+len(p):]
	}
	return strings.HasSuffix(segment, last)
}

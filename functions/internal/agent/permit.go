package agent

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// Subject is what a call is about, as far as its tool can tell; what it cannot tell
// is nil, and then a rule about it is taken to match, unless it would allow more.
type Subject struct {
	// Tool is its name, which is always known.
	Tool string
	// Paths are files; Prefixes stand for every file whose path begins with one.
	Paths, Prefixes []string
	Hosts, Methods  []string
}

// Permit is the permission of a call about s.
func (t Tool) Permit(s Subject) string {
	usual := cmp.Or(t.Permission, Allow)
	for _, r := range t.Rules {
		if r.matches(s) {
			return r.Permission
		}
	}
	return usual
}

// matches: one forbidden thing among many forbids the call; all of them have to be
// allowed for it to be.
func (r Rule) matches(s Subject) bool {
	return r.about(r.Tool, []string{s.Tool}, nil) && r.about(r.Path, s.Paths, s.Prefixes) &&
		r.about(strings.ToLower(r.Host), s.Hosts, nil) && r.about(strings.ToUpper(r.Method), s.Methods, nil)
}

func (r Rule) about(pattern string, values, prefixes []string) bool {
	if pattern == "" {
		return true
	}
	if values == nil && prefixes == nil {
		return r.Permission != Allow
	}
	n, all := 0, len(values)+len(prefixes)
	for _, v := range values {
		if glob(pattern).MatchString(v) {
			n++
		}
	}
	for _, p := range prefixes {
		if r.Permission != Allow && reaches(pattern, p) || r.Permission == Allow && covers(pattern, p) {
			n++
		}
	}
	if r.Permission == Allow {
		return n == all && n > 0
	}
	return n > 0
}

// covers: the pattern matches everything that begins with prefix, as far as its end
// tells.
func covers(pattern, prefix string) bool {
	return strings.HasSuffix(pattern, "**") && glob(pattern).MatchString(prefix)
}

// reaches: the pattern matches something that begins with prefix. It follows every place
// of the pattern that the prefix may lead to; the rest of a pattern always matches
// something.
func reaches(pattern, prefix string) bool {
	p := []rune(pattern)
	star := func(at int) bool { return at < len(p) && p[at] == '*' }
	places := map[int]bool{0: true}
	for _, r := range prefix {
		next := map[int]bool{}
		for at := range places {
			for ; star(at); at++ {
				if star(at + 1) {
					return true
				}
				if r != '/' {
					next[at] = true
				}
			}
			if at < len(p) && (p[at] == r || p[at] == '?' && r != '/') {
				next[at+1] = true
			}
		}
		places = next
	}
	return len(places) > 0
}

var wildcards = strings.NewReplacer(`\*\*`, `.*`, `\*`, `[^/]*`, `\?`, `[^/]`)

// glob compiles a pattern: "**" is anything, "*" what has no "/", "?" one such
// character.
func glob(pattern string) *regexp.Regexp {
	if r, ok := globs.Load(pattern); ok {
		return r.(*regexp.Regexp)
	}
	r := regexp.MustCompile(`(?s)^` + wildcards.Replace(regexp.QuoteMeta(pattern)) + `$`)
	globs.Store(pattern, r)
	return r
}

// globs are those of the definitions that were used: each call is looked at several
// times.
var globs sync.Map

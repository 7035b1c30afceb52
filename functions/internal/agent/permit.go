package agent

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// Subject is what a call is about, as far as its tool can tell; what it cannot tell
// is nil, and then a rule about it is taken to match, unless it would allow more.
type Subject struct{ Paths, Hosts, Methods []string }

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
	one := func(pattern string, values []string) bool {
		if pattern == "" {
			return true
		}
		if values == nil {
			return r.Permission != Allow
		}
		n := 0
		for _, v := range values {
			if glob(pattern).MatchString(v) {
				n++
			}
		}
		if r.Permission == Allow {
			return n == len(values) && n > 0
		}
		return n > 0
	}
	return one(r.Path, s.Paths) && one(strings.ToLower(r.Host), s.Hosts) && one(strings.ToUpper(r.Method), s.Methods)
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

package web

import (
	"net/url"
	"path"
	"strings"
	"testing"
)

func TestGlobsOfPaths(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"/", "/", true}, {"/", "/a", false}, {"/a", "/a", true}, {"/a", "/a/", false}, {"/a", "/A", false},
		{"/*", "/a", true}, {"/*", "/", true}, {"/*", "/a/b", false}, {"/a/*/c", "/a/b/c", true}, {"/a/*/c", "/a/b/d/c", false},
		{"/a*", "/abc", true}, {"/*c", "/abc", true}, {"/a*c", "/abc", true}, {"/a*c", "/ac", true}, {"/a*c", "/a", false}, {"/a*a", "/a", false}, {"/*.json", "/x.json", true}, {"/*.json", "/x.jsonp", false},
		{"/a*b*c", "/aXbYc", true}, {"/a*b*c", "/aXcYb", false}, {"/*ab*ab", "/abab", true}, {"/*ab*ab", "/aab", false},
		{"/**", "/", true}, {"/**", "/a/b/c", true}, {"/a/**", "/a/b/c", true}, {"/a/**", "/a", true}, {"/a/**", "/ab", false}, {"/a/**/z", "/a/z", true}, {"/a/**/z", "/a/b/c/z", true}, {"/a/**/z", "/a/b/c", false},
		{"/**/x/**", "/a/x/b", true}, {"/**/x/**", "/a/b", false},
	} {
		if err := checkGlob(c.glob); err != nil {
			t.Errorf("%s: %v", c.glob, err)
		}
		if got := matchGlob(c.glob, c.path); got != c.want {
			t.Errorf("%s and %s: %t", c.glob, c.path, got)
		}
	}
}

func TestAPathThatLeadsElsewhereIsRefused(t *testing.T) {
	for _, p := range []string{"/a/../b", "/a/./b", "/..", "/a/%2e%2e/b", "/a/.%2E/b", "/a%2fb", "/a%2Fb", "/a%5cb", "//a", "/a//b", "/a/..;/b", "/a/..;x=1/b", "/a/%252e%252e/b", "/a%252fb", "/a%00b"} {
		u, err := url.Parse("https://a.example" + p)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cleanPath(u); err == nil {
			t.Errorf("%s is read as %s", p, got)
		}
	}
	for p, want := range map[string]string{"/": "/", "/a/": "/a/", "/a%20b": "/a b", "/..a/b..": "/..a/b..", "/a;b/...": "/a;b/...", "/%C3%A9": "/é"} {
		u, err := url.Parse("https://a.example" + p)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cleanPath(u); err != nil || got != want {
			t.Errorf("%s is read as %q, %v", p, got, err)
		}
	}
}

// FuzzPath: a path that a glob lets through does not leave the glob's fixed beginning,
// however a server cleans or decodes it.
func FuzzPath(f *testing.F) {
	for _, p := range []string{"/open/a", "/open/../shut", "/open/%2e%2e/shut", "/open/%252e%252e/shut", "/open;/..;/shut", "/open//../shut", "/open/..%2fshut", "/open/a%5c..%5c..%5cshut"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		u, err := url.Parse("https://a.example" + p)
		if err != nil || u.Host != "a.example" {
			return
		}
		clean, err := cleanPath(u)
		if err != nil || !matchGlob("/open/**", clean) {
			return
		}
		twice, err := url.PathUnescape(clean)
		if err != nil {
			twice = clean
		}
		for _, read := range []string{clean, twice, path.Clean(clean), path.Clean(twice), path.Clean(strings.ReplaceAll(twice, "\\", "/"))} {
			if read != "/open" && !strings.HasPrefix(read, "/open/") {
				t.Fatalf("%q is let through, and may be read as %q", p, read)
			}
		}
	})
}

func FuzzHostPattern(f *testing.F) {
	for _, s := range []string{"*.example.com", "example.com", "*.com", "1.2.3.4", "[::1]", "*.[::1]"} {
		f.Add(s, "a.example.com")
	}
	f.Fuzz(func(t *testing.T, pattern, host string) {
		p, err := hostPattern(pattern)
		if err != nil {
			return
		}
		r := rule{Host: p}
		end, many := strings.CutPrefix(p, "*.")
		if !many && r.host(host) != (host == p) {
			t.Fatalf("%q and %q", p, host)
		}
		if many && (r.host(end) || r.host("x"+end) || !r.host("x."+end) || strings.Count(end, ".") == 0) {
			t.Fatalf("%q lets too much through, or too little", p)
		}
	})
}

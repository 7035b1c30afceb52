package workspace_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"windlass/functions/internal/workspace"
)

func TestGlobs(t *testing.T) {
	all := []string{"/a.go", "/b.md", "/src/a.go", "/src/deep/er/a_test.go", "/src/x/[1].txt", "/src/é.go", "/srcs", "/.hidden", "/src/a,b", "/src/+/0"}
	for pattern, want := range map[string]string{
		"*.go":             "/a.go /src/a.go /src/deep/er/a_test.go /src/é.go", // a name, in whatever folder
		"a.go":             "/a.go /src/a.go",
		"/*.go":            "/a.go",
		"./*.go":           "",
		"src/*":            "/src/a.go /src/é.go /src/a,b",
		"/src/**":          "/src/a.go /src/deep/er/a_test.go /src/x/[1].txt /src/é.go /src/a,b /src/+/0",
		"/src/**/*.go":     "/src/a.go /src/deep/er/a_test.go /src/é.go",
		"**/a.go":          "/a.go /src/a.go",
		"**/**/**/a.go":    "/a.go /src/a.go",
		"src/**/er/**":     "/src/deep/er/a_test.go",
		"src/?.go":         "/src/a.go /src/é.go",
		"[!ab].*":          "/src/é.go",
		"[a-b].{go,md}":    "/a.go /b.md /src/a.go",
		"{a,b{,_c}}.{m,}*": "/a.go /b.md /src/a.go",
		`\[1].txt`:         "/src/x/[1].txt",
		"[[]1[]].txt":      "/src/x/[1].txt",
		"a,b":              "/src/a,b",
		"/src/[*-9]/0":     "/src/+/0",
		"/src[*-9]+/0":     "", // no set holds a slash
		"/src[!a]+/0":      "",
		"src":              "",
		"A.GO":             "",
		"**":               strings.Join(all, " "),
		"(a|b).go":         "",
		".*":               "/.hidden",
		"a.go$":            "",
	} {
		g, err := workspace.ParseGlob(pattern)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		got := slices.DeleteFunc(slices.Clone(all), func(p string) bool { return !g.Match(p) })
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", pattern, got, want)
		}
	}
}

func TestGlobsThatAreRefusedSayWhy(t *testing.T) {
	for pattern, why := range map[string]string{
		"": "empty", "[a": `"["`, "a[": `"["`, "[]": `"["`, "[a/b]": `"["`, "[z-a]": "range", "{a": `"{"`, `a\`: `"\"`, "\xff": "UTF-8",
		strings.Repeat("a", workspace.MaxGlob+1): "1025 bytes", strings.Repeat("{", 1000) + strings.Repeat("}", 24): `"{"`,
		strings.Repeat("{", 512) + strings.Repeat("}", 512) + "a": "1025 bytes",
	} {
		if _, err := workspace.ParseGlob(pattern); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.30q: %v, want an error that says %s", pattern, err, why)
		}
	}
}

// alternatives writes a glob's braces out; nil if there are too many.
func alternatives(glob string) []string {
	depth, from, escaped, set := 0, 0, false, -1
	var parts []string
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case escaped:
			escaped = false
		case set >= 0:
			if c == ']' && i > set {
				set = -1
			}
		case c == '\\':
			escaped = true
		case c == '[':
			if set = i + 1; i+1 < len(glob) && glob[i+1] == '!' {
				set++
			}
		case c == '{':
			if depth++; depth == 1 {
				parts, from = []string{glob[:i]}, i+1
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, glob[from:i]), i+1
		case c == '}' && depth > 0:
			if depth--; depth == 0 {
				var all []string
				for _, middle := range append(parts[1:], glob[from:i]) {
					all = append(all, alternatives(parts[0]+middle+glob[i+1:])...)
				}
				return all
			}
		}
	}
	return []string{glob}
}

// fits is what a glob with no braces means, said in another way.
func fits(glob, path string) bool {
	if glob == "" {
		return path == ""
	}
	if rest, ok := strings.CutPrefix(glob, "/**/"); ok {
		if strings.HasPrefix(rest, "**/") {
			return fits("/"+rest, path)
		}
		for i := range path {
			if path[0] == '/' && path[i] == '/' && fits(rest, path[i+1:]) {
				return true
			}
		}
		return false
	}
	if strings.HasPrefix(glob, "*") {
		rest, deep := strings.CutPrefix(glob, "**")
		if !deep {
			rest = glob[1:]
		}
		for i := 0; ; i++ {
			if fits(rest, path[i:]) {
				return true
			}
			if i == len(path) || path[i] == '/' && !deep {
				return false
			}
		}
	}
	c, width := utf8.DecodeRuneInString(path)
	if width == 0 {
		return false
	}
	g, n := utf8.DecodeRuneInString(glob)
	switch {
	case g == '?':
		return c != '/' && fits(glob[1:], path[width:])
	case g == '[':
		body, not := strings.CutPrefix(glob[1:], "!")
		end := strings.IndexByte(body[1:], ']') + 1
		in := false
		for set := []rune(body[:end]); len(set) > 0; {
			if len(set) > 2 && set[1] == '-' {
				in, set = in || set[0] <= c && c <= set[2], set[3:]
				continue
			}
			in, set = in || set[0] == c, set[1:]
		}
		return c != '/' && in != not && fits(body[end+1:], path[width:])
	case g == '\\':
		g, n = utf8.DecodeRuneInString(glob[1:])
		return g == c && fits(glob[1+n:], path[width:])
	}
	return g == c && fits(glob[n:], path[width:])
}

// A glob never panics, and means what it says.
func FuzzGlob(f *testing.F) {
	for _, s := range [][2]string{{"*.go", "/a.go"}, {"/src/**/[!a-c]?.{go,md}", "/src/x/de.md"}, {"{a,b{c,d}}", "/bd"}, {`\*[]]`, "/*]"}, {"**/x", "/x"}, {"/a/**/**/b", "/a/b"}, {"[+-0]", "/."}, {"a}", "/a}"}, {"{,}", "/a"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		g, err := workspace.ParseGlob(pattern)
		clean, bad := workspace.CleanPath(path)
		if err != nil || bad != nil || len(pattern) > 20 || len(path) > 30 {
			return
		}
		if strings.Contains(pattern, "**") && strings.Contains(pattern, "{") {
			return // written out, a "/" in braces would join the "**/" behind them
		}
		whole := pattern
		if !strings.Contains(pattern, "/") {
			path = clean[strings.LastIndexByte(clean, '/')+1:]
		} else {
			whole, path = "/"+strings.TrimPrefix(pattern, "/"), clean
		}
		want := slices.ContainsFunc(alternatives(whole), func(one string) bool { return fits(one, path) })
		if got := g.Match(clean); got != want {
			t.Fatalf("%q with %q: %t, want %t", pattern, clean, got, want)
		}
	})
}

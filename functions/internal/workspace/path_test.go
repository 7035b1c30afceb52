package workspace_test

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"windlass/functions/internal/workspace"
)

func TestOrdinaryNamesAreFine(t *testing.T) {
	for in, want := range map[string]string{
		"C#.md": "/C#.md", "50%.csv": "/50%.csv", "what?.txt": "/what?.txt", "a b.txt": "/a b.txt", "/notes/todo.md": "/notes/todo.md",
		"/...": "/...", "..a": "/..a", "a..": "/a..", ".hidden": "/.hidden", "/%2e%2e/x": "/%2e%2e/x", "~": "/~", "C:": "/C:", "-rf": "/-rf",
		"/naïve/日本語/🦀.txt": "/naïve/日本語/🦀.txt", "e\u0301": "/é", "é": "/é", "\u212b": "/Å", "\u1100\u1161": "/가", " ": "/ ", "*": "/*", "A": "/A", "a": "/a", "\u0430": "/\u0430",
		strings.Repeat("a", workspace.MaxPath-1): "/" + strings.Repeat("a", workspace.MaxPath-1),
	} {
		if got, err := workspace.CleanPath(in); got != want || err != nil {
			t.Errorf("%.60q: %.60q, %v; want %.60q", in, got, err, want)
		}
	}
}

func TestPathsThatAreRefusedSayWhy(t *testing.T) {
	for in, why := range map[string]string{
		"": "empty", "/": "empty", "//": "empty segment", "//a": "empty segment", "a//b": "empty segment", "/a/": "empty segment",
		".": `"."`, "..": `".."`, "/..": `".."`, "../a": `".."`, "/a/../b": `".."`, "/a/./b": `"."`, "/a/..": `".."`,
		`a\b`: `'\\'`, `..\..\x`: `'\\'`, "a\x00b": `\x00`, "a\nb": `\n`, "\x7f": `\x7f`, "a\u0085": `\u0085`,
		"a\u200db": `\u200d`, "a\u200b": `\u200b`, "\ufeffa": `\ufeff`, "a\u202etxt.exe": `\u202e`, "a\u00adb": `\u00ad`, "a\u00a0b": `\u00a0`, "\u3000": `\u3000`,
		"\u2028": `\u2028`, "\u3164": `\u3164`, "a\u034fb": `\u034f`, "☀\ufe0f": `\ufe0f`, "a\U000e0061": `\U000e0061`, strings.Repeat("\u0958", 300): "at most 1024",
		"a\xffb": "UTF-8", "\xc0\xae\xc0\xae/x": "UTF-8", "\xf0\x9f": "UTF-8", strings.Repeat("a", workspace.MaxPath): "1025 bytes",
	} {
		if got, err := workspace.CleanPath(in); err == nil || got != "" || !strings.Contains(err.Error(), why) {
			t.Errorf("%.60q: %.60q, %v; want an error that says %s", in, got, err, why)
		}
	}
}

func FuzzCleanPath(f *testing.F) {
	for _, s := range []string{"C#.md", "50%.csv", "what?.txt", "a b.txt", "/..", "a//b", `a\b`, "\xff", "a\x00", "//", ".", "/a/b/c", "e\u0301", "\u212b", "a\u0323\u0307", "\u0344", "a\u200b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := workspace.CleanPath(in)
		if err != nil {
			if got != "" {
				t.Fatalf("%q: %q and %v", in, got, err)
			}
			return
		}
		if again, err := workspace.CleanPath(got); again != got || err != nil {
			t.Fatalf("%q became %q, then %q, %v", in, got, again, err)
		}
		if got != path.Clean(got) || !strings.HasPrefix(got, "/") || len(got) > workspace.MaxPath {
			t.Fatalf("%q became %q", in, got)
		}
		if strings.TrimPrefix(got, "/") != norm.NFC.String(strings.TrimPrefix(in, "/")) {
			t.Fatalf("%q became another name, %q", in, got)
		}
		if other, err := workspace.CleanPath(norm.NFD.String(got)); err == nil && other != got {
			t.Fatalf("%q is also %q", got, other)
		}
		if !utf8.ValidString(got) || strings.Contains(got, `\`) || strings.IndexFunc(got, unicode.IsControl) >= 0 {
			t.Fatalf("%q became %q", in, got)
		}
	})
}

package patch_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windlass/functions/internal/tool/patch"
)

func code(err error) string {
	var e *patch.Error
	if err != nil && !errors.As(err, &e) {
		return fmt.Sprintf("%T is no Error", err)
	}
	if e == nil {
		return ""
	}
	return e.Code
}

// body sets a hunk into a patch of the file f.
func body(hunk string) string {
	return "*** Begin Patch\n*** Update File: f\n" + hunk + "*** End Patch\n"
}

func diff(hunk string) string { return "--- a/f\n+++ b/f\n" + hunk }

func TestWhatAPatchDoes(t *testing.T) {
	update := func(path, to string, hunks int) patch.Change {
		return patch.Change{Kind: patch.Update, Path: path, To: to, Hunks: make([]patch.Hunk, hunks)}
	}
	add := func(path, content string) patch.Change {
		return patch.Change{Kind: patch.Add, Path: path, Content: content}
	}
	for name, c := range map[string]struct {
		text string
		want []patch.Change
	}{
		"several files": {"\n*** Begin Patch\n*** Add File: /a b.txt\n+one\n+\n+two\n*** Delete File: old.txt\n\n*** Update File: f\n@@ func f()\n-a\n+b\n\n@@\n-c\n*** End of File\n*** Add File: empty\n*** End Patch\n\n", []patch.Change{
			add("/a b.txt", "one\n\ntwo\n"), {Kind: patch.Delete, Path: "old.txt"}, update("f", "", 2), add("empty", "")}},
		"a move":             {"*** Begin Patch\n*** Update File: f\n*** Move to: g/h\n*** End Patch", []patch.Change{update("f", "g/h", 0)}},
		"a move and a hunk":  {"*** Begin Patch\r\n*** Update File: f\r\n*** Move to: g\r\n-a\r\n+b\r\n*** End Patch\r\n", []patch.Change{update("f", "g", 1)}},
		"a diff":             {diff("@@ -1 +1 @@\n-a\n+b\n"), []patch.Change{update("f", "", 1)}},
		"no prefixes":        {"--- src/f\n+++ src/f\n@@ -1 +1 @@\n-a\n+b\n", []patch.Change{update("src/f", "", 1)}},
		"a folder a":         {"--- a/f\n+++ a/f\n@@ -1 +1 @@\n-a\n+b\n", []patch.Change{update("a/f", "", 1)}},
		"rooted":             {"--- a//f\n+++ b//f\n@@ -1 +1 @@\n-a\n+b\n", []patch.Change{update("/f", "", 1)}},
		"times":              {"--- f\t2024-01-01 00:00:00\n+++ f\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n", []patch.Change{update("f", "", 1)}},
		"quoted":             {"--- \"a/\\303\\251\"\n+++ \"b/\\303\\251\"\n@@ -1 +1 @@\n-a\n+b\n", []patch.Change{update("é", "", 1)}},
		"a new file":         {"diff --git a/n b/n\nnew file mode 100644\nindex 0000000..1\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n", []patch.Change{add("n", "a\nb\n")}},
		"a new cut file":     {"--- /dev/null\n+++ n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n", []patch.Change{add("n", "a")}},
		"a new empty file":   {"diff --git a/a b c b/a b c\nnew file mode 100644\nindex 0000000..e69de29\n", []patch.Change{add("a b c", "")}},
		"a deletion":         {"diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", []patch.Change{{Kind: patch.Delete, Path: "n", Hunks: make([]patch.Hunk, 1)}}},
		"an empty one's":     {"diff --git a/n b/n\ndeleted file mode 100644\n", []patch.Change{{Kind: patch.Delete, Path: "n"}}},
		"a rename":           {"diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", []patch.Change{update("x", "y", 0)}},
		"a rename with more": {"diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n" + diff("@@ -1 +1 @@\n-a\n+b\n"), []patch.Change{update("x", "y", 1), update("f", "", 1)}},
		"headers as lines":   {diff("@@ -1,2 +1,2 @@\n--- x\n-a\n+++ y\n+b\n"), []patch.Change{update("f", "", 1)}},
	} {
		got, err := patch.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(patch.Hunk{}), cmpopts.IgnoreFields(patch.Hunk{}, "N", "Line", "At", "Anchors", "End"), cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestPatchesThatAreRefusedSayWhere(t *testing.T) {
	for text, why := range map[string]string{
		"": "empty", " \n\n": "empty", "hello\n": "line 1", "```diff\n" + diff("@@ -1 +1 @@\n-a\n+b\n"): "line 1",
		"*** Update File: f\n-a\n": `"*** Begin Patch"`, "*** Begin Patch\n": "cut off", "*** Begin Patch\n*** Update File: f\n-a\n+b\n": "cut off",
		"*** Begin Patch\n*** End Patch\n": "no file", body("-a\n+b\n") + "more\n": "line 6", body("*** Frob File: g\n"): "nothing is said",
		body("-a\n*** Frob File: g\n"): "line 4", body(""): "nothing is said", body("@@ f\n a\n b\n"): "line 3", body("-a\nb\n"): `"b"`, body("@@\n"): "line 3",
		"*** Begin Patch\n*** Add File: f\n+a\nb\n*** End Patch\n": `"b"`, "*** Begin Patch\n*** Add File: f\n-a\n*** End Patch\n": `"-a"`,
		"--- a/f\n": "follows", "--- a/f\n@@ -1 +1 @@\n": "follows", diff(""): "nothing is said", diff("@@ -1 +1 @@\n a\n"): "line 3", diff("-a\n+b\n"): "nothing is said",
		"--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n": "two files", "--- /dev/null\n+++ /dev/null\n": "which file", "diff --git a/f b/g\nindex 1..2\n": "which file",
		"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n": "nothing is said", "diff --git a/f b/f\nBinary files a/f and b/f differ\n": "binary",
		"diff --git a/f b/f\nindex 1..2\nGIT binary patch\n": "binary", "diff --git a/f b/g\ncopy from f\ncopy to g\n": "copy", "--- \"a/\\9\"\n+++ b/f\n": "no file",
		"--- /dev/null\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n": "new file", "diff --git a/f b/g\nrename to g\n": "file", diff("\\ No newline at end of file\n"): "nothing is said",
		diff("@@ -1 +1 @@\n\\ No newline at end of file\n-a\n"): "follows no line", diff("@@ -99999999999 +1 @@\n-a\n"): "",
	} {
		_, err := patch.Parse(text)
		if why != "" && (code(err) != patch.Invalid || !strings.Contains(err.Error(), why)) {
			t.Errorf("%.80q: %v, want %s with %q", text, err, patch.Invalid, why)
		}
	}
}

func TestWhereHunksGo(t *testing.T) {
	code := "func f() {\n\treturn 1\n}\n\nfunc g() {\n\treturn 1\n}\n"
	for name, c := range map[string]struct{ old, text, want string }{
		"one place":                {"a\nb\nc\n", body("@@\n a\n-b\n+B\n c\n"), "a\nB\nc\n"},
		"no @@":                    {"a\nb\n", body("-b\n+B\n"), "a\nB\n"},
		"an anchor":                {code, body("@@ func g() {\n-\treturn 1\n+\treturn 2\n"), strings.Replace(code, "g() {\n\treturn 1", "g() {\n\treturn 2", 1)},
		"the first below":          {code, body("@@ func f() {\n-\treturn 1\n+\treturn 2\n"), strings.Replace(code, "return 1", "return 2", 1)},
		"an anchor said again":     {code, body("@@ func g() {\n func g() {\n-\treturn 1\n+\treturn 2\n"), strings.Replace(code, "g() {\n\treturn 1", "g() {\n\treturn 2", 1)},
		"anchors in anchors":       {"class A\n f\n  x\nclass B\n f\n  x\n", body("@@ class B\n@@ f\n-  x\n+  y\n"), "class A\n f\n  x\nclass B\n f\n  y\n"},
		"behind the hunk before":   {"a\nx\nb\nx\n", body("-b\n+B\n@@\n-x\n+X\n"), "a\nx\nB\nX\n"},
		"the end":                  {"x\na\nx\n", body("-x\n+X\n*** End of File\n"), "x\na\nX\n"},
		"more at the end":          {"a\n", body("+b\n*** End of File\n"), "a\nb\n"},
		"more at a cut end":        {"a", body("+b\n*** End of File\n"), "a\nb"},
		"into an empty file":       {"", body("+b\n"), "b\n"},
		"a diff into an empty one": {"", diff("@@ -0,0 +1 @@\n+b\n"), "b\n"},
		"the line it names":        {"x\nx\nx\n", diff("@@ -2 +2 @@\n-x\n+X\n"), "x\nX\nx\n"},
		"a line further down":      {"new\nnew\na\nb\n", diff("@@ -2 +2 @@\n-b\n+B\n"), "new\nnew\na\nB\n"},
		"and the next by as much":  {"new\na\nx\nx\nx\n", diff("@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-x\n+X\n"), "new\nA\nx\nX\nx\n"},
		"all of it":                {"a\nb\n", body("-a\n-b\n"), ""},
		"spaces at ends":           {"a  \n\t\nb\t\n", body(" a\n\n-b\n+B\n"), "a  \n\t\nB\n"},
		"indented otherwise":       {"\tif x {\n\t\ty\n\t}\n", body("@@\n if x {\n-    y\n+\t\tz\n }\n"), "\tif x {\n\t\tz\n\t}\n"},
		"exactly before loosely":   {"  x\nx\n", body("-x\n+y\n"), "  x\ny\n"},
		"CRLF":                     {"a\r\nb\r\nc\r\n", body(" a\n-b\n+B\n+D\n c\n"), "a\r\nB\r\nD\r\nc\r\n"},
		"CRLF and more at the end": {"a\r\n", body("+b\n*** End of File\n"), "a\r\nb\r\n"},
		"a CRLF patch":             {"a\nb\nc\n", strings.ReplaceAll(body("@@\n a\n-b\n+B\n c\n"), "\n", "\r\n"), "a\nB\nc\n"},
		"CRLF in both":             {"a\r\nb\r\n", strings.ReplaceAll(diff("@@ -1,2 +1,2 @@\n a\n-b\n+B\n"), "\n", "\r\n"), "a\r\nB\r\n"},
		"a cut file stays cut":     {"a\nb", body(" a\n-b\n+B\n"), "a\nB"},
		"a newline comes":          {"a", diff("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"), "a\n"},
		"a newline goes":           {"a\n", diff("@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"), "a"},
		"not text":                 {"\xff\x00\na\n", body("-a\n+b\n"), "\xff\x00\nb\n"},
		"numbers in the other":     {"x\nx\n", body("@@ -2,1 +2,1 @@\n-x\n+y\n"), "x\ny\n"},
		"@@ alone in a diff":       {"a\nb\n", diff("@@\n-b\n+B\n"), "a\nB\n"},
	} {
		got, _, err := apply(t, c.text, c.old)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, c.want)
		}
	}
}

func TestHunksThatFitNowhereOrTwiceAreRefused(t *testing.T) {
	for name, c := range map[string]struct{ old, text, code, says string }{
		"twice":                 {"x\na\nx\n", body("-x\n+y\n"), patch.Ambiguous, "hunk 1 (line 3 of the patch) fits at lines 1, 3: give more lines"},
		"often":                 {strings.Repeat("x\n", 9), body("-x\n+y\n"), patch.Ambiguous, "lines 1, 2, 3, 4, 5 and 4 more"},
		"twice, loosely":        {" x\nx \n", body("-\tx\n+y\n"), patch.Ambiguous, "lines 1, 2"},
		"the anchor is twice":   {"f\nx\nf\nx\n", body("@@ f\n-x\n+y\n"), patch.Ambiguous, "lines 2, 4"},
		"another line is there": {"x\nx\na\n", diff("@@ -3 +3 @@\n-x\n+y\n"), patch.Ambiguous, "lines 1, 2"},
		"a line that is not":    {"a\nb\nc\nd\n", body(" a\n b\n-x\n+y\n"), patch.NoMatch, `nearest is line 1, but line 3 is "c", not "x"`},
		"a file that ends":      {"a\nb\n", body(" a\n b\n-c\n"), patch.NoMatch, `the file ends before "c"`},
		"nothing like it":       {"a\nb\n", diff("@@ -2 +2 @@\n-x\n+y\n"), patch.NoMatch, `none of its lines "x"… is in the file, which has 2 lines (line 2 is "b")`},
		"an empty file":         {"", body("-x\n"), patch.NoMatch, "0 lines"},
		"the wrong order":       {"a\nb\nc\n", body("-c\n@@\n-a\n"), patch.NoMatch, "hunk 2 (line 4 of the patch) does not fit: it stands at line 1, above the hunk before it"},
		"not at the end":        {"x\na\n", body("-x\n*** End of File\n"), patch.NoMatch, "at the end of the file: its lines stand at line 1"},
		"an end that is none":   {"a\nb\n", diff("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+A\n"), patch.NoMatch, "at the end of the file"},
		"only new lines":        {"a\n", body("@@ a\n+b\n"), patch.NoMatch, "only new lines"},
		"no such anchor":        {"a\n", body("@@ f\n-a\n"), patch.NoMatch, `the line "f" that stands above it is not in the file`},
		"an anchor further up":  {"f\na\nb\n", body("-a\n@@ f\n-b\n"), patch.NoMatch, "below line 2"},
		"no second anchor":      {"f\nb\n", body("@@ f\n@@ g\n-b\n"), patch.NoMatch, `the line "g"`},
		"above the anchor":      {"b\nf\n", body("@@ f\n-b\n"), patch.NoMatch, "its lines stand at line 1"},
		"the same again":        {"a\n", body("-a\n@@\n-a\n"), patch.NoMatch, "hunk 2"},
		"long lines":            {strings.Repeat("é", 1e6) + "\n", body("-" + strings.Repeat("é", 1e6) + "x\n"), patch.NoMatch, "…"},
	} {
		got, _, err := apply(t, c.text, c.old)
		if code(err) != c.code || !strings.Contains(err.Error(), c.says) || got != "" || len(err.Error()) > 1000 {
			t.Errorf("%s: %.300q, %.300v, want %s that says %s", name, got, err, c.code, c.says)
		}
	}
}

// What repeats itself without end is given up, not compared without end.
func TestTheWorkOfOneFileIsBounded(t *testing.T) {
	old := strings.Repeat("a\nb\n", 100_000)
	_, _, err := apply(t, body(strings.Repeat(" a\n b\n", 20_000)+" b\n-a\n"), old)
	if code(err) != patch.TooLarge {
		t.Errorf("%v", err)
	}
}

// Whatever the text is, reading and applying it ends in a result or a coded error.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		body("@@ f\n a\n-b\n+c\n*** End of File\n"), diff("@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n"), "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** End Patch",
		"diff --git a/x b/y\nrename from x\nrename to y\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", "*** Begin Patch\n*** Update File: f\n*** Move to: g\n*** End Patch", "@@", "--- \n+++ \n",
	} {
		f.Add(s, "a\nb\n")
	}
	f.Fuzz(func(t *testing.T, text, old string) {
		changes, err := patch.Parse(text)
		if err != nil {
			if code(err) != patch.Invalid {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if len(changes) == 0 {
			t.Fatalf("%q: no change and no error", text)
		}
		for _, c := range changes {
			if c.Path == "/dev/null" || c.Kind != patch.Add && c.Kind != patch.Update && c.Kind != patch.Delete || c.Kind == patch.Add && len(c.Hunks) > 0 {
				t.Fatalf("%q: %+v", text, c)
			}
			if got, _, err := c.Apply(old); err != nil && (got != "" || code(err) == "" || len(err.Error()) > 1000) {
				t.Fatalf("%q: %q, %v", text, got, err)
			}
		}
	})
}

// A diff from any text to any other gives that other.
func FuzzADiffGivesWhatItWasMadeFrom(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc", uint8(3))
	f.Add("", "x", uint8(1))
	f.Add("--- a\n+++ b\n", "@@ -1 +1 @@\n\\ No newline at end of file\n", uint8(1))
	f.Fuzz(func(t *testing.T, a, b string, context uint8) {
		if a == b || len(a)+len(b) > 2000 {
			return
		}
		text := unified("f", a, b, 1+int(context%5), 0)
		if got, _, err := apply(t, text, a); err != nil || got != b {
			t.Fatalf("%q became %q, %v, want %q\n%s", a, got, err, b, text)
		}
	})
}

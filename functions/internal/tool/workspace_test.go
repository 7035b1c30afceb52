package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/workspace"
)

// inline keeps every value as it is.
type inline struct{}

func (inline) Keep(_ context.Context, data, _ string) (event.Value, error) {
	return event.Text(data), nil
}
func (inline) Load(_ context.Context, v event.Value, offset, n int64) (string, error) {
	offset = min(offset, v.Len())
	return v.Inline()[offset:min(offset+n, v.Len())], nil
}

// files is an environment that holds them, by path.
func files(all map[string]string) tool.Env {
	tree := &workspace.Tree{}
	for p, content := range all {
		tree.Apply(event.Event{Data: workspace.NewFile(p, content, event.Text(content))})
	}
	return tool.Env{Workspace: workspace.NewView(tree), Values: inline{}}
}

func call(t testing.TB, e tool.Env, name string, args map[string]any) (tool.Result, error) {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	x, err := tool.All.Find(name, string(b))
	if err != nil {
		t.Fatal(err)
	}
	return x.Run(t.Context(), e)
}

type page struct {
	Path       string
	Bytes      int64
	Offset     int64
	NextOffset int64 `json:"next_offset"`
	Content    string
	Base64     []byte
}

func (p page) text() string { return p.Content + string(p.Base64) }

func read(t testing.TB, e tool.Env, args map[string]any) page {
	t.Helper()
	r, err := call(t, e, "workspace_read", args)
	if err != nil {
		t.Fatal(err)
	}
	var p page
	if err := json.Unmarshal([]byte(r.Output), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// readOn reads from offset to the end, page by page.
func readOn(t testing.TB, e tool.Env, path string, offset, size int64) string {
	t.Helper()
	var all strings.Builder
	for n := 0; ; n++ {
		p := read(t, e, map[string]any{"path": path, "offset": offset, "max_bytes": size})
		all.WriteString(p.text())
		if p.NextOffset == 0 {
			return all.String()
		}
		if p.NextOffset <= offset || p.NextOffset != p.Offset+int64(len(p.text())) || p.NextOffset >= p.Bytes {
			t.Fatalf("page %d of %s from %d: offset %d, %d bytes, next %d of %d", n, path, offset, p.Offset, len(p.text()), p.NextOffset, p.Bytes)
		}
		offset = p.NextOffset
	}
}

func TestPagesOfAFile(t *testing.T) {
	e := files(map[string]string{"/t": "aé🦀z", "/b": "a\xff\xc3\xa9b", "/empty": ""}) // a 0, é 1-2, 🦀 3-6, z 7
	for _, c := range []struct {
		path         string
		offset, size int64
		from, next   int64
		want         string
	}{
		{"/t", 0, 0, 0, 0, "aé🦀z"},
		{"/t", 0, 8, 0, 0, "aé🦀z"},
		{"/t", 0, 7, 0, 7, "aé🦀"},
		{"/t", 0, 6, 0, 3, "aé"}, // an end inside a character moves back
		{"/t", 0, 2, 0, 1, "a"},
		{"/t", 1, 1, 1, 3, "é"}, // too small for it: the whole character
		{"/t", 2, 1, 3, 7, "🦀"}, // an offset inside a character moves on
		{"/t", 4, 1, 7, 0, "z"},
		{"/t", 4, 100, 7, 0, "z"},
		{"/t", 8, 1, 8, 0, ""},
		{"/t", 1 << 60, 1 << 62, 8, 0, ""},
		{"/b", 0, 2, 0, 2, "a\xff"}, // no text: cut where asked
		{"/b", 1, 1, 1, 2, "\xff"},
		{"/b", 2, 1, 2, 4, "é"}, // a page of text, whatever surrounds it
		{"/b", 4, 9, 4, 0, "b"},
		{"/empty", 0, 0, 0, 0, ""},
		{"t", 7, 0, 7, 0, "z"},
	} {
		p := read(t, e, map[string]any{"path": c.path, "offset": c.offset, "max_bytes": c.size})
		if p.text() != c.want || p.Offset != c.from || p.NextOffset != c.next || p.Path != "/"+strings.TrimPrefix(c.path, "/") {
			t.Errorf("%s from %d, %d bytes: %+v; want %q from %d, next %d", c.path, c.offset, c.size, p, c.want, c.from, c.next)
		}
		if (p.Base64 != nil) != (c.want != "" && !utf8.ValidString(c.want)) {
			t.Errorf("%s from %d: text as base64, or bytes as text: %+v", c.path, c.offset, p)
		}
	}
}

// Reading on by next_offset gives the file, whatever it holds.
func FuzzReadingOnGivesTheFile(f *testing.F) {
	f.Add("aé🦀z", int64(0), int64(1))
	f.Add("a\xff\xc3\xa9b\x00", int64(2), int64(2))
	f.Add(strings.Repeat("🦀", 20), int64(3), int64(5))
	f.Add("\u0301\u200d", int64(1), int64(1))
	f.Fuzz(func(t *testing.T, content string, offset, size int64) {
		if offset < 0 || size < 1 {
			return
		}
		got := readOn(t, files(map[string]string{"/f": content}), "/f", offset, size)
		want := content[min(offset, int64(len(content))):]
		if utf8.ValidString(content) {
			for want != "" && !utf8.RuneStart(want[0]) {
				want = want[1:]
			}
		}
		if got != want {
			t.Fatalf("%q from %d by %d: %q", content, offset, size, got)
		}
	})
}

// What a file may hold can be read: as JSON some bytes are six times as long.
func TestTheLargestFilesCanBeReadByDefault(t *testing.T) {
	for name, unit := range map[string]string{"plain": "p", "NUL": "\x00", "quotes": `"`, "markup": "<", "two bytes": "é", "separators": "\u2028", "binary": "\xff"} {
		content := strings.Repeat(unit, tool.MaxFile/len(unit))
		for _, size := range []int64{0, 1 << 40} {
			if got := readOn(t, files(map[string]string{"/f": content}), "/f", 0, size); got != content {
				t.Errorf("%s by %d: %d bytes, want %d, the same", name, size, len(got), len(content))
			}
		}
	}
}

func TestAWrittenFileIsReadBackByteForByte(t *testing.T) {
	for _, content := range []string{"", "a", "a\x00b", "é🦀\u2028", "line\r\nline\n", "<&>\"\\", strings.Repeat("c", tool.MaxFile)} {
		e := env()
		r, err := call(t, e, "workspace_write", map[string]any{"path": "notes/a.md", "content": content})
		if err != nil {
			t.Fatal(err)
		}
		wrote, _ := r.Files[0].(event.WorkspaceWritten)
		want := fmt.Sprintf(`{"path":"/notes/a.md","bytes":%d,"sha256":"%s"}`, len(content), wrote.SHA256)
		if len(r.Files) != 1 || wrote.Content.Inline() != content || wrote.Path != "/notes/a.md" || r.Output != want {
			t.Errorf("%.20q: wrote %d files, %s; want %s", content, len(r.Files), r.Output, want)
		}
		if got := readOn(t, e, "/notes/a.md", 0, 1<<20); got != content {
			t.Errorf("%.20q was read back as %.20q", content, got)
		}
	}
}

// A name is one name however its letters were typed; others are others.
func TestOneNameIsOneFile(t *testing.T) {
	e := env()
	for path, content := range map[string]string{"/caf\u00e9": "1", "/CAF\u00c9": "2", "/%2e%2e/cafe": "3", "/c\u0430fe": "4"} {
		if _, err := call(t, e, "workspace_write", map[string]any{"path": path, "content": content}); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, e, map[string]any{"path": "cafe\u0301"}); got.Content != "1" || got.Path != "/caf\u00e9" {
		t.Errorf("%+v", got)
	}
	if r, err := call(t, e, "workspace_list", map[string]any{"prefix": "cafe\u0301"}); err != nil || strings.Count(r.Output, "path") != 1 {
		t.Errorf("%s, %v", r.Output, err)
	}
	if s := search(t, e, map[string]any{"glob": "cafe\u0301"}); len(s.Files) != 1 {
		t.Errorf("%v", s.Files)
	}
	if n := len(stands(e)); n != 4 {
		t.Errorf("%d files, want 4", n)
	}
}

func TestCallsOnFilesThatFail(t *testing.T) {
	e := files(map[string]string{"/a": "a"})
	for _, path := range []string{"", "/", "..", "/a/../b", "/./a", "/a//b", "/a/", `\a`, `/a\b`, "/a\x00", "/\n", "/\u200b", "/a\u202eb", "/a\u00a0b", "/" + strings.Repeat("a", workspace.MaxPath)} {
		for name, args := range map[string]map[string]any{
			"workspace_read": {"path": path}, "workspace_write": {"path": path, "content": "c"}, "workspace_edit": {"path": path, "old": "a", "new": "b"},
			"workspace_delete": {"path": path, "recursive": true}, "workspace_move": {"from": "/a", "to": path},
		} {
			if _, err := call(t, e, name, args); code(err) != "invalid_path" {
				t.Errorf("%s %.20q: %v, want invalid_path", name, path, err)
			}
		}
	}
	for _, c := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"workspace_read", map[string]any{"path": "/b"}, "not_found"},
		{"workspace_read", map[string]any{"path": "/A"}, "not_found"},
		{"workspace_read", map[string]any{"path": "/a", "offset": -1}, "invalid_arguments"},
		{"workspace_read", map[string]any{"path": "/a", "max_bytes": -1}, "invalid_arguments"},
		{"workspace_write", map[string]any{"path": "/a", "content": strings.Repeat("c", tool.MaxFile+1)}, "too_large"},
	} {
		if r, err := call(t, e, c.name, c.args); code(err) != c.want || len(r.Files) > 0 {
			t.Errorf("%s %v: %v, want %s", c.name, c.args["path"], err, c.want)
		}
	}
}

func TestListPagesAreAllFilesInOrder(t *testing.T) {
	for name, c := range map[string]struct {
		n      int
		suffix string
	}{"many": {2001, ""}, "long": {100, strings.Repeat("<", 900)}} { // the long ones are over MaxOutput in all
		all, want := map[string]string{"/m": "", "/other": ""}, []string(nil)
		for i := range c.n {
			path := fmt.Sprintf("/n/%04d%s", i, c.suffix)
			all[path] = "x"
			want = append(want, path)
		}
		e, after, got := files(all), "", []string(nil)
		for pages := 0; pages == 0 || after != ""; pages++ {
			r, err := call(t, e, "workspace_list", map[string]any{"prefix": "n/", "after": after})
			var p struct {
				Files     []struct{ Path, Type string }
				NextAfter string `json:"next_after"`
			}
			if err != nil || json.Unmarshal([]byte(r.Output), &p) != nil || len(p.Files) > 1000 || pages > c.n {
				t.Fatalf("%s, page %d: %d files, %v", name, pages, len(p.Files), err)
			}
			for _, f := range p.Files {
				got = append(got, f.Path)
			}
			after = p.NextAfter
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%.2000s", name, d)
		}
	}
}

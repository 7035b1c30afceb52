package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/workspace"
)

type searched struct {
	Files   []string
	Matches []struct {
		Path string
		Line int
		Text string
	}
	Searched   int                          `json:"files_searched"`
	MoreIn     string                       `json:"more_in"`
	Skipped    []struct{ Path, Why string } `json:"skipped"`
	SkippedToo int                          `json:"skipped_besides"`
	NextAfter  string                       `json:"next_after"`
}

func (s searched) lines() (all []string) {
	for _, m := range s.Matches {
		all = append(all, fmt.Sprintf("%s:%d:%s", m.Path, m.Line, m.Text))
	}
	return all
}

func search(t testing.TB, e tool.Env, args map[string]any) searched {
	t.Helper()
	r, err := call(t, e, "workspace_search", args)
	var s searched
	if err != nil || json.Unmarshal([]byte(r.Output), &s) != nil {
		t.Fatalf("%v, %.300s", err, r.Output)
	}
	return s
}

func TestSearches(t *testing.T) {
	e := files(map[string]string{
		"/a.go": "package a\n\nfunc A() {}\n", "/src/b.go": "package b\r\nfunc B() {}", "/src/b.md": "# Func\n", "/src/bin": "func\x00\n", "/src/latin": "func \xff\n", "/empty": "",
	})
	for name, c := range map[string]struct {
		args  map[string]any
		lines []string
		files []string
	}{
		"names":            {map[string]any{"glob": "*.go"}, nil, []string{"/a.go", "/src/b.go"}},
		"no names":         {map[string]any{"glob": "*.rs"}, nil, []string{}},
		"lines":            {map[string]any{"pattern": `^func (\w)`}, []string{"/a.go:3:func A() {}", "/src/b.go:2:func B() {}"}, nil},
		"both":             {map[string]any{"pattern": "package", "glob": "/src/**"}, []string{"/src/b.go:1:package b"}, nil},
		"the end of CRLF":  {map[string]any{"pattern": "package b$"}, []string{"/src/b.go:1:package b"}, nil},
		"any case":         {map[string]any{"pattern": "^# func|PACKAGE A", "ignore_case": true}, []string{"/a.go:1:package a", "/src/b.md:1:# Func"}, nil},
		"empty lines":      {map[string]any{"pattern": "^$"}, []string{"/a.go:2:"}, nil},
		"nothing":          {map[string]any{"pattern": "nowhere"}, nil, nil},
		"not across lines": {map[string]any{"pattern": `a\n`}, nil, nil},
		"behind a path":    {map[string]any{"pattern": "package", "after": "/a.go"}, []string{"/src/b.go:1:package b"}, nil},
	} {
		s := search(t, e, c.args)
		if d := cmp.Diff(c.lines, s.lines()); d != "" || s.NextAfter != "" || s.MoreIn != "" {
			t.Errorf("%s: %+v (-want +got):\n%s", name, s, d)
		}
		if d := cmp.Diff(c.files, s.Files); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	s := search(t, e, map[string]any{"pattern": "func"})
	if s.Searched != 6 || len(s.Skipped) != 2 || s.Skipped[0].Path != "/src/bin" || s.Skipped[1].Path != "/src/latin" {
		t.Errorf("%+v; want what was skipped to be said", s)
	}
}

func TestSearchesThatAreRefusedSayWhy(t *testing.T) {
	for why, args := range map[string]map[string]any{
		"give pattern": {}, "RE2": {"pattern": "(a"}, "RE2: ": {"pattern": `(?=a)`}, "missing": {"pattern": "a)(b", "ignore_case": true}, "1001 bytes": {"pattern": strings.Repeat("a", 1001)},
		`"["`: {"glob": "[a"}, "not negative": {"pattern": "a", "max_matches": -1}, "1025 bytes": {"glob": strings.Repeat("a", 1025)}, "repeat": {"pattern": "(a{1000}){1000}"},
	} {
		args := args
		if _, err := call(t, files(nil), "workspace_search", args); code(err) != "invalid_arguments" || why != "missing" && !strings.Contains(err.Error(), why) {
			t.Errorf("%v: %v, want invalid_arguments that says %s", args, err, why)
		}
	}
}

// Reading on by next_after gives every match once, whatever the bounds are.
func TestSearchingOnGivesEveryMatch(t *testing.T) {
	all, want := map[string]string{}, []string(nil)
	for i := range 150 {
		path := fmt.Sprintf("/%03d", i)
		all[path] = strings.Repeat("no\nyes\n", i%5)
		for n := range i % 5 {
			want = append(want, fmt.Sprintf("%s:%d:yes", path, 2*n+2))
		}
	}
	for _, most := range []int{4, 7, 50, 1000} {
		after, got := "", []string(nil)
		for pages := 0; pages == 0 || after != ""; pages++ {
			s := search(t, files(all), map[string]any{"pattern": "yes", "max_matches": most, "after": after})
			if len(s.Matches) > most || pages > 150 || s.MoreIn != "" || s.NextAfter != "" && s.NextAfter <= after {
				t.Fatalf("by %d, page %d: %d matches, more in %q, next %q after %q", most, pages, len(s.Matches), s.MoreIn, s.NextAfter, after)
			}
			got, after = append(got, s.lines()...), s.NextAfter
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("by %d (-want +got):\n%.2000s", most, d)
		}
	}
	s := search(t, files(all), map[string]any{"glob": "1*", "max_matches": 20})
	if len(s.Files) != 20 || s.NextAfter != "/119" {
		t.Errorf("names: %v, next %s", s.Files, s.NextAfter)
	}
}

func TestWhatASearchLeavesOutIsSaid(t *testing.T) {
	many := files(map[string]string{"/a": strings.Repeat("yes\n", 30), "/b": "yes"})
	if s := search(t, many, map[string]any{"pattern": "yes", "max_matches": 10}); len(s.Matches) != 10 || s.MoreIn != "/a" || s.NextAfter != "/a" {
		t.Errorf("a file with many: %d matches, more in %q, next %q", len(s.Matches), s.MoreIn, s.NextAfter)
	}
	binary := map[string]string{}
	for i := range 30 {
		binary[fmt.Sprint("/", i)] = "\x00"
	}
	if s := search(t, files(binary), map[string]any{"pattern": "x"}); len(s.Skipped) != 20 || s.SkippedToo != 10 {
		t.Errorf("%d and %d were skipped", len(s.Skipped), s.SkippedToo)
	}
	long := strings.Repeat("é", 300) + "yes" + strings.Repeat("é", 50_000) + "yes\nyes"
	s := search(t, files(map[string]string{"/l": long}), map[string]any{"pattern": "yes"})
	if len(s.Matches) != 3 || s.Matches[0].Line != 1 || s.Matches[1].Line != 1 || s.Matches[2].Line != 2 {
		t.Fatalf("long lines: %+v", s)
	}
	for _, m := range s.Matches {
		if !strings.Contains(m.Text, "yes") || len(m.Text) > 500 {
			t.Errorf("%d: %s", m.Line, m.Text)
		}
	}
}

// sparse are values of any size that hold the same line again and again.
type sparse struct {
	inline
	loaded *atomic.Int64
}

func (s sparse) Load(_ context.Context, v event.Value, offset, n int64) (string, error) {
	if n > 1<<20 {
		return "", errors.New("more than a page at once")
	}
	n = min(n, v.Len()-offset)
	s.loaded.Add(n)
	return strings.Repeat(strings.Repeat("0", 127)+"\n", int(n/128)+1)[:n], nil
}

// What a search reads is bounded; files of 50 MB are named, not read.
func TestASearchReadsNoMoreThanItsBound(t *testing.T) {
	tree := &workspace.Tree{}
	for i, size := range []int64{50 << 20, 20 << 20, 10 << 20, 10 << 20, 8} {
		tree.Apply(event.Event{Data: event.WorkspaceWritten{Path: fmt.Sprint("/", i), Bytes: size, Content: event.ByRef(event.Ref{SHA256: fmt.Sprint(i), Bytes: size})}})
	}
	var loaded atomic.Int64
	e := tool.Env{Workspace: workspace.NewView(tree), Values: sparse{loaded: &loaded}}
	s := search(t, e, map[string]any{"pattern": "nothing"})
	if loaded.Load() > 32<<20 || s.Searched != 3 || s.NextAfter != "/2" || len(s.Skipped) != 1 || s.Skipped[0].Path != "/0" {
		t.Errorf("%d bytes were read: %+v", loaded.Load(), s)
	}
	if s = search(t, e, map[string]any{"pattern": "nothing", "after": s.NextAfter}); s.Searched != 2 || s.NextAfter != "" {
		t.Errorf("%+v", s)
	}
}

func BenchmarkSearchOf1000Files(b *testing.B) {
	all := map[string]string{}
	for i := range 1000 {
		all[fmt.Sprintf("/src/%d/%d.go", i%31, i)] = strings.Repeat("func name() error { return nil }\n", 300)
	}
	e := files(all)
	for b.Loop() {
		if s := search(b, e, map[string]any{"pattern": `err\w+ \{$`, "glob": "*.go"}); s.Searched != 1000 {
			b.Fatal(s.Searched)
		}
	}
}

func BenchmarkPatchOf1MB(b *testing.B) {
	var text, patch strings.Builder
	patch.WriteString("*** Begin Patch\n*** Update File: f\n")
	for i := range 12_000 {
		fmt.Fprintf(&text, "line %d of the file, and some more\nanother\nanother\n\n", i)
		fmt.Fprintf(&patch, "@@\n line %d of the file, and some more\n-another\n+changed\n another\n", i)
	}
	patch.WriteString("*** End Patch\n")
	b.SetBytes(int64(patch.Len()))
	for b.Loop() {
		if _, err := call(b, files(map[string]string{"/f": text.String()}), "apply_patch", map[string]any{"patch": patch.String()}); err != nil {
			b.Fatal(err)
		}
	}
}

package tool_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/tool"
	"windlass/functions/internal/workspace"
)

// stands is what an environment's files hold, by path.
func stands(e tool.Env) map[string]string {
	all := map[string]string{}
	for _, f := range e.Workspace.List("") {
		all[f.Path] = f.Content.Inline()
	}
	return all
}

// replayed is what the events of a result leave of the files that were there.
func replayed(before map[string]string, r tool.Result) map[string]string {
	tree := &workspace.Tree{}
	for p, content := range before {
		tree.Apply(event.Event{Data: workspace.NewFile(p, content, event.Text(content))})
	}
	for _, p := range r.Files {
		tree.Apply(event.Event{Data: p})
	}
	return stands(tool.Env{Workspace: workspace.NewView(tree)})
}

// change is a call that changes files: what it finds, and what it leaves.
type change struct {
	tool   string
	args   map[string]any
	before map[string]string
	code   string            // of a failure
	says   string            // in the output, or in the failure
	after  map[string]string // nil: as before
}

func (c change) run(t *testing.T) {
	t.Helper()
	e := files(c.before)
	r, err := call(t, e, c.tool, c.args)
	said := r.Output
	if err != nil {
		said = err.Error()
	}
	if code(err) != c.code || !strings.Contains(said, c.says) {
		t.Errorf("%s, want code %q and %q", said, c.code, c.says)
	}
	want := c.after
	if want == nil {
		want = c.before
	}
	if d := cmp.Diff(want, stands(e)); d != "" {
		t.Errorf("later calls see (-want +got):\n%.2000s", d)
	}
	if d := cmp.Diff(want, replayed(c.before, r)); d != "" {
		t.Errorf("the log says (-want +got):\n%.2000s", d)
	}
}

func TestEdits(t *testing.T) {
	before := map[string]string{"/a": "one\ntwo\ntwo\n", "/crlf": "one\r\ntwo\r\n", "/bin": "a\x00b", "/latin": "\xff one"}
	edit := func(path, old, next string, all bool) map[string]any {
		return map[string]any{"path": path, "old": old, "new": next, "replace_all": all}
	}
	with := func(path, content string) map[string]string { return changed(before, path, content) }
	for name, c := range map[string]change{
		"once":                 {args: edit("a", "one\n", "1\n", false), says: `"path":"/a"`, after: with("/a", "1\ntwo\ntwo\n")},
		"all":                  {args: edit("/a", "two", "2", true), after: with("/a", "one\n2\n2\n")},
		"to nothing":           {args: edit("/a", "one\ntwo\ntwo\n", "", false), says: `"bytes":0`, after: with("/a", "")},
		"over CRLF":            {args: edit("/crlf", "one\ntwo", "1\n2", false), after: with("/crlf", "1\r\n2\r\n")},
		"not UTF-8":            {args: edit("/latin", "one", "1", false), after: with("/latin", "\xff 1")},
		"twice":                {args: edit("/a", "two", "2", false), code: "ambiguous", says: "2 times"},
		"not there":            {args: edit("/a", "three", "3", false), code: "no_match", says: "read the file again"},
		"not all there":        {args: edit("/a", "two\nthree", "3", false), code: "no_match", says: "its first line is, at line 2"},
		"nothing for anything": {args: edit("/a", "", "3", false), code: "invalid_arguments"},
		"the same":             {args: edit("/a", "one", "one", false), code: "invalid_arguments"},
		"no file":              {args: edit("/b", "one", "1", false), code: "not_found"},
		"no path":              {args: edit("/../a", "one", "1", false), code: "invalid_path"},
		"binary":               {args: edit("/bin", "a", "1", false), code: "not_text"},
	} {
		t.Run(name, func(t *testing.T) {
			c.tool, c.before = "workspace_edit", before
			c.run(t)
		})
	}
}

// changed is a copy of files with some of them changed: path, content, ….
func changed(before map[string]string, pairs ...string) map[string]string {
	after := map[string]string{}
	for p, content := range before {
		after[p] = content
	}
	for i := 0; i < len(pairs); i += 2 {
		after[pairs[i]] = pairs[i+1]
	}
	return after
}

func without(before map[string]string, paths ...string) map[string]string {
	after := changed(before)
	for _, p := range paths {
		delete(after, p)
	}
	return after
}

func TestDeletions(t *testing.T) {
	before := map[string]string{"/a": "1", "/a/b": "2", "/a/c/d": "3", "/ab": "4", "/f/x": "5"}
	for name, c := range map[string]change{
		"a file":              {args: map[string]any{"path": "ab"}, says: `{"path":"/ab","deleted":1}`, after: without(before, "/ab")},
		"not what is below":   {args: map[string]any{"path": "/a"}, says: `"deleted":1`, after: without(before, "/a")},
		"all below":           {args: map[string]any{"path": "/a", "recursive": true}, says: `"deleted":3`, after: without(before, "/a", "/a/b", "/a/c/d")},
		"a folder":            {args: map[string]any{"path": "/f", "recursive": true}, says: `"deleted":1`, after: without(before, "/f/x")},
		"a folder by mistake": {args: map[string]any{"path": "/f"}, code: "is_folder", says: "1 files"},
		"nothing":             {args: map[string]any{"path": "/g", "recursive": true}, code: "not_found"},
		"everything":          {args: map[string]any{"path": "/", "recursive": true}, code: "invalid_path"},
		"outside":             {args: map[string]any{"path": "/a/../..", "recursive": true}, code: "invalid_path"},
	} {
		t.Run(name, func(t *testing.T) {
			c.tool, c.before = "workspace_delete", before
			c.run(t)
		})
	}
}

func TestMoves(t *testing.T) {
	before := map[string]string{"/a.txt": "1", "/d/b": "2", "/d/e/c": "3", "/x": "4", "/x/y": "5"}
	move := func(from, to string) map[string]any { return map[string]any{"from": from, "to": to} }
	for name, c := range map[string]change{
		"a file":               {args: move("a.txt", "new/b.md"), says: `{"from":"/a.txt","to":"/new/b.md","moved":1}`, after: changed(without(before, "/a.txt"), "/new/b.md", "1")},
		"a folder":             {args: move("/d", "/z"), says: `"moved":2`, after: changed(without(before, "/d/b", "/d/e/c"), "/z/b", "2", "/z/e/c", "3")},
		"a folder into itself": {args: move("/d", "/d/e"), says: `"moved":2`, after: changed(without(before, "/d/b", "/d/e/c"), "/d/e/b", "2", "/d/e/e/c", "3")},
		"not what is below":    {args: move("/x", "/z"), says: `"moved":1`, after: changed(without(before, "/x"), "/z", "4")},
		"onto a file":          {args: move("/a.txt", "/x"), code: "exists", says: "nothing was moved"},
		"a folder onto one":    {args: move("/d/e", "/d/../d"), code: "invalid_path"},
		"one file of it":       {args: move("/d", "/q"), before: changed(before, "/q/e/c", "9"), code: "exists", says: "/q/e/c"},
		"nowhere":              {args: move("/a.txt", "/a.txt"), code: "invalid_arguments"},
		"nothing":              {args: move("/none", "/b"), code: "not_found"},
		"too deep":             {args: move("/d", "/"+strings.Repeat("n", workspace.MaxPath-3)), code: "invalid_path"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.tool = "workspace_move"; c.before == nil {
				c.before = before
			}
			c.run(t)
		})
	}
}

// A moved file has the very bytes, wherever they stand: nothing is loaded or kept.
func TestAMoveCopiesNothing(t *testing.T) {
	apart := event.ByRef(event.Ref{SHA256: strings.Repeat("a", 64), Bytes: 50 << 20, Type: "text/plain"})
	tree := &workspace.Tree{}
	tree.Apply(event.Event{Data: event.WorkspaceWritten{Path: "/big", SHA256: strings.Repeat("a", 64), Bytes: 50 << 20, ContentType: "text/plain", Content: apart}})
	for name, args := range map[string]map[string]any{
		"workspace_move": {"from": "/big", "to": "/new"},
		"apply_patch":    {"patch": "*** Begin Patch\n*** Update File: /big\n*** Move to: /new\n*** End Patch\n"},
	} {
		e := tool.Env{Workspace: workspace.NewView(tree)} // with no values
		r, err := call(t, e, name, args)
		if err != nil || len(r.Files) != 2 || r.Files[0] != event.Payload(event.WorkspaceDeleted{Path: "/big"}) {
			t.Fatalf("%s: %v, %v", name, r.Files, err)
		}
		if f, ok := e.Workspace.Read("/new"); !ok || !f.Content.Equal(apart) || f.Bytes != 50<<20 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestPatchesOfFiles(t *testing.T) {
	before := map[string]string{"/a": "one\ntwo\n", "/b": "b", "/c": "c\r\n", "/bin": "a\n\x00\n"}
	begin := func(sections string) map[string]any {
		return map[string]any{"patch": "*** Begin Patch\n" + sections + "*** End Patch\n"}
	}
	for name, c := range map[string]change{
		"several files": {args: begin("*** Update File: a\n-two\n+2\n*** Add File: /n\n+new\n*** Delete File: b\n*** Update File: c\n*** Move to: d/c\n-c\n+C\n"),
			says: `{"files":[{"path":"/a","change":"changed","bytes":6,`, after: map[string]string{"/a": "one\n2\n", "/n": "new\n", "/d/c": "C\r\n", "/bin": "a\n\x00\n"}},
		"a diff":                 {args: map[string]any{"patch": "--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n\\ No newline at end of file\n"}, says: `{"path":"/b","change":"deleted"}`, after: changed(without(before, "/b"), "/a", "one\n2\n")},
		"one file twice":         {args: begin("*** Update File: a\n-one\n+1\n*** Update File: /a\n 1\n-two\n+2\n"), after: changed(before, "/a", "1\n2\n")},
		"moved and moved":        {args: begin("*** Update File: b\n*** Move to: n\n*** Update File: n\n*** Move to: m\n"), after: changed(without(before, "/b"), "/m", "b")},
		"there and back":         {args: begin("*** Update File: b\n*** Move to: n\n*** Update File: n\n*** Move to: b\n"), says: `"change":"changed"`},
		"swapped":                {args: begin("*** Update File: a\n*** Move to: t\n*** Update File: b\n*** Move to: a\n*** Update File: t\n*** Move to: b\n"), after: changed(before, "/a", "b", "/b", "one\ntwo\n")},
		"deleted, then added":    {args: begin("*** Delete File: a\n*** Add File: a\n+x\n"), after: changed(before, "/a", "x\n")},
		"added, then deleted":    {args: begin("*** Add File: n\n+x\n*** Delete File: n\n"), says: `{"files":[]}`},
		"loosely":                {args: begin("*** Update File: a\n-one \n+1\n"), says: `"hunks_with_other_spaces":1`, after: changed(before, "/a", "1\ntwo\n")},
		"the second does not":    {args: begin("*** Update File: a\n-one\n+1\n*** Update File: b\n-x\n+y\n"), code: "no_match", says: `file 2 of the patch, "b": hunk 1 (line 6 of the patch) does not fit`},
		"a second hunk":          {args: begin("*** Update File: a\n-one\n+1\n@@\n-three\n"), code: "no_match", says: "hunk 2"},
		"two places":             {args: begin("*** Update File: a\n-x\n"), before: map[string]string{"/a": "x\nx\n"}, code: "ambiguous", says: "nothing was changed"},
		"no patch":               {args: map[string]any{"patch": "please"}, code: "invalid_patch", says: "line 1"},
		"an addition of what is": {args: begin("*** Add File: a\n+x\n"), code: "exists", says: `"a"`},
		"a move onto what is":    {args: begin("*** Update File: b\n*** Move to: a\n"), code: "exists"},
		"a file that is not":     {args: begin("*** Delete File: n\n"), code: "not_found"},
		"more than it says":      {args: map[string]any{"patch": "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"}, code: "no_match", says: "holds more"},
		"outside":                {args: begin("*** Add File: ../../etc/passwd\n+x\n"), code: "invalid_path", says: `".."`},
		"a move outside":         {args: begin("*** Update File: a\n*** Move to: /x/../y\n"), code: "invalid_path"},
		"an odd name":            {args: begin("*** Add File: a\u200b\n+x\n"), code: "invalid_path", says: `\u200b`},
		"binary":                 {args: begin("*** Update File: bin\n-a\n"), code: "not_text"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.tool = "apply_patch"; c.before == nil {
				c.before = before
			}
			c.run(t)
		})
	}
}

// A patch that changes nothing in the end leaves no events.
func TestAPatchThatChangesNothingLeavesNoEvents(t *testing.T) {
	r, err := call(t, files(map[string]string{"/b": "b"}), "apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: b\n*** Move to: n\n*** Update File: n\n*** Move to: b\n*** End Patch"})
	if err != nil || len(r.Files) > 0 {
		t.Errorf("%v, %v", r.Files, err)
	}
}

func TestWhatOneCallChangesIsBounded(t *testing.T) {
	many := map[string]string{}
	for i := range tool.MaxFiles + 1 {
		many[fmt.Sprintf("/d/%04d", i)] = "x"
	}
	small := map[string]string{}
	for i := range tool.MaxInlineFiles/event.MaxInline + 1 {
		small[fmt.Sprintf("/d/%04d", i)] = strings.Repeat("x", event.MaxInline)
	}
	huge := map[string]string{"/f": strings.Repeat("x\n", tool.MaxFile/2+1)}
	var patch strings.Builder
	for i := range tool.MaxFiles + 1 {
		fmt.Fprintf(&patch, "*** Add File: n/%d\n", i)
	}
	for name, c := range map[string]change{
		"deletions":      {tool: "workspace_delete", args: map[string]any{"path": "/d", "recursive": true}, before: many},
		"moves":          {tool: "workspace_move", args: map[string]any{"from": "/d", "to": "/e"}, before: many},
		"moves of bytes": {tool: "workspace_move", args: map[string]any{"from": "/d", "to": "/e"}, before: small},
		"patches":        {tool: "apply_patch", args: map[string]any{"patch": "*** Begin Patch\n" + patch.String() + "*** End Patch"}},
		"a patch's file": {tool: "apply_patch", args: map[string]any{"patch": "*** Begin Patch\n*** Update File: f\n-x\n*** End Patch"}, before: huge},
		"an edit's":      {tool: "workspace_edit", args: map[string]any{"path": "f", "old": "x", "new": "y"}, before: huge},
		"what it leaves": {tool: "workspace_edit", args: map[string]any{"path": "f", "old": "x", "new": strings.Repeat("y", 1<<20), "replace_all": true}, before: map[string]string{"/f": "xxxxxxxxx"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.code = "too_large"; c.before == nil {
				c.before = map[string]string{}
			}
			c.run(t)
		})
	}
}

// A call whose result cannot be kept has changed nothing that later calls would see.
func TestAFailedCallShowsNothing(t *testing.T) {
	e := files(nil)
	x := tool.Define(tool.Tool{Name: "x", Effect: tool.Idempotent, Timeout: 1e9}, func(none) string { return "" }, write)
	if _, err := x.Run(t.Context(), e, `{}`); code(err) != "too_large" || len(stands(e)) > 0 {
		t.Errorf("%v, %v", err, stands(e))
	}
}

package workspace_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/workspace"
)

func paths(files []workspace.File) (all []string) {
	for _, f := range files {
		all = append(all, f.Path+"="+f.Content.Inline())
	}
	return all
}

func write(v *workspace.View, path, data string) workspace.File {
	f := workspace.NewFile(path, data, event.Text(data))
	v.Apply(f)
	return f
}

// grown is a tree that holds files by folding the events of earlier rounds.
func grown(files ...string) *workspace.Tree {
	tree := &workspace.Tree{}
	v := workspace.NewView(tree)
	for i := 0; i < len(files); i += 2 {
		tree.Apply(event.Event{Data: write(v, files[i], files[i+1])})
	}
	return tree
}

func TestAViewReadsItsOwnWritesBeforeTheyAreDurable(t *testing.T) {
	tree := grown("/a", "old")
	v, other := workspace.NewView(tree), workspace.NewView(tree)
	w := write(v, "/a", "new")
	write(v, "/b", "b")
	for _, c := range []struct {
		view       *workspace.View
		path, want string
		ok         bool
	}{{v, "/a", "new", true}, {v, "/b", "b", true}, {v, "/c", "", false}, {other, "/a", "old", true}, {other, "/b", "", false}} {
		if f, ok := c.view.Read(c.path); ok != c.ok || f.Content.Inline() != c.want {
			t.Errorf("%s: %q, %t; want %q, %t", c.path, f.Content.Inline(), ok, c.want, c.ok)
		}
	}
	tree.Apply(event.Event{Data: w}) // durable now
	if f, _ := other.Read("/a"); f.Content.Inline() != "new" {
		t.Errorf("after the commit: %q", f.Content.Inline())
	}
}

func TestListMergesWritesOverTheTree(t *testing.T) {
	v := workspace.NewView(grown("/b", "1", "/a/x", "2", "/a/y", "3", "/ab", "4"))
	write(v, "/a/y", "new")
	write(v, "/a/n", "5")
	for prefix, want := range map[string][]string{
		"":     {"/a/n=5", "/a/x=2", "/a/y=new", "/ab=4", "/b=1"},
		"/a/":  {"/a/n=5", "/a/x=2", "/a/y=new"},
		"/a":   {"/a/n=5", "/a/x=2", "/a/y=new", "/ab=4"},
		"/nil": nil,
	} {
		if d := cmp.Diff(want, paths(v.List(prefix))); d != "" {
			t.Errorf("%q (-want +got):\n%s", prefix, d)
		}
	}
}

func TestTheLastWriteOfAPathStands(t *testing.T) {
	tree := grown("/a", "1", "/a", "2", "/a", "1")
	tree.Apply(event.Event{Data: event.Unknown{Name: "workspace.deleted", Version: 9}}) // passed over
	if got := paths(workspace.NewView(tree).List("")); len(got) != 1 || got[0] != "/a=1" {
		t.Errorf("%v", got)
	}
}

// The event is stored: the same write must give the same event on every host.
func TestWrittenEventsNeverChange(t *testing.T) {
	v := workspace.NewView(&workspace.Tree{})
	want := event.WorkspaceWritten{Path: "/a.md", SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", Bytes: 5, ContentType: "text/markdown; charset=utf-8", Content: event.Text("hello")}
	if d := cmp.Diff(want, write(v, "/a.md", "hello")); d != "" {
		t.Errorf("event (-want +got):\n%s", d)
	}
	for name, c := range map[string][2]string{
		"/A.MD": {"x", "text/markdown; charset=utf-8"}, "/data.JSON": {"x", "application/json"}, "/x.png": {"not really", "image/png"},
		"/x": {"plain", "text/plain; charset=utf-8"}, "/page": {"<!DOCTYPE html>", "text/html; charset=utf-8"}, "/bin": {"a\x00\x01\xff", "application/octet-stream"},
		"/empty": {"", "text/plain; charset=utf-8"}, "/x.go": {"package x", "text/plain; charset=utf-8"}, "/x.unknown": {"\x89PNG\x0D\x0A\x1A\x0A", "image/png"},
	} {
		if got := write(v, name, c[0]).ContentType; got != c[1] {
			t.Errorf("%s: %s, want %s", name, got, c[1])
		}
	}
}

// A driver folds results while other calls of the round still read: for -race.
func TestATreeMayGrowWhileItIsRead(t *testing.T) {
	tree := grown("/a", "1")
	v := workspace.NewView(tree)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { tree.Apply(event.Event{Data: write(v, fmt.Sprint("/", i), "x")}) })
		all.Go(func() { v.Read("/a"); v.List("/") })
	}
	all.Wait()
	if n := len(v.List("")); n != 9 {
		t.Errorf("%d files, want 9", n)
	}
}

func TestADeletedFileIsGone(t *testing.T) {
	tree := grown("/a", "1", "/b", "2")
	tree.Page("", "", 1) // the order is known
	for range 2 {        // deleting nothing changes nothing
		tree.Apply(event.Event{Data: event.WorkspaceDeleted{Path: "/a"}})
	}
	if _, ok := tree.File("/a"); ok {
		t.Error("it is there")
	}
	if page, more := tree.Page("", "", 9); len(page) != 1 || page[0].Path != "/b" || more {
		t.Errorf("%v, %t", paths(page), more)
	}
	if got := paths(workspace.NewView(tree).List("")); len(got) != 1 {
		t.Errorf("a view lists %v", got)
	}
	tree.Apply(event.Event{Data: workspace.NewFile("/a", "again", event.Text("again"))})
	if page, _ := tree.Page("", "", 9); len(page) != 2 || page[0].Content.Inline() != "again" {
		t.Errorf("%v", paths(page))
	}
}

func TestPagesFollowEachOther(t *testing.T) {
	tree := grown("/b", "", "/a/x", "", "/a", "", "/a/y", "", "/ab", "", "/é", "")
	for prefix, want := range map[string][]string{"": {"/a", "/a/x", "/a/y", "/ab", "/b", "/é"}, "/a": {"/a", "/a/x", "/a/y", "/ab"}, "/a/": {"/a/x", "/a/y"}, "/z": nil, "/é": {"/é"}} {
		for limit := 1; limit < 8; limit++ {
			var got []string
			for after, more := "", true; more; {
				var page []workspace.File
				page, more = tree.Page(prefix, after, limit)
				if len(page) > limit || more && len(page) == 0 {
					t.Fatalf("%q by %d: %d files, more: %t", prefix, limit, len(page), more)
				}
				for _, f := range page {
					got, after = append(got, f.Path), f.Path
				}
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q by %d (-want +got):\n%s", prefix, limit, d)
			}
		}
	}
	// A file that went in between is passed over.
	tree.Apply(event.Event{Data: event.WorkspaceDeleted{Path: "/a/x"}})
	if page, _ := tree.Page("", "/a/x", 1); len(page) != 1 || page[0].Path != "/a/y" {
		t.Errorf("%v", paths(page))
	}
}

// The order of 10,000 names is made once, not in each page.
func BenchmarkPage(b *testing.B) {
	tree := &workspace.Tree{}
	for i := range 10_000 {
		tree.Apply(event.Event{Data: event.WorkspaceWritten{Path: fmt.Sprintf("/dir-%d/%d", i%97, i)}})
	}
	for b.Loop() {
		tree.Page("/dir-5", "/dir-50/", 200)
	}
}

func TestAViewSeesDeletionsBeforeTheyAreDurable(t *testing.T) {
	tree := grown("/a", "1", "/b", "2")
	v, other := workspace.NewView(tree), workspace.NewView(tree)
	v.Apply(event.WorkspaceDeleted{Path: "/a"}, event.WorkspaceDeleted{Path: "/none"}, workspace.NewFile("/c", "3", event.Text("3")))
	if _, ok := v.Read("/a"); ok {
		t.Error("it can be read")
	}
	if d := cmp.Diff([]string{"/b=2", "/c=3"}, paths(v.List(""))); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"/a=1", "/b=2"}, paths(other.List(""))); d != "" {
		t.Errorf("another view (-want +got):\n%s", d)
	}
	write(v, "/a", "again")
	if f, ok := v.Read("/a"); !ok || f.Content.Inline() != "again" {
		t.Errorf("%q, %t", f.Content.Inline(), ok)
	}
}

func TestAMovedFileKeepsItsBytes(t *testing.T) {
	f := workspace.NewFile("/a.md", "hello", event.Text("hello"))
	for to, kind := range map[string]string{"/b.txt": "text/plain; charset=utf-8", "/b": f.ContentType, "/b.go": f.ContentType} {
		want := f
		want.Path, want.ContentType = to, kind
		if d := cmp.Diff(want, workspace.Moved(f, to)); d != "" {
			t.Errorf("%s (-want +got):\n%s", to, d)
		}
	}
}

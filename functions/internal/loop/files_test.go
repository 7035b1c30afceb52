package loop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/session"
	"windlass/functions/internal/workspace"
)

// Calls of one round see what those before them wrote, moved and deleted, and the log
// says it in that order, each beside the result that tells of it.
func TestARoundsCallsWriteMoveAndDelete(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[workspace_write, workspace_read, workspace_move, workspace_delete, apply_patch, workspace_list]")
	w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
		if n > 1 {
			return []model.Part{{Text: "done"}}, nil
		}
		return []model.Part{
			call("1", "workspace_write", `{"path":"/a","content":"one\n"}`),
			call("2", "workspace_move", `{"from":"/a","to":"/b"}`),
			call("3", "apply_patch", `{"patch":"*** Begin Patch\n*** Update File: /b\n*** Move to: /c\n-one\n+two\n*** End Patch"}`),
			call("4", "workspace_read", `{"path":"/c"}`),
			call("5", "workspace_delete", `{"path":"/c"}`),
			call("6", "workspace_read", `{"path":"/c"}`),
			call("7", "workspace_list", `{}`),
		}, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	var got []string
	tree := &workspace.Tree{}
	for _, e := range w.events() {
		tree.Apply(e)
		switch d := e.Data.(type) {
		case event.WorkspaceWritten:
			got = append(got, "+"+d.Path+" "+strings.TrimSpace(d.Content.Inline()))
		case event.WorkspaceDeleted:
			got = append(got, "-"+d.Path)
		case event.ToolCompleted:
			got = append(got, d.Name)
		case event.ToolFailed:
			got = append(got, d.Name+" "+d.Error.Code)
		}
	}
	want := []string{"+/a one", "workspace_write", "-/a", "+/b one", "workspace_move", "-/b", "+/c two", "apply_patch", "workspace_read", "-/c", "workspace_delete", "workspace_read not_found", "workspace_list"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if left := workspace.NewView(tree).List(""); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// A round may change more files than one entry of the log takes: then it is cut, but
// never between a call's files and its result.
func TestWhatACallDidToFilesIsNeverCutFromItsResult(t *testing.T) {
	w := newWorld(t)
	w.service.Agents = catalog(t, "[apply_patch, workspace_move]")
	var patch strings.Builder
	for i := range 500 {
		fmt.Fprintf(&patch, `*** Add File: d0/%d\n+x\n`, i)
	}
	const moves = 7
	w.model(func(_ context.Context, n int, _ model.Request) ([]model.Part, error) {
		if n > 1 {
			return []model.Part{{Text: "done"}}, nil
		}
		all := []model.Part{call("p", "apply_patch", `{"patch":"*** Begin Patch\n`+patch.String()+`*** End Patch"}`)}
		for i := range moves {
			all = append(all, call(fmt.Sprint(i), "workspace_move", fmt.Sprintf(`{"from":"/d%d","to":"/d%d"}`, i, i+1)))
		}
		return all, nil
	})
	w.submit(session.Submission{Prompt: "go", OperationID: "op"})
	w.drive("op", 1)
	commits, completed := 0, 0
	for c, err := range w.journal.Read(t.Context(), stream, 0) {
		if err != nil {
			t.Fatal(err)
		}
		files := false
		for _, e := range c.Events {
			switch e.Data.(type) {
			case event.WorkspaceWritten, event.WorkspaceDeleted:
				files = true
			case event.ToolCompleted:
				files = false
				completed++
			}
		}
		if commits++; files {
			t.Errorf("commit %d ends with files of a call whose result comes later", commits)
		}
	}
	if completed != moves+1 {
		t.Errorf("%d calls were completed, want %d", completed, moves+1)
	}
}

package tool

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"windlass/eventstore/event"
)

//go:embed workspace_edit.md
var workspaceEditText string

type editArgs struct {
	Path       string `json:"path" jsonschema:"the file to change, such as /notes/todo.md"`
	Old        string `json:"old" jsonschema:"the text to replace, exactly as it stands in the file, with its spaces and newlines"`
	New        string `json:"new" jsonschema:"the text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitempty" jsonschema:"replace every occurrence; else there has to be exactly one"`
}

var workspaceEdit = Define(Tool{
	Name: "workspace_edit", Description: workspaceEditText, Effect: Idempotent, Timeout: 30 * time.Second,
}, func(a editArgs) string { return fileTarget(a.Path) }, edit)

func edit(ctx context.Context, env Env, a editArgs) (Result, error) {
	path, err := cleanPath(a.Path)
	if err != nil {
		return Result{}, err
	}
	f, ok := env.Workspace.Read(path)
	if !ok {
		return Result{}, failf("not_found", "there is no file %s", path)
	}
	text, err := loadText(ctx, env, f)
	if err != nil {
		return Result{}, err
	}
	changed, err := replaced(text, a)
	if err != nil {
		return Result{}, err
	}
	if f, err = newFile(ctx, env, path, changed); err != nil {
		return Result{}, err
	}
	return Result{Output: written(f), Files: []event.Payload{f}}, nil
}

// replaced is a text after the edit. In a text whose lines end with CRLF, a "\n" of
// the edit is one.
func replaced(text string, a editArgs) (string, error) {
	old, next := a.Old, a.New
	if old == "" || old == next {
		return "", failf("invalid_arguments", "old is not empty, and not the same as new; workspace_write makes a new file")
	}
	n := strings.Count(text, old)
	if n == 0 && strings.Contains(text, "\r\n") && !strings.Contains(old, "\r") {
		crlf := strings.NewReplacer("\r\n", "\r\n", "\n", "\r\n")
		old, next = crlf.Replace(old), crlf.Replace(next)
		n = strings.Count(text, old)
	}
	switch {
	case n == 0:
		return "", failf("no_match", "old is not in the file%s; read the file again", firstLine(text, old))
	case n > 1 && !a.ReplaceAll:
		return "", failf("ambiguous", "old is %d times in the file; give more of what stands around it, or replace_all", n)
	case len(text)+n*(len(next)-len(old)) > MaxFile:
		return "", failf("too_large", "the file would have more than %d bytes", MaxFile)
	}
	return strings.ReplaceAll(text, old, next), nil
}

// firstLine says where the first line of a longer text stands.
func firstLine(text, old string) string {
	first, _, more := strings.Cut(strings.TrimLeft(old, "\r\n"), "\n")
	first = strings.TrimSpace(first)
	if at := strings.Index(text, first); more && first != "" && at >= 0 {
		return fmt.Sprintf(" (its first line is, at line %d, but not with what follows)", 1+strings.Count(text[:at], "\n"))
	}
	return ""
}

package tool

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/workspace"
)

// MaxFile bounds a file that a call writes, in bytes.
const MaxFile = 8 << 20

//go:embed workspace_write.md
var workspaceWriteText string

type writeArgs struct {
	Path    string `json:"path" jsonschema:"where to write, such as /notes/todo.md"`
	Content string `json:"content" jsonschema:"the whole content of the file"`
}

var workspaceWrite = Define(Tool{
	Name: "workspace_write", Description: workspaceWriteText, Effect: Idempotent, Timeout: 30 * time.Second,
}, func(a writeArgs) string { return fileTarget(a.Path) }, write)

func write(ctx context.Context, env Env, a writeArgs) (Result, error) {
	path, err := workspace.CleanPath(a.Path)
	if err != nil {
		return Result{}, failf("invalid_path", "%v", err)
	}
	if len(a.Content) > MaxFile {
		return Result{}, failf("too_large", "the content has %d bytes, at most %d can be written", len(a.Content), MaxFile)
	}
	content, err := env.Values.Keep(ctx, a.Content, workspace.ContentType(path, a.Content))
	if err != nil {
		return Result{}, err
	}
	f := workspace.NewFile(path, a.Content, content)
	env.Workspace.Put(f)
	return Result{Output: written(f), Wrote: []event.WorkspaceWritten{f}}, nil
}

func written(f workspace.File) string {
	return object(struct {
		Path   string `json:"path"`
		Bytes  int64  `json:"bytes"`
		SHA256 string `json:"sha256"`
	}{f.Path, f.Bytes, f.SHA256})
}

// fileTarget is the same for every spelling of one path.
func fileTarget(path string) string {
	if p, err := workspace.CleanPath(path); err == nil {
		return "file:" + p
	}
	return ""
}

func object(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return string(b)
}

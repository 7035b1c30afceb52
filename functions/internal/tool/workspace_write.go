package tool

import (
	"context"
	_ "embed"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/workspace"
)

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
	path, err := cleanPath(a.Path)
	if err != nil {
		return Result{}, err
	}
	f, err := newFile(ctx, env, path, a.Content)
	if err != nil {
		return Result{}, err
	}
	return Result{Output: written(f), Files: []event.Payload{f}}, nil
}

func written(f workspace.File) string {
	return object(struct {
		Path   string `json:"path"`
		Bytes  int64  `json:"bytes"`
		SHA256 string `json:"sha256"`
	}{f.Path, f.Bytes, f.SHA256})
}

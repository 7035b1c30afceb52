package tool

import (
	"context"
	_ "embed"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/workspace"
)

//go:embed workspace_delete.md
var workspaceDeleteText string

type deleteArgs struct {
	Path      string `json:"path" jsonschema:"the file to delete, or with recursive the folder, such as /notes"`
	Recursive bool   `json:"recursive,omitempty" jsonschema:"also delete every file below the path"`
}

var workspaceDelete = Define(Tool{
	Name: "workspace_delete", Description: workspaceDeleteText, Effect: Idempotent, Timeout: 30 * time.Second,
	About: AboutArgs(func(a deleteArgs) Subject {
		if a.Recursive {
			return below(a.Path)
		}
		return files(a.Path)
	}),
}, func(deleteArgs) string { return EveryFile }, remove)

type deleteResult struct {
	Path    string `json:"path"`
	Deleted int    `json:"deleted"`
}

func remove(_ context.Context, env Env, a deleteArgs) (Result, error) {
	path, err := cleanPath(a.Path)
	if err != nil {
		return Result{}, err
	}
	var gone []event.Payload
	_, isFile := env.Workspace.Read(path)
	if isFile {
		gone = append(gone, event.WorkspaceDeleted{Path: path})
	}
	if a.Recursive || !isFile {
		gone = append(gone, deleted(env.Workspace.List(path+"/"))...)
	}
	switch {
	case len(gone) == 0:
		return Result{}, failf("not_found", "there is no file %s", path)
	case !isFile && !a.Recursive:
		return Result{}, failf("is_folder", "%s is a folder with %d files; recursive deletes them", path, len(gone))
	}
	return Result{Output: object(deleteResult{path, len(gone)}), Files: gone}, nil
}

func deleted(files []workspace.File) (all []event.Payload) {
	for _, f := range files {
		all = append(all, event.WorkspaceDeleted{Path: f.Path})
	}
	return all
}

package tool

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"windlass/functions/internal/workspace"
)

//go:embed workspace_move.md
var workspaceMoveText string

type moveArgs struct {
	From string `json:"from" jsonschema:"the file or folder to move, such as /notes/todo.md"`
	To   string `json:"to" jsonschema:"its whole new path, where nothing stands yet"`
}

var workspaceMove = Define(Tool{
	Name: "workspace_move", Description: workspaceMoveText, Effect: Idempotent, Timeout: 30 * time.Second,
	About: AboutArgs(func(a moveArgs) Subject { return below(a.From, a.To) }),
}, func(moveArgs) string { return EveryFile }, move)

type moveResult struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Moved int    `json:"moved"`
}

// move moves no bytes: the new name has the same content.
func move(_ context.Context, env Env, a moveArgs) (Result, error) {
	from, err := cleanPath(a.From)
	if err != nil {
		return Result{}, err
	}
	to, err := cleanPath(a.To)
	if err != nil {
		return Result{}, err
	}
	var files []workspace.File
	if f, ok := env.Workspace.Read(from); ok {
		files = append(files, f)
	} else {
		files = env.Workspace.List(from + "/")
	}
	switch {
	case from == to:
		return Result{}, failf("invalid_arguments", "from and to are the same path")
	case len(files) == 0:
		return Result{}, failf("not_found", "there is no file or folder %s", from)
	case len(files) > MaxFiles/2:
		return Result{}, failf("too_large", "%s holds %d files, at most %d can be moved at once; nothing was moved; move its folders one by one", from, len(files), MaxFiles/2)
	}
	did := deleted(files)
	for _, f := range files {
		path, err := cleanPath(to + strings.TrimPrefix(f.Path, from))
		if err != nil {
			return Result{}, err
		}
		if _, there := env.Workspace.Read(path); there {
			return Result{}, failf("exists", "%s exists; nothing was moved; delete it first, or choose another path", path)
		}
		did = append(did, workspace.Moved(f, path))
	}
	return Result{Output: object(moveResult{from, to, len(files)}), Files: did}, nil
}

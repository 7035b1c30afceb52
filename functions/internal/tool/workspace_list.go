package tool

import (
	"context"
	_ "embed"
	"time"

	"windlass/functions/internal/workspace"
)

// Bounds of one page of names.
const (
	maxListed = 1000
	// listRest is kept for what surrounds the names: next_after is a path, six
	// bytes for each of its own at worst.
	listRest = 6*workspace.MaxPath + 100
)

//go:embed workspace_list.md
var workspaceListText string

type listArgs struct {
	Prefix string `json:"prefix,omitempty" jsonschema:"only paths that begin with this, such as /notes/"`
	After  string `json:"after,omitempty" jsonschema:"only paths behind this one; give next_after here to read on"`
}

var workspaceList = Define(Tool{
	Name: "workspace_list", Description: workspaceListText, Effect: Read, Timeout: 30 * time.Second,
	About: AboutArgs(func(a listArgs) Subject { return Subject{Prefixes: []string{workspace.CleanPrefix(a.Prefix)}} }),
}, func(listArgs) string { return EveryFile }, list)

type listedFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Type  string `json:"type"`
}

type listResult struct {
	Files     []listedFile `json:"files"`
	NextAfter string       `json:"next_after,omitempty"`
}

func list(_ context.Context, env Env, a listArgs) (Result, error) {
	r := listResult{Files: []listedFile{}}
	size := 0
	for _, f := range env.Workspace.List(workspace.CleanPrefix(a.Prefix)) {
		if f.Path <= a.After {
			continue
		}
		next := listedFile{f.Path, f.Bytes, f.ContentType}
		if size += len(object(next)) + 1; len(r.Files) == maxListed || size > MaxOutput-listRest {
			r.NextAfter = r.Files[len(r.Files)-1].Path
			break
		}
		r.Files = append(r.Files, next)
	}
	return Result{Output: object(r)}, nil
}

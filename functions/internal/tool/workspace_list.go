package tool

import (
	"context"
	_ "embed"
	"strings"
	"time"
)

// maxListed bounds one page of names.
const maxListed = 1000

//go:embed workspace_list.md
var workspaceListText string

type listArgs struct {
	Prefix string `json:"prefix,omitempty" jsonschema:"only paths that begin with this, such as /notes/"`
	After  string `json:"after,omitempty" jsonschema:"only paths behind this one; give next_after here to read on"`
}

var workspaceList = Define(Tool{
	Name: "workspace_list", Description: workspaceListText, Effect: Read, Timeout: 30 * time.Second,
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
	prefix := a.Prefix
	if prefix != "" && !strings.HasPrefix(prefix, "/") {
		prefix = "/" + prefix
	}
	r := listResult{Files: []listedFile{}}
	for _, f := range env.Workspace.List(prefix) {
		if f.Path <= a.After {
			continue
		}
		if len(r.Files) == maxListed {
			r.NextAfter = r.Files[maxListed-1].Path
			break
		}
		r.Files = append(r.Files, listedFile{f.Path, f.Bytes, f.ContentType})
	}
	return Result{Output: object(r)}, nil
}

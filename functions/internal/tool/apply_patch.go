package tool

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"

	"windlass/functions/internal/tool/patch"
)

//go:embed apply_patch.md
var applyPatchText string

type patchArgs struct {
	Patch string `json:"patch" jsonschema:"the patch, in one of the two forms"`
}

var applyPatch = Define(Tool{
	Name: "apply_patch", Description: applyPatchText, Effect: Idempotent, Timeout: time.Minute, About: AboutArgs(patched),
}, func(patchArgs) string { return EveryFile }, applied)

// patched are the files that a patch names.
func patched(a patchArgs) Subject {
	changes, err := patch.Parse(a.Patch)
	if err != nil {
		return Subject{}
	}
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
		if c.To != "" {
			paths = append(paths, c.To)
		}
	}
	return files(paths...)
}

type patchedFile struct {
	Path   string `json:"path"`
	Change string `json:"change"` // added, changed or deleted
	Bytes  int64  `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	// Loose is how many hunks fit only without regard to spaces.
	Loose int `json:"hunks_with_other_spaces,omitempty"`
}

type patchResult struct {
	Files []patchedFile `json:"files"`
}

// applied carries out a whole patch or nothing of it: what it does is drafted, and
// shows once all of it was found to fit.
func applied(ctx context.Context, env Env, a patchArgs) (Result, error) {
	changes, err := patch.Parse(a.Patch)
	if err != nil {
		return Result{}, unfit("", err)
	}
	d := draft{env: env, files: map[string]*drafted{}}
	for n, c := range changes {
		if err := ctx.Err(); err != nil {
			return Result{}, err
		}
		if err := d.change(ctx, c); err != nil {
			return Result{}, unfit(fmt.Sprintf("file %d of the patch, %.300q: ", n+1, c.Path), err)
		}
	}
	return d.result(ctx)
}

// unfit says of an error where it comes from.
func unfit(where string, err error) error {
	var p *patch.Error
	var f Failure
	switch {
	case errors.As(err, &p):
		return failf(p.Code, "%s%s; nothing was changed", where, p.Message)
	case errors.As(err, &f):
		return failf(f.Code, "%s%s; nothing was changed", where, f.Message)
	}
	return err
}

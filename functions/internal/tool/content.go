package tool

import (
	"context"
	"encoding/json"
	"strings"

	"windlass/functions/internal/workspace"
)

// MaxFile bounds a file that a call writes or changes, in bytes.
const MaxFile = 8 << 20

// cleanPath is [workspace.CleanPath] with an error that the model reads.
func cleanPath(path string) (string, error) {
	clean, err := workspace.CleanPath(path)
	if err != nil {
		return "", failf("invalid_path", "%v", err)
	}
	return clean, nil
}

// fileTarget is the same for every spelling of one path.
func fileTarget(path string) string {
	if p, err := workspace.CleanPath(path); err == nil {
		return "file:" + p
	}
	return ""
}

// newFile keeps a file's content and describes it.
func newFile(ctx context.Context, env Env, path, data string) (workspace.File, error) {
	if len(data) > MaxFile {
		return workspace.File{}, failf("too_large", "%s would have %d bytes, at most %d can be written", path, len(data), MaxFile)
	}
	content, err := env.Values.Keep(ctx, data, workspace.ContentType(path, data))
	if err != nil {
		return workspace.File{}, err
	}
	return workspace.NewFile(path, data, content), nil
}

// loadText reads the whole of a file that is to be changed.
func loadText(ctx context.Context, env Env, f workspace.File) (string, error) {
	if f.Bytes > MaxFile {
		return "", failf("too_large", "%s has %d bytes, files of up to %d can be changed", f.Path, f.Bytes, MaxFile)
	}
	text, err := env.Values.Load(ctx, f.Content, 0, f.Bytes)
	if err == nil && strings.Contains(text, "\x00") {
		err = failf("not_text", "%s is not a text: it holds a NUL byte; write the whole file instead", f.Path)
	}
	return text, err
}

func object(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs
	}
	return string(b)
}

package tool

import (
	"context"
	_ "embed"
	"regexp"
	"time"

	"windlass/functions/internal/workspace"
)

// Bounds of one search.
const (
	maxSearched  = 2000     // files whose contents are read
	maxSearch    = 32 << 20 // bytes of them
	maxPattern   = 1000     // bytes of a regular expression
	matches      = 100
	maxMatches   = 1000
	maxSkipped   = 20 // named; the others are counted
	searchAtOnce = 16
)

//go:embed workspace_search.md
var workspaceSearchText string

type searchArgs struct {
	Pattern    string `json:"pattern,omitempty" jsonschema:"a regular expression (RE2) that lines of a file have to match; absent: only names are searched"`
	Glob       string `json:"glob,omitempty" jsonschema:"which files, such as *.go, /src/**/*.md or *.{ts,tsx}; absent: all"`
	IgnoreCase bool   `json:"ignore_case,omitempty" jsonschema:"take upper and lower case of the pattern as the same"`
	MaxMatches int    `json:"max_matches,omitempty" jsonschema:"how many lines or names to give at most: 100 if absent, never more than 1000"`
	After      string `json:"after,omitempty" jsonschema:"only paths behind this one; give next_after here to search on"`
}

var workspaceSearch = Define(Tool{
	Name: "workspace_search", Description: workspaceSearchText, Effect: Read, Timeout: time.Minute,
	About: AboutArgs(func(searchArgs) Subject { return Subject{Prefixes: []string{"/"}} }),
}, func(searchArgs) string { return EveryFile }, search)

type foundLine struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

type skippedFile struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// searchResult says of everything that was left out that it was.
type searchResult struct {
	Files    []string    `json:"files,omitzero"`
	Matches  []foundLine `json:"matches,omitzero"`
	Searched int         `json:"files_searched,omitempty"`
	// MoreIn is a file of which more lines match than are given.
	MoreIn     string        `json:"more_in,omitempty"`
	Skipped    []skippedFile `json:"skipped,omitempty"`
	SkippedToo int           `json:"skipped_besides,omitempty"`
	NextAfter  string        `json:"next_after,omitempty"`
}

func search(ctx context.Context, env Env, a searchArgs) (Result, error) {
	s, err := newSearcher(env, a)
	if err != nil {
		return Result{}, err
	}
	var files []workspace.File
	for _, f := range env.Workspace.List("") {
		if f.Path > a.After && (s.glob == nil || s.glob.Match(f.Path)) {
			files = append(files, f)
		}
	}
	if s.pattern == nil {
		s.names(files)
	} else if err := s.contents(ctx, files); err != nil {
		return Result{}, err
	}
	return Result{Output: object(s.out)}, nil
}

func newSearcher(env Env, a searchArgs) (s *searcher, err error) {
	s = &searcher{env: env, limit: matches, out: searchResult{NextAfter: a.After}}
	switch {
	case a.Pattern == "" && a.Glob == "":
		return nil, failf("invalid_arguments", "give pattern, glob or both")
	case a.MaxMatches < 0:
		return nil, failf("invalid_arguments", "max_matches is not negative")
	case len(a.Pattern) > maxPattern:
		return nil, failf("invalid_arguments", "the pattern has %d bytes, at most %d are allowed", len(a.Pattern), maxPattern)
	case a.MaxMatches > 0:
		s.limit = min(a.MaxMatches, maxMatches)
	}
	if a.Glob != "" {
		if s.glob, err = workspace.ParseGlob(a.Glob); err != nil {
			return nil, failf("invalid_arguments", "%v", err)
		}
	}
	if a.Pattern != "" {
		if s.pattern, err = regexp.Compile(a.Pattern); err != nil {
			return nil, failf("invalid_arguments", "the pattern is no regular expression of RE2: %v", err)
		}
	}
	if a.IgnoreCase && a.Pattern != "" {
		s.pattern, err = regexp.Compile("(?i:" + a.Pattern + ")")
	}
	return s, err
}

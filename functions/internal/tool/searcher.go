package tool

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"windlass/functions/internal/workspace"
)

// searcher goes through files in the order of their paths, some at a time.
type searcher struct {
	env     Env
	glob    *workspace.Glob
	pattern *regexp.Regexp
	limit   int
	bytes   int64 // read so far
	out     searchResult
}

// seen is what a file gave: its matches, one more than the limit at most, or why it
// was not searched.
type seen struct {
	lines []foundLine
	why   string
}

func (s *searcher) names(files []workspace.File) {
	s.out.Files, s.out.NextAfter = []string{}, ""
	for _, f := range files[:min(len(files), s.limit)] {
		s.out.Files = append(s.out.Files, f.Path)
	}
	if len(files) > s.limit {
		s.out.NextAfter = files[s.limit-1].Path
	}
}

// contents searches files until there is enough. What comes behind is left for
// another call.
func (s *searcher) contents(ctx context.Context, files []workspace.File) error {
	s.out.Matches = []foundLine{}
	for len(files) > 0 {
		batch := s.batch(files)
		found, err := s.look(ctx, batch)
		if err != nil {
			return err
		}
		for i, f := range batch {
			if !s.add(f.Path, found[i]) {
				return nil
			}
		}
		files = files[len(batch):]
		if len(files) > 0 && (len(batch) == 0 || len(s.out.Matches) == s.limit) {
			return nil
		}
	}
	s.out.NextAfter = ""
	return nil
}

// batch is what may be searched next at the same time.
func (s *searcher) batch(files []workspace.File) []workspace.File {
	files = files[:min(len(files), searchAtOnce, maxSearched-s.out.Searched)]
	for n, f := range files {
		if f.Bytes > maxSearch {
			continue // will be skipped
		}
		if s.bytes+f.Bytes > maxSearch {
			return files[:n]
		}
		s.bytes += f.Bytes
	}
	return files
}

func (s *searcher) look(ctx context.Context, batch []workspace.File) ([]seen, error) {
	found := make([]seen, len(batch))
	all, ctx := errgroup.WithContext(ctx)
	for i, f := range batch {
		all.Go(func() (err error) {
			found[i], err = s.file(ctx, f)
			return err
		})
	}
	return found, all.Wait()
}

// add takes what a file gave, if there is room for it.
func (s *searcher) add(path string, found seen) bool {
	room := s.limit - len(s.out.Matches)
	if len(found.lines) > room && len(s.out.Matches) > 0 {
		return false
	}
	if len(found.lines) > room {
		found.lines, s.out.MoreIn = found.lines[:room], path
	}
	s.out.Matches = append(s.out.Matches, found.lines...)
	s.out.Searched++
	s.out.NextAfter = path
	switch {
	case found.why != "" && len(s.out.Skipped) < maxSkipped:
		s.out.Skipped = append(s.out.Skipped, skippedFile{path, found.why})
	case found.why != "":
		s.out.SkippedToo++
	}
	return true
}

// file searches one file, page by page.
func (s *searcher) file(ctx context.Context, f workspace.File) (seen, error) {
	if f.Bytes > maxSearch {
		return seen{why: fmt.Sprintf("it has %d bytes, only files of up to %d are searched", f.Bytes, maxSearch)}, nil
	}
	l := lines{number: 1}
	var found seen
	for offset := int64(0); offset < f.Bytes; offset += searchPage {
		text, err := s.env.Values.Load(ctx, f.Content, offset, searchPage)
		if err != nil {
			return seen{}, err
		}
		l.rest += text
		for line, ok := l.next(offset+searchPage >= f.Bytes); ok; line, ok = l.next(offset+searchPage >= f.Bytes) {
			if line.number%256 == 0 && ctx.Err() != nil {
				return seen{}, ctx.Err()
			}
			if strings.Contains(line.text, "\x00") || !utf8.ValidString(line.text) {
				return seen{why: "it is not a text in UTF-8"}, nil
			}
			if at := s.pattern.FindStringIndex(line.text); at != nil {
				found.lines = append(found.lines, foundLine{f.Path, line.number, shown(line.text, at[0])})
			}
			if len(found.lines) > s.limit {
				return found, nil
			}
		}
	}
	return found, nil
}

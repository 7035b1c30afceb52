package session

import (
	"context"

	"windlass/eventstore"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/transcript"
	"windlass/functions/internal/view"
)

// TranscriptQuery asks for items behind the first After ones.
type TranscriptQuery struct {
	After uint64
	Limit int
}

// TranscriptPage is a page of what the model has seen.
type TranscriptPage struct {
	Items   []view.Item
	AsOfSeq uint64
	// Next is the After of the next page; 0 if this is the last one.
	Next uint64
}

// Transcript reads a page. Values stand in it as they stand in the log.
func (s *Service) Transcript(ctx context.Context, stream eventstore.Stream, q TranscriptQuery) (TranscriptPage, error) {
	p := TranscriptPage{Items: []view.Item{}}
	err := s.read(ctx, stream, func(now *fold.Session) error {
		items, all, err := now.Items(ctx, s.Journal, int(min(q.After, 1<<31)), q.Limit)
		if err == nil {
			p.AsOfSeq = now.At.Seq()
			p.fill(items, all, q)
		}
		return err
	})
	return p, err
}

// fill takes of the items behind q.After what fits into a page.
func (p *TranscriptPage) fill(items []transcript.Item, all int, q TranscriptQuery) {
	kept := 0
	for i, item := range items {
		n := q.After + uint64(i)
		it := view.ItemOf(n+1, item)
		if kept += it.Size(); kept > pageBytes && len(p.Items) > 0 {
			p.Next = n
			return
		}
		p.Items = append(p.Items, it)
	}
	if n := q.After + uint64(len(items)); n < uint64(all) {
		p.Next = n
	}
}

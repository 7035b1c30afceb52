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
		t, err := now.Transcript(ctx, s.Journal)
		if err == nil {
			p.AsOfSeq = now.At.Seq()
			p.fill(t.Items, q)
		}
		return err
	})
	return p, err
}

func (p *TranscriptPage) fill(all []transcript.Item, q TranscriptQuery) {
	kept := 0
	for n := q.After; n < uint64(len(all)); n++ {
		it := view.ItemOf(n+1, all[n])
		if len(p.Items) > 0 && (len(p.Items) == q.Limit || kept+it.Size() > pageBytes) {
			p.Next = n
			return
		}
		kept += it.Size()
		p.Items = append(p.Items, it)
	}
}

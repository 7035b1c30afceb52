package disaster

import (
	"context"

	"windlass/eventstore"
	"windlass/eventstore/memory"
)

// log and blobs are the stores, as a process reaches them.
type log struct{ p *process }

func (l log) Append(ctx context.Context, w eventstore.Write) error {
	return l.p.call(ctx, anAppend, func() error { return l.p.w.store.Append(w) })
}

func (l log) Records(ctx context.Context, q eventstore.RecordQuery) (page []eventstore.Record, more bool, err error) {
	err = l.p.call(ctx, aRead, func() (err error) { page, more, err = l.p.w.store.Records(ctx, q); return err })
	return page, more, err
}

func (l log) Row(ctx context.Context, key eventstore.RowKey) (row eventstore.Row, found bool, err error) {
	err = l.p.call(ctx, aRead, func() (err error) { row, found, err = l.p.w.store.Row(ctx, key); return err })
	return row, found, err
}

func (l log) Rows(ctx context.Context, q eventstore.RowQuery) (page []eventstore.Row, more bool, err error) {
	err = l.p.call(ctx, aRead, func() (err error) { page, more, err = l.p.w.store.Rows(ctx, q); return err })
	return page, more, err
}

type blobs struct{ p *process }

func (b blobs) PutBlob(ctx context.Context, key eventstore.BlobKey, mediaType string, data []byte) error {
	return b.p.call(ctx, aValue, func() error { return b.p.w.blobs.PutBlob(context.Background(), key, mediaType, data) })
}

func (b blobs) GetBlob(ctx context.Context, key eventstore.BlobKey, offset, n int64) (data []byte, err error) {
	err = b.p.call(ctx, aRead, func() (err error) { data, err = b.p.w.blobs.GetBlob(ctx, key, offset, n); return err })
	return data, err
}

// store is the log itself, and the stream of its commits.
type store struct {
	*memory.Driver
	stored func(eventstore.Record)
}

// Append stores what has arrived, whoever still waits for it.
func (s *store) Append(w eventstore.Write) error {
	err := s.Driver.Append(context.Background(), w)
	if err == nil {
		s.stored(w.Record)
	}
	return err
}

func (p *process) journal() *eventstore.Journal {
	return eventstore.New(log{p}, eventstore.WithBlobs(blobs{p}))
}

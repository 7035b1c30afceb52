package disaster

import (
	"context"
	"sync"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
)

// log and blobs are the stores, as a process reaches them. An append is for
// something in particular, or any.
type log struct {
	p    *process
	does what
}

func (l log) Append(ctx context.Context, w eventstore.Write) error {
	return l.p.call(ctx, l.does, func() error { return l.p.w.store.Append(w) })
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
	mu     sync.Mutex
}

// Append stores what has arrived, whoever still waits for it. The stream has commits
// in the order in which they were stored.
func (s *store) Append(w eventstore.Write) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.Driver.Append(context.Background(), w)
	if err == nil {
		s.stored(w.Record)
	}
	return err
}

func (p *process) journal() *eventstore.Journal { return p.journalOf(anAppend) }

func (p *process) journalOf(does what) *eventstore.Journal {
	return eventstore.New(log{p, does}, eventstore.WithBlobs(blobs{p}))
}

// told is a commit.
type told struct {
	of     eventstore.Stream
	events []event.Event
}

// whole is all that was stored, in its order.
func (w *world) whole() (all []told) {
	w.mu.Lock()
	records := w.records
	w.mu.Unlock()
	for _, r := range records {
		events, err := w.clean.Events(context.Background(), r)
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, told{r.Stream, events})
	}
	return all
}

// bySession are the sessions' logs.
func bySession(all []told) map[eventstore.Stream][]event.Event {
	logs := map[eventstore.Stream][]event.Event{}
	for _, c := range all {
		logs[c.of] = append(logs[c.of], c.events...)
	}
	return logs
}

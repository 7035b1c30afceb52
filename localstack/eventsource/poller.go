package eventsource

import (
	"context"
	"sync"
	"time"

	"windlass/localstack/eventbridge/pattern"
)

// Bounds of one mapping. What has been read and not settled is delivered again
// after a crash, so the window also bounds repetition.
const (
	page                = 64
	maxOutstanding      = 1024
	maxOutstandingBytes = 16 << 20
)

// A checkpoint is stored so much behind what is settled: in a commit for many records,
// and not in the way of those who write them. So many may come again after a crash.
const (
	saveEvery = 256 // records
	saveAfter = 250 * time.Millisecond
)

// A poller runs one mapping: it reads, filters and deals records to lanes.
type poller struct {
	Mapping
	service  *Service
	patterns []*pattern.Pattern
	window   window
	wake     chan struct{} // a lane has settled something

	mu    sync.Mutex
	lanes []queue
}

// A queue is a lane's records; busy says that a goroutine is at work on it.
type queue struct {
	entries []*entry
	busy    bool
}

func (p *poller) run(ctx context.Context) {
	after := p.window.head
	for ctx.Err() == nil {
		if p.window.full() {
			p.pause(ctx, nil, 0)
			continue
		}
		records, err := p.Stream.Records(after, page)
		switch {
		case err != nil:
			p.service.opts.Log.Error("the stream cannot be read", "mapping", p.Name, "error", err)
			p.pause(ctx, nil, time.Second)
		case len(records) == 0:
			p.pause(ctx, p.Stream.Changed(), 0)
		default:
			after = records[len(records)-1].Sequence
			p.take(ctx, records)
		}
	}
}

// pause waits for a lane, for the stream if changed is given, or for a time if
// one is given.
func (p *poller) pause(ctx context.Context, changed <-chan struct{}, d time.Duration) {
	var timer <-chan time.Time
	if d > 0 {
		timer = time.After(d)
	}
	select {
	case <-ctx.Done():
	case <-p.wake:
	case <-changed:
	case <-timer:
	}
}

// take puts a page into the window, in the stream's order, and deals it out.
func (p *poller) take(ctx context.Context, records []Record) {
	bySequence := map[string]*entry{}
	for i := range records {
		e := &entry{record: &records[i], body: p.wanted(&records[i])}
		bySequence[e.record.Sequence] = e
		p.window.add(e)
		if e.body == nil {
			p.window.settle(e)
		}
	}
	order := records
	if with := p.service.opts.Shuffle; with != nil {
		order = append([]Record(nil), records...)
		shuffle(order, with)
	}
	for i := range order {
		if e := bySequence[order[i].Sequence]; e.body != nil {
			p.deal(ctx, e)
		}
	}
	p.saveSoon()
}

// wanted returns a record's body, or nil if every filter refuses it.
func (p *poller) wanted(r *Record) []byte {
	for _, f := range p.patterns {
		if f.Match(r.Body) {
			return r.Body
		}
	}
	if len(p.patterns) > 0 {
		return nil
	}
	return r.Body
}

// deal gives an entry to its lane, and a goroutine to a lane that has none.
func (p *poller) deal(ctx context.Context, e *entry) {
	key := e.record.Partition
	if p.service.opts.Shuffle != nil {
		key = e.record.Item
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	l := &p.lanes[lane(key, len(p.lanes))]
	l.entries = append(l.entries, e)
	if !l.busy {
		l.busy = true
		p.service.done.Go(func() { p.drain(ctx, l) })
	}
}

// drain delivers a lane's batches one after the other until there is nothing.
func (p *poller) drain(ctx context.Context, l *queue) {
	for {
		batch := p.batch(l)
		if batch == nil || !p.deliver(ctx, batch) {
			return
		}
	}
}

// batch takes up to BatchSize records that fit into one invocation.
func (p *poller) batch(l *queue) []*entry {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, size := 0, len(`{"Records":[]}`)
	for n < len(l.entries) && n < p.BatchSize {
		size += len(l.entries[n].body) + 1
		if n > 0 && size > maxPayload {
			break
		}
		n++
	}
	if n == 0 {
		l.busy, l.entries = false, nil
		return nil
	}
	batch := l.entries[:n:n]
	l.entries = l.entries[n:]
	return batch
}

// settle is called when entries need no more attention.
func (p *poller) settle(entries []*entry) {
	p.window.settle(entries...)
	p.saveSoon()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// saveSoon has the checkpoint stored.
func (p *poller) saveSoon() {
	switch n := p.window.pending(); {
	case n >= saveEvery:
		p.save()
	case n > 0:
		select {
		case p.service.unsaved <- struct{}{}:
		default: // it will be, with others
		}
	}
}

// save stores the checkpoint. If it cannot, records come again after a restart,
// which they may at any time.
func (p *poller) save() {
	if err := p.window.save(p.service.db, p.Name); err != nil {
		p.service.opts.Log.Error("a checkpoint cannot be stored", "mapping", p.Name, "error", err)
	}
}

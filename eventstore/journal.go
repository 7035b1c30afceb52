package eventstore

import (
	"context"
	"errors"
	"iter"
	"math"
	"time"

	"github.com/oklog/ulid/v2"

	"windlass/eventstore/event"
)

// Journal appends to streams and reads them. It is safe for concurrent use.
type Journal struct {
	driver Driver
	blobs  Blobs
	now    func() time.Time
	id     func(time.Time) string
	retry  Retry
	told   func(context.Context, Appended)
}

// Option changes a Journal from its defaults.
type Option func(*Journal)

// WithClock takes the time from now.
func WithClock(now func() time.Time) Option { return func(j *Journal) { j.now = now } }

// WithIDs takes commit ids from id, which must never repeat one.
func WithIDs(id func(time.Time) string) Option { return func(j *Journal) { j.id = id } }

// WithRetry bounds how long a call goes on when the backend fails.
func WithRetry(r Retry) Option { return func(j *Journal) { j.retry = r } }

// Appended is one call of [Journal.Append]: the commit, or the error, and how long it took.
type Appended struct {
	Commit Commit
	Err    error
	Took   time.Duration
}

// WithObserver tells f of each append, once it has ended. f must not block.
func WithObserver(f func(context.Context, Appended)) Option {
	return func(j *Journal) { j.told = f }
}

// New makes a Journal over a driver.
func New(d Driver, options ...Option) *Journal {
	j := &Journal{driver: d, now: time.Now, id: newID, retry: DefaultRetry}
	for _, o := range options {
		o(j)
	}
	return j
}

func newID(t time.Time) string { return ulid.MustNewDefault(t).String() }

// Draft is a commit before it has a place.
type Draft struct {
	// By names the driver of a turn; empty for anybody else.
	By string
	// Wake and Settles are what the stream's readers filter by; see [Record].
	Wake, Settles bool
	Events        []event.Event
	// Closes the stream: nothing is ever appended after this commit.
	Closes bool
	// Summary stands in the commit, for readers of the head.
	Summary []byte
	Claim   *Claim
	Rows    []Row
}

// Append stores the draft right after the position, and returns the commit and
// the position behind it.
//
// Errors: *[Conflict] if somebody else appended there, *[Claimed] if the draft's
// claim is taken (it decides before a conflict), [Closed] behind a commit that
// closed the stream, [TooLarge], [Invalid], and [Unavailable] or [Throttled] when
// retries are spent: then the commit may be stored or may still be.
func (j *Journal) Append(ctx context.Context, at Position, d Draft) (Commit, Position, error) {
	began := j.now()
	c, after, err := j.append(ctx, at, d)
	if j.told != nil {
		j.told(ctx, Appended{c, err, j.now().Sub(began)})
	}
	return c, after, err
}

func (j *Journal) append(ctx context.Context, at Position, d Draft) (Commit, Position, error) {
	w, err := j.write(at, d)
	if err != nil {
		return Commit{}, Position{}, err
	}
	body := w.Record.Body
	if err := j.spill(ctx, &w.Record); err != nil {
		return Commit{}, Position{}, err
	}
	err = j.retry.do(ctx, func(ctx context.Context) error {
		return ownCommit(w.Record.ID, j.driver.Append(ctx, w))
	})
	if err != nil {
		return Commit{}, Position{}, err
	}
	events := append([]event.Event(nil), d.Events...)
	number(events, w.Record.First, d.By)
	after := behind(w.Record)
	w.Record.Body = body // as a reader sees it
	return Commit{Record: w.Record, Events: events, after: after}, after, nil
}

// ownCommit turns a refusal that shows our own commit into success: it was
// stored, and its answer was lost.
func ownCommit(id string, err error) error {
	var lost *Conflict
	if errors.As(err, &lost) && lost.Existing.ID == id {
		return nil
	}
	var claimed *Claimed
	if errors.As(err, &claimed) && claimed.Commit != nil && claimed.Commit.ID == id {
		return nil
	}
	return err
}

func (j *Journal) write(at Position, d Draft) (Write, error) {
	if !at.given {
		return Write{}, Errorf(Invalid, "append", "the position was not given by a read or an append")
	}
	if at.closed {
		return Write{}, closed("append", at.stream)
	}
	body, err := encodeBody(d.Events)
	if err != nil {
		return Write{}, Errorf(Invalid, "append", "%w", err)
	}
	if err := checkLimits(d, body, j.maxBody()); err != nil {
		return Write{}, err
	}
	if uint64(len(d.Events)) > MaxSeq-at.last {
		return Write{}, Errorf(TooLarge, "append", "the stream is full")
	}
	now := j.now()
	r := Record{
		Stream: at.stream, First: at.last + 1, Last: at.last + uint64(len(d.Events)),
		ID: j.id(now), By: d.By, At: event.At(now).Time, Wake: d.Wake, Settles: d.Settles, Closed: d.Closes, Summary: d.Summary, Body: body,
	}
	w := Write{Record: r, Rows: d.Rows}
	if d.Claim != nil {
		c := *d.Claim
		c.First = r.First + uint64(c.Event)
		w.Claim = &c
	}
	return w, nil
}

func (j *Journal) maxBody() int {
	if j.blobs == nil {
		return MaxInlineBody
	}
	return MaxBody
}

// Events are a record's, for whoever has it from elsewhere, such as a table's
// stream: it gives no position, because nothing says that it still is the end.
// Errors: Corrupt, and those of the blobs if its body stands apart.
func (j *Journal) Events(ctx context.Context, r Record) ([]event.Event, error) {
	c, err := j.decode(ctx, r)
	return c.Events, err
}

// Commit reads the record that [Journal.Head] returned with the position behind it.
func (j *Journal) Commit(ctx context.Context, r Record, at Position) (Commit, error) {
	if at != behind(r) {
		return Commit{}, Errorf(Invalid, "commit", "the position is not the one behind the record")
	}
	return j.decode(ctx, r)
}

// Stored are a record's events as [Journal.Events] has them, not decoded: for whoever
// passes them on.
func (j *Journal) Stored(ctx context.Context, r Record) ([]event.Stored, error) {
	r, err := j.unspill(ctx, r)
	if err != nil {
		return nil, err
	}
	events, err := event.Split(r.Body, r.First)
	if err == nil && (r.First == 0 || uint64(len(events)) != r.Last-r.First+1) {
		err = errors.New("they are not as many as it says")
	}
	if err != nil {
		return nil, Errorf(Corrupt, "read", "%s at seq %d: %w", r.Stream, r.First, err)
	}
	return events, nil
}

func (j *Journal) decode(ctx context.Context, r Record) (Commit, error) {
	r, err := j.unspill(ctx, r)
	if err != nil {
		return Commit{}, err
	}
	return decode(r)
}

// firstPage is how many records a read asks for at first; each page after it may
// be four times as long. Most readers want one commit, or the tail; a page of
// [PageBytes] for them would cost as much as all the rest.
const firstPage = 4

// Head returns the newest commit's record and the position behind it. An empty
// stream has a position and no record.
func (j *Journal) Head(ctx context.Context, s Stream) (Record, Position, error) {
	page, _, err := j.records(ctx, RecordQuery{Stream: s, From: MaxSeq, Descending: true, Limit: 1})
	if err != nil {
		return Record{}, Position{}, err
	}
	if len(page) == 0 {
		return Record{}, Position{stream: s, given: true}, nil
	}
	return page[0], behind(page[0]), nil
}

// Read yields the stream's commits in order, beginning with the one that
// contains seq after+1, up to the end as it is when it gets there. Each comes
// with the position behind it. It stops at the first error, which is Corrupt if
// a seq is missing or covered twice. In a closed stream that is no error: what is
// missing was erased, and the commit that closed it follows at once.
func (j *Journal) Read(ctx context.Context, s Stream, after uint64) iter.Seq2[Commit, error] {
	return each(j.fromContaining(ctx, s, after), func(r Record) (Commit, error) { return j.decode(ctx, r) })
}

// ReadNext is Read for who has read the commit that ends with seq after: the next one's
// place need not be looked for.
func (j *Journal) ReadNext(ctx context.Context, s Stream, after uint64) iter.Seq2[Commit, error] {
	return each(j.from(ctx, s, after+1, after), func(r Record) (Commit, error) { return j.decode(ctx, r) })
}

// ReadStored is Read for who passes events on, and does not look at their data.
func (j *Journal) ReadStored(ctx context.Context, s Stream, after uint64) iter.Seq2[[]event.Stored, error] {
	return each(j.fromContaining(ctx, s, after), func(r Record) ([]event.Stored, error) { return j.Stored(ctx, r) })
}

// each reads records, and stops at the first error.
func each[T any](records iter.Seq2[Record, error], read func(Record) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for r, err := range records {
			var its T
			if err == nil {
				its, err = read(r)
			}
			if !yield(its, err) || err != nil {
				return
			}
		}
	}
}

func (j *Journal) fromContaining(ctx context.Context, s Stream, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if after >= MaxSeq {
			return // there is nothing behind it, and no key for it
		}
		from, err := j.containing(ctx, s, after+1)
		if err != nil {
			yield(Record{}, err)
			return
		}
		j.from(ctx, s, from, after)(yield)
	}
}

// from yields the records from the one at seq from on, but for those that end by after.
func (j *Journal) from(ctx context.Context, s Stream, from, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		if after >= MaxSeq {
			return
		}
		for want, limit := from, firstPage; ; limit = min(4*limit, math.MaxInt32) {
			page, more, err := j.records(ctx, RecordQuery{Stream: s, From: want, Limit: limit})
			if err != nil {
				yield(Record{}, err)
				return
			}
			for _, r := range page {
				if r.First != want {
					r, err := j.erased(ctx, s, want, r)
					if err != nil || r.Last > after {
						yield(r, err)
					}
					return
				}
				if want = r.Last + 1; r.Last <= after {
					continue
				}
				if !yield(r, nil) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

// containing finds the first seq of the commit that holds seq. If there is none
// yet, the first seq that is free: a commit may land there before the next read.
func (j *Journal) containing(ctx context.Context, s Stream, seq uint64) (uint64, error) {
	if seq == 1 {
		return 1, nil
	}
	page, _, err := j.records(ctx, RecordQuery{Stream: s, From: seq, Descending: true, Limit: 1})
	if err != nil {
		return 0, err
	}
	switch {
	case len(page) == 0:
		return 1, nil
	case page[0].Last < seq:
		return page[0].Last + 1, nil
	}
	return page[0].First, nil
}

func (j *Journal) records(ctx context.Context, q RecordQuery) (page []Record, more bool, err error) {
	if err := q.Stream.valid(); err != nil {
		return nil, false, err
	}
	err = j.retry.do(ctx, func(ctx context.Context) (err error) {
		page, more, err = j.driver.Records(ctx, q)
		return err
	})
	for _, r := range page {
		if r.First < 1 || r.Last < r.First || r.Last > MaxSeq || r.Stream != q.Stream {
			return nil, false, Errorf(Corrupt, "read", "%s: a record says it is seqs %d to %d of %s", q.Stream, r.First, r.Last, r.Stream)
		}
	}
	return page, more, err
}

// Claim returns what holds a key of the stream; NotFound if nothing does.
func (j *Journal) Claim(ctx context.Context, s Stream, key string) (Claim, error) {
	if err := s.valid(); err != nil {
		return Claim{}, err
	}
	if !ValidID(key) {
		return Claim{}, Errorf(Invalid, "claim", "%q is not an id", key)
	}
	row, err := j.Row(ctx, ClaimKey(s, key))
	if err != nil {
		return Claim{}, err
	}
	return DecodeClaim(row.Data)
}

// Row returns a row; NotFound if it does not exist.
func (j *Journal) Row(ctx context.Context, key RowKey) (row Row, err error) {
	var found bool
	err = j.retry.do(ctx, func(ctx context.Context) (err error) {
		row, found, err = j.driver.Row(ctx, key)
		return err
	})
	if err == nil && !found {
		err = Errorf(NotFound, "row", "%s %s", key.Partition, key.Sort)
	}
	return row, err
}

// Rows returns a page of a partition's rows.
func (j *Journal) Rows(ctx context.Context, q RowQuery) (page []Row, more bool, err error) {
	err = j.retry.do(ctx, func(ctx context.Context) (err error) {
		page, more, err = j.driver.Rows(ctx, q)
		return err
	})
	return page, more, err
}

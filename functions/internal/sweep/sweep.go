package sweep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"windlass/eventstore"
	"windlass/functions/internal/index"
)

// live is a session's rows in the live table.
type live interface {
	Erase(ctx context.Context, s eventstore.Stream, followers bool) error
}

// Sweeper sweeps. It is safe for concurrent use.
type Sweeper struct {
	Journal *eventstore.Journal
	Live    live
	// Wake answers those who are parked in a session: their tokens go with it.
	Wake func(context.Context, eventstore.Stream) error
	Now  func() time.Time
}

const (
	// visit bounds what is erased of one session, of each kind, before the next one's
	// turn comes.
	visit = 2000
	// pageRows bounds the rows that are read at once.
	pageRows = 100
)

// Shard sweeps what is due in a shard of the sessions, until nothing more is, or its time
// is over: then the next call goes on. It goes on past a session that fails, which comes
// again with the next call.
func (s *Sweeper) Shard(ctx context.Context, shard int) error {
	failed := map[eventstore.RowKey]error{}
	for {
		more, err := s.round(ctx, shard, failed)
		if err != nil || !more || ctx.Err() != nil {
			if ctx.Err() != nil {
				return nil // its time is over: whatever failed may have failed of that
			}
			for _, why := range failed {
				err = errors.Join(err, why)
			}
			return err
		}
	}
}

// round visits each session that is due once. more says that one is left that did not
// fail.
func (s *Sweeper) round(ctx context.Context, shard int, failed map[eventstore.RowKey]error) (more bool, err error) {
	now := moment(s.Now())
	for after := ""; ; {
		page, rest, err := s.Journal.Rows(ctx, eventstore.RowQuery{Partition: partition(shard), After: after, Limit: pageRows})
		if err != nil {
			return false, err
		}
		for _, row := range page {
			if after = row.Sort; after[:min(len(now), len(after))] > now {
				return more, nil
			}
			if failed[row.RowKey] != nil || ctx.Err() != nil {
				continue
			}
			left, err := s.visit(ctx, row)
			if err != nil {
				failed[row.RowKey] = fmt.Errorf("sweep %s: %w", row.Sort, err)
			}
			more = more || left && err == nil
		}
		if !rest {
			return more, nil
		}
	}
}

// visit erases of one session as much as a visit may; left says that this was not all.
// The log comes first: it is what refuses a session that is not deleted.
func (s *Sweeper) visit(ctx context.Context, row eventstore.Row) (left bool, err error) {
	d, err := read(row)
	if err != nil {
		return false, err
	}
	before := d.At.Add(-Linger)
	if d.Last {
		before = s.Now().Add(Linger) // by whatever clock: everything
	}
	left, err = s.Journal.Erase(ctx, d.stream(), before, visit)
	if err != nil {
		return left, err
	}
	more, err := s.rows(ctx, d)
	left = left || more
	if err == nil {
		err = s.Wake(ctx, d.stream())
	}
	if err == nil {
		err = s.Live.Erase(ctx, d.stream(), d.Last)
	}
	if err != nil || left {
		return left, err
	}
	if d.Last {
		slog.InfoContext(ctx, "a deleted session is erased", "session", d.Session)
	}
	return false, s.Journal.EraseRow(ctx, row.RowKey)
}

// rows erases what the log's commits moved besides. A row that a late commit puts again
// cannot be: none of them finds a place.
func (s *Sweeper) rows(ctx context.Context, d deleted) (left bool, err error) {
	stream := d.stream()
	opened := index.SessionRow(d.Tenant, index.Session{ID: d.Session, OpenedAt: d.OpenedAt})
	if err := s.Journal.EraseRow(ctx, opened.RowKey); err != nil {
		return false, err
	}
	left, err = s.Journal.EraseRows(ctx, index.OperationPartition(stream), "", visit)
	if err != nil {
		return left, err
	}
	more, err := s.Journal.EraseRows(ctx, index.UnsettledPartition(index.Shard(stream)), d.Tenant+"#"+d.Session+"#", visit)
	return left || more, err
}

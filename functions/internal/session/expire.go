package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

const (
	// maxExpired bounds the sessions that one call of Expire deletes, so that what is
	// deleted gets its sweep.
	maxExpired = 200
	// expiringPage bounds the rows that are read at once.
	expiringPage = 100
	// expireWithin bounds one session's part: others wait behind it.
	expireWithin = 10 * time.Second
)

// Expire deletes those sessions of a shard whose time is over, as [Service.Delete] does:
// the ones that wait longest first, up to a bound, or until ctx ends; the next call goes
// on. It goes on past a session that fails, which comes again with the next call.
//
// A row leads here, the log decides: the last commit is appended behind the very seq that
// the row names, so a session in which anything happens meanwhile stays, and whoever
// submits meanwhile is either before it or told that the session is deleted. It takes the
// row away itself: killed anywhere, it has happened or it has not.
func (s *Service) Expire(ctx context.Context, shard int) error {
	var failed []error
	deleted, now := 0, event.At(s.Now()).UTC().Format(event.TimeLayout)
	for after := ""; ctx.Err() == nil; {
		page, more, err := s.Journal.Rows(ctx, eventstore.RowQuery{Partition: index.ExpiringPartition(shard), After: after, Limit: expiringPage})
		if err != nil {
			return errors.Join(append(failed, err)...)
		}
		for _, row := range page {
			if after = row.Sort; after[:min(len(now), len(after))] > now || deleted == maxExpired || ctx.Err() != nil {
				return errors.Join(failed...)
			}
			done, err := s.expire(ctx, row)
			if err != nil {
				failed = append(failed, fmt.Errorf("expire %s: %w", row.Sort, err))
			}
			if done {
				deleted++
			}
		}
		if !more {
			break
		}
	}
	return errors.Join(failed...)
}

func (s *Service) expire(ctx context.Context, row eventstore.Row) (done bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, expireWithin)
	defer cancel()
	its, err := index.DecodeExpiring(row)
	if err != nil {
		return false, err
	}
	stream := eventstore.Stream{Tenant: its.Tenant, Session: its.Session}
	left, over := true, false
	_, err = s.delete(ctx, stream, func(now *turn.State) bool {
		at := now.ExpiresAt()
		left = now.Seq != its.Seq
		over = !left && !at.IsZero() && !at.After(s.Now())
		return over
	})
	var lost *eventstore.Conflict
	switch {
	case errors.As(err, &lost): // it goes on, and its row is gone
		return false, nil
	case err != nil:
		return false, err
	case over:
		slog.InfoContext(ctx, "a session's time was over", "session", its.Session)
		return true, nil
	case !left:
		return false, nil
	}
	// Somebody just appended, who took the row away, or a build that knows nothing of these
	// rows did. No other row ever has this key.
	return false, s.Journal.EraseRow(ctx, row.RowKey)
}

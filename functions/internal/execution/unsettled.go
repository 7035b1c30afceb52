package execution

import (
	"context"
	"iter"
	"strings"

	"windlass/eventstore"
	"windlass/functions/internal/index"
)

const pageRows = 100

// unsettled yields one row for each session of a shard that has operations in
// its queue.
func (s *Starter) unsettled(ctx context.Context, shard int) iter.Seq2[eventstore.Row, error] {
	return func(yield func(eventstore.Row, error) bool) {
		after, session := "", ""
		for {
			page, more, err := s.Journal.Rows(ctx, eventstore.RowQuery{Partition: index.UnsettledPartition(shard), After: after, Limit: pageRows})
			if err != nil {
				yield(eventstore.Row{}, err)
				return
			}
			for _, row := range page {
				after = row.Sort
				of := row.Sort[:max(0, strings.LastIndexByte(row.Sort, '#'))]
				if of == session {
					continue // another operation in the same queue
				}
				session = of
				if !yield(row, nil) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

package session

import (
	"context"
	"unicode/utf8"

	"windlass/eventstore"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/view"
	"windlass/functions/internal/workspace"
)

// ListQuery asks for a page of a list.
type ListQuery struct {
	// Cursor is of the page before; empty for the first page.
	Cursor string
	Limit  int
}

// OperationPage is a page of a session's operations, the newest first.
type OperationPage struct {
	Operations []view.Operation
	AsOfSeq    uint64
	// Next is the next page's cursor; empty if this is the last one.
	Next string
}

// Operations lists a session's operations. As in a snapshot, the head is read
// first and the rows after it.
func (s *Service) Operations(ctx context.Context, stream eventstore.Stream, q ListQuery) (OperationPage, error) {
	if !eventstore.ValidID(stream.Session) {
		return OperationPage{}, noSession(stream)
	}
	sum, at, err := s.head(ctx, stream)
	if err != nil {
		return OperationPage{}, err
	}
	if at.Seq() == 0 {
		return OperationPage{}, noSession(stream)
	}
	p := OperationPage{Operations: []view.Operation{}, AsOfSeq: at.Seq()}
	rows, next, err := s.rows(ctx, listOf(stream.Tenant, "operations\n"+stream.Session), index.OperationPartition(stream), q)
	for _, r := range rows {
		row, err := index.DecodeOperation(r)
		if err != nil {
			return OperationPage{}, err
		}
		p.Operations = append(p.Operations, view.Listed(stream.Session, sum, at.Seq(), row))
	}
	p.Next = next
	return p, err
}

// SessionPage is a page of a tenant's sessions, the newest first.
type SessionPage struct {
	Sessions []view.Session
	Next     string
}

// Sessions lists a tenant's sessions. Each is true as of a seq of its own: their heads
// are read one by one, some at once. A page may have fewer than were asked for, though
// it is not the last.
func (s *Service) Sessions(ctx context.Context, tenant string, q ListQuery) (SessionPage, error) {
	rows, next, err := s.rows(ctx, listOf(tenant, "sessions"), index.SessionPartition(tenant), q)
	if err != nil {
		return SessionPage{}, err
	}
	all := make([]view.Session, len(rows))
	err = together(len(rows), func(i int) error {
		row, err := index.DecodeSession(rows[i])
		if err != nil {
			return err
		}
		all[i], err = s.sessionAt(ctx, eventstore.Stream{Tenant: tenant, Session: row.ID}, row.OpenedAt)
		if isDeleted(err) {
			return nil // its row is still to go
		}
		return err
	})
	p := SessionPage{Sessions: []view.Session{}, Next: next}
	for _, its := range all {
		if its.SessionID != "" {
			p.Sessions = append(p.Sessions, its)
		}
	}
	return p, err
}

// rows reads a page of a partition from its end. New rows come before the first
// page, so a cursor neither repeats nor skips any.
func (s *Service) rows(ctx context.Context, list scope, partition string, q ListQuery) (rows []eventstore.Row, next string, err error) {
	after, err := list.after(q.Cursor)
	if err != nil {
		return nil, "", err
	}
	for more := true; more && len(rows) <= q.Limit; {
		var page []eventstore.Row
		page, more, err = s.Journal.Rows(ctx, eventstore.RowQuery{Partition: partition, After: after, Descending: true, Limit: q.Limit + 1 - len(rows)})
		if err != nil {
			return nil, "", err
		}
		if len(page) == 0 {
			break
		}
		rows, after = append(rows, page...), page[len(page)-1].Sort
	}
	if len(rows) > q.Limit {
		rows = rows[:q.Limit]
		next = list.cursor(rows[q.Limit-1].Sort)
	}
	return rows, next, nil
}

// FilePage is a page of a session's files, by path.
type FilePage struct {
	Files   []workspace.File
	AsOfSeq uint64
	Next    string
}

// Files lists the files whose path begins with prefix, with or without its
// leading slash.
func (s *Service) Files(ctx context.Context, stream eventstore.Stream, prefix string, q ListQuery) (FilePage, error) {
	prefix = workspace.CleanPrefix(prefix)
	list := listOf(stream.Tenant, "files\n"+stream.Session+"\n"+prefix)
	after, err := list.after(q.Cursor)
	switch {
	case err != nil:
		return FilePage{}, err
	case len(prefix) > workspace.MaxPath || !utf8.ValidString(prefix):
		return FilePage{}, fault.New(fault.InvalidPath, "the prefix is not UTF-8 of up to %d bytes", workspace.MaxPath)
	}
	var p FilePage
	err = s.read(ctx, stream, func(now *fold.Session) error {
		var more bool
		p.Files, more = now.Tree.Page(prefix, after, q.Limit)
		p.AsOfSeq = now.At.Seq()
		if more {
			p.Next = list.cursor(p.Files[len(p.Files)-1].Path)
		}
		return nil
	})
	return p, err
}

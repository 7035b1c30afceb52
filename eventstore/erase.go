package eventstore

import (
	"context"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// eraseAtOnce is how many items are removed at the same time, and erasePage how many
// commits are read to be removed: for their keys alone, and they may be large.
const (
	eraseAtOnce = 16
	erasePage   = 64
)

func closed(op string, s Stream) error {
	return Errorf(Closed, op, "%s was closed: nothing can be added to it", s)
}

// erased is what a reader gets where seq want is missing and r stands next: the commit
// that closed the stream, with which its end begins.
func (j *Journal) erased(ctx context.Context, s Stream, want uint64, r Record) (Record, error) {
	head, at, err := j.Head(ctx, s)
	switch {
	case err != nil:
		return Record{}, err
	case !at.closed:
		return Record{}, Errorf(Corrupt, "read", "%s: seq %d is missing, the next commit begins at %d", s, want, r.First)
	}
	return head, nil
}

// Erase removes what a closed stream consists of, but for the commit that closed it:
// commits, claims and blobs that were there before a moment, at most about limit of
// each in one call. more says that it did not come to the end. It may be called again
// at any time, also after a crash in the middle. A stream that is not closed is Invalid.
//
// A claim tells no time: claims go whatever moment is given. Nobody takes one again, as
// nobody can append. The places of young commits have to stay taken for as long as
// somebody may live who was given the position before one: that is what the moment is
// for.
func (j *Journal) Erase(ctx context.Context, s Stream, before time.Time, limit int) (more bool, err error) {
	_, at, err := j.Head(ctx, s)
	switch {
	case err != nil:
		return false, err
	case !at.closed:
		return false, Errorf(Invalid, "erase", "%s is not closed", s)
	}
	for _, erase := range []func(context.Context, Stream, time.Time, int) (bool, error){j.eraseCommits, j.eraseClaims, j.eraseBlobs} {
		m, err := erase(ctx, s, before, limit)
		if more = more || m; err != nil {
			return more, err
		}
	}
	return more, nil
}

// eraseCommits goes from the oldest on, a page at a time.
func (j *Journal) eraseCommits(ctx context.Context, s Stream, before time.Time, limit int) (bool, error) {
	for limit > 0 {
		page, more, err := j.records(ctx, RecordQuery{Stream: s, From: 1, Limit: min(limit, erasePage)})
		if err != nil {
			return false, err
		}
		var keys []RowKey
		for _, r := range page {
			if r.Closed || !r.At.Before(before) {
				more = false // whatever is behind it is younger
				break
			}
			keys = append(keys, RowKey{RecordPartition(s), SeqKey(r.First)})
		}
		if err := j.eraseItems(ctx, keys); err != nil || !more {
			return false, err
		}
		limit -= len(keys)
	}
	return true, nil
}

func (j *Journal) eraseClaims(ctx context.Context, s Stream, _ time.Time, limit int) (bool, error) {
	return j.erasePartition(ctx, ClaimKey(s, "").Partition, "", limit)
}

func (j *Journal) erasePartition(ctx context.Context, partition, prefix string, limit int) (bool, error) {
	for limit > 0 {
		page, more, err := j.Rows(ctx, RowQuery{Partition: partition, After: prefix, Limit: min(limit, MaxErase)})
		if err != nil {
			return false, err
		}
		var keys []RowKey
		for _, r := range page {
			if !strings.HasPrefix(r.Sort, prefix) {
				more = false
				break
			}
			keys = append(keys, r.RowKey)
		}
		if err := j.eraseItems(ctx, keys); err != nil || !more {
			return false, err
		}
		limit -= len(keys)
	}
	return true, nil
}

func (j *Journal) eraseBlobs(ctx context.Context, s Stream, before time.Time, limit int) (bool, error) {
	if j.blobs == nil {
		return false, nil
	}
	blobs, ok := j.blobs.(BlobEraser)
	if !ok {
		return false, Errorf(Invalid, "erase", "%T cannot erase", j.blobs)
	}
	for after := ""; limit > 0; {
		page, more, err := j.listBlobs(ctx, blobs, s, after)
		if err != nil {
			return false, err
		}
		var old []string
		for _, b := range page {
			if after = b.SHA256; b.Put.Before(before) && len(old) < limit {
				old = append(old, b.SHA256)
			}
		}
		if len(old) > 0 {
			err = j.retry.do(ctx, func(ctx context.Context) error { return blobs.EraseBlobs(ctx, s, old) })
		}
		if err != nil || !more {
			return false, err
		}
		limit -= len(old)
	}
	return true, nil
}

func (j *Journal) listBlobs(ctx context.Context, blobs BlobEraser, s Stream, after string) (page []Blob, more bool, err error) {
	err = j.retry.do(ctx, func(ctx context.Context) (err error) {
		page, more, err = blobs.ListBlobs(ctx, s, after, MaxErase)
		return err
	})
	return page, more, err
}

// EraseRows removes a partition's rows whose sort begins with prefix, at most about
// limit in one call; more says that it did not come to the end. The partitions of
// commits and claims are Invalid.
func (j *Journal) EraseRows(ctx context.Context, partition, prefix string, limit int) (more bool, err error) {
	if err := erasable(partition); err != nil {
		return false, err
	}
	return j.erasePartition(ctx, partition, prefix, limit)
}

// EraseRow removes one row; none is no error.
func (j *Journal) EraseRow(ctx context.Context, key RowKey) error {
	if err := erasable(key.Partition); err != nil {
		return err
	}
	return j.eraseItems(ctx, []RowKey{key})
}

func erasable(partition string) error {
	if partition == "" || strings.HasSuffix(partition, commitSuffix) || strings.HasSuffix(partition, claimSuffix) {
		return Errorf(Invalid, "erase", "%q is no partition of rows", partition)
	}
	return nil
}

func (j *Journal) eraseItems(ctx context.Context, keys []RowKey) error {
	driver, ok := j.driver.(Eraser)
	if !ok {
		return Errorf(Invalid, "erase", "%T cannot erase", j.driver)
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(eraseAtOnce)
	for _, key := range keys {
		all.Go(func() error {
			return j.retry.do(ctx, func(ctx context.Context) error { return driver.Erase(ctx, key) })
		})
	}
	return all.Wait()
}

package stepfunctions

import (
	"bytes"
	"encoding/binary"

	"go.etcd.io/bbolt"
)

// How many old executions one call may remove: a history can be 25,000 events
// long, and each start of an execution removes more than it adds.
const (
	purgeOnStart = 50
	purgeOnWrite = 2
)

// purge removes the oldest of the executions that closed longer ago than names
// are kept.
func (s *Service) purge(most int) error {
	horizon := uint64(max(toMillis(s.opts.Now().Add(-keepNames)), 0))
	if none, err := s.nothingToPurge(horizon); none || err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error {
		var old [][]byte
		c := tx.Bucket(closedBucket).Cursor()
		for k, _ := c.First(); k != nil && len(old) < most && binary.BigEndian.Uint64(k) <= horizon; k, _ = c.Next() {
			old = append(old, bytes.Clone(k))
		}
		for _, k := range old {
			if err := removeClosed(tx, k); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Service) nothingToPurge(horizon uint64) (none bool, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		k, _ := tx.Bucket(closedBucket).Cursor().First()
		none = k == nil || binary.BigEndian.Uint64(k) > horizon
		return nil
	})
	return none, err
}

func removeClosed(tx *bbolt.Tx, closedKey []byte) error {
	seq := seqOf(closedKey)
	ex, err := getJSON[execution](tx, executionsBucket, key(seq))
	if err != nil {
		return err
	}
	if ex != nil {
		name := nameKey(ex.Machine, ex.Name)
		if bytes.Equal(tx.Bucket(namesBucket).Get(name), key(seq)) { // a newer one may have taken it
			if err := tx.Bucket(namesBucket).Delete(name); err != nil {
				return err
			}
		}
		if err := tx.Bucket(agesBucket).Delete(ageKey(ex.Machine, seq)); err != nil {
			return err
		}
	}
	for _, bucket := range [][]byte{executionsBucket, valuesBucket, historyBucket} {
		if err := deletePrefix(tx.Bucket(bucket), key(seq)); err != nil {
			return err
		}
	}
	return tx.Bucket(closedBucket).Delete(closedKey)
}

func deletePrefix(b *bbolt.Bucket, prefix []byte) error {
	var keys [][]byte
	c := b.Cursor()
	for k, _ := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, _ = c.Next() {
		keys = append(keys, bytes.Clone(k))
	}
	for _, k := range keys {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

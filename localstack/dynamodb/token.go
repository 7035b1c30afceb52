package dynamodb

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"go.etcd.io/bbolt"

	"windlass/localstack/awsjson"
	"windlass/localstack/dynamodb/attribute"
)

// A client request token is kept with its transaction, in the same commit, for
// ten minutes: as 't' + token (expiry, fingerprint) and 'e' + expiry + token.

const (
	tokenLife      = 10 * time.Minute
	maxTokenTrim   = 4 // per transaction, which adds one
	timeBytes      = 8
	tokenKey       = 't'
	tokenExpiryKey = 'e'
)

// fingerprint identifies the parameters of a transaction, however a client
// orders the members of its maps.
type fingerprint [sha256.Size]byte

func (in *request) fingerprint() (print fingerprint) {
	h := sha256.New()
	b := make([]byte, 0, 4096)
	for _, a := range in.actions {
		b = b[:0]
		for _, part := range []string{a.verb, a.in.table, a.in.condition, a.in.update, a.in.onFailure} {
			b = binary.BigEndian.AppendUint32(b, uint32(len(part)))
			b = append(b, part...)
		}
		for _, n := range a.in.names {
			b = append(append(append(append(b, n.Placeholder...), 0), n.Attribute...), 0)
		}
		for _, item := range []attribute.Item{a.in.item, a.in.key, a.in.values} {
			b = attribute.AppendItem(b, item)
		}
		h.Write(b)
	}
	h.Sum(print[:0])
	return print
}

// tokenSeen reports that this very transaction was done within the token's life.
func (s *Service) tokenSeen(tx *bbolt.Tx, token string, print fingerprint) (bool, error) {
	kept := tx.Bucket(tokensBucket).Get(append([]byte{tokenKey}, token...))
	if kept == nil || int64(binary.BigEndian.Uint64(kept)) < s.options.Now().UnixMilli() {
		return false, nil
	}
	if !bytes.Equal(kept[timeBytes:], print[:]) {
		return false, awsjson.Errorf("IdempotentParameterMismatchException", "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical")
	}
	return true, nil
}

func (s *Service) keepToken(tx *bbolt.Tx, token string, print fingerprint) error {
	bucket := tx.Bucket(tokensBucket)
	now := s.options.Now()
	if err := trimTokens(bucket, now); err != nil {
		return err
	}
	expiry := binary.BigEndian.AppendUint64(nil, uint64(now.Add(tokenLife).UnixMilli()))
	if err := bucket.Put(append([]byte{tokenKey}, token...), append(expiry, print[:]...)); err != nil {
		return err
	}
	return bucket.Put(append(append([]byte{tokenExpiryKey}, expiry[:timeBytes]...), token...), nil)
}

// trimTokens forgets a few that have expired. A token in use again has a newer
// expiry than the entry that is trimmed, and stays.
func trimTokens(bucket *bbolt.Bucket, now time.Time) error {
	cursor := bucket.Cursor()
	for range maxTokenTrim {
		key, _ := cursor.Seek([]byte{tokenExpiryKey})
		if key == nil || key[0] != tokenExpiryKey || int64(binary.BigEndian.Uint64(key[1:])) >= now.UnixMilli() {
			return nil
		}
		key = bytes.Clone(key)
		token := append([]byte{tokenKey}, key[1+timeBytes:]...)
		if kept := bucket.Get(token); kept != nil && bytes.Equal(kept[:timeBytes], key[1:1+timeBytes]) {
			if err := bucket.Delete(token); err != nil {
				return err
			}
		}
		if err := bucket.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

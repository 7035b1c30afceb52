package s3

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"windlass/localstack/disk"
)

// index is where objects become visible: one commit, one object more. Objects of
// a bucket have a bbolt bucket of their own, named by the bucket's id, so that a
// bucket made anew never shows what the old one held.
type index struct{ db *disk.DB }

var bucketsBucket = []byte("s3/buckets")

func objectsBucket(id string) []byte { return []byte("s3/objects/" + id) }

// object is what the index keeps for a key.
type object struct {
	Body     string            `json:"body"` // name of the file
	Size     int64             `json:"size"`
	MD5      string            `json:"md5"`      // hex
	Modified int64             `json:"modified"` // ms since 1970
	Headers  map[string]string `json:"headers,omitempty"`
	Meta     map[string]string `json:"meta,omitempty"`
	Checksum checksum          `json:"checksum"`
}

func (o *object) etag() string { return `"` + o.MD5 + `"` }

func decodeObject(data []byte) (*object, error) {
	o := &object{}
	if err := json.Unmarshal(data, o); err != nil || o.Body == "" {
		return nil, fmt.Errorf("stored object is unreadable: %w", errors.Join(err, errors.New(string(data))))
	}
	return o, nil
}

// get returns nil for a key without object.
func (x index) get(b *bucket, key string) (found *object, err error) {
	err = x.db.View(func(tx *bbolt.Tx) error {
		found, err = lookup(tx.Bucket(objectsBucket(b.ID)), b, key)
		return err
	})
	return found, err
}

func lookup(objects *bbolt.Bucket, b *bucket, key string) (*object, error) {
	if objects == nil {
		return nil, noBucket(b.Name) // removed since the call began
	}
	data := objects.Get([]byte(key))
	if data == nil {
		return nil, nil
	}
	return decodeObject(data)
}

// put makes o visible under key if the condition holds, and returns the body
// that it replaces.
func (x index) put(b *bucket, key string, when condition, o *object) (replaced string, err error) {
	data, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	err = x.db.Update(func(tx *bbolt.Tx) error {
		replaced = ""
		objects := tx.Bucket(objectsBucket(b.ID))
		old, err := lookup(objects, b, key)
		if err != nil {
			return err
		}
		if err := when.check(old); err != nil {
			return err
		}
		if old != nil {
			replaced = old.Body
		}
		return objects.Put([]byte(key), data)
	})
	return replaced, err
}

// remove makes the keys' objects invisible, all at once, and returns their
// bodies. A key without object is no error.
func (x index) remove(b *bucket, keys ...string) (removed []string, err error) {
	err = x.db.Update(func(tx *bbolt.Tx) error {
		removed = removed[:0]
		objects := tx.Bucket(objectsBucket(b.ID))
		for _, key := range keys {
			old, err := lookup(objects, b, key)
			if err != nil {
				return err
			}
			if old != nil {
				removed = append(removed, old.Body)
			}
		}
		for _, key := range keys {
			if err := objects.Delete([]byte(key)); err != nil {
				return err
			}
		}
		return nil
	})
	return removed, err
}

// bodies names every body that an object refers to.
func (x index) bodies() (live map[string]bool, err error) {
	live = map[string]bool{}
	err = x.db.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if string(name) == string(bucketsBucket) {
				return nil
			}
			return b.ForEach(func(_, data []byte) error {
				o, err := decodeObject(data)
				if err == nil {
					live[o.Body] = true
				}
				return err
			})
		})
	})
	return live, err
}

package s3

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.etcd.io/bbolt"
)

// BucketSpec describes a bucket. Without rules it answers no other origin.
type BucketSpec struct {
	Name string     `json:"name"`
	CORS []CORSRule `json:"cors,omitempty"`
}

// bucket is what the index keeps of one. It is never changed, only replaced.
type bucket struct {
	BucketSpec
	ID      string `json:"id"`
	Created int64  `json:"created"` // ms since 1970
}

// maxBuckets is AWS's old default for an account.
const maxBuckets = 100

// buckets is what the index holds of them, in memory. The lock is held over a
// change of the index, so that the two never differ.
type buckets struct {
	mu     sync.RWMutex
	byName map[string]*bucket
}

func (b *buckets) get(name string) *bucket {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.byName[name]
}

func (b *buckets) sorted() []*bucket {
	b.mu.RLock()
	defer b.mu.RUnlock()
	all := make([]*bucket, 0, len(b.byName))
	for _, one := range b.byName {
		all = append(all, one)
	}
	slices.SortFunc(all, func(x, y *bucket) int { return strings.Compare(x.Name, y.Name) })
	return all
}

// EnsureBucket makes the bucket if there is none of that name, and gives it
// these CORS rules. Its objects stay as they are.
func (s *Service) EnsureBucket(spec BucketSpec) error { return s.makeBucket(spec, true) }

// makeBucket without replace leaves a bucket that exists as it is.
func (s *Service) makeBucket(spec BucketSpec, replace bool) error {
	if !validBucketName(spec.Name) {
		return fault("InvalidBucketName")
	}
	for i, rule := range spec.CORS {
		if err := rule.check(); err != nil {
			return fmt.Errorf("bucket %s: CORS rule %d: %w", spec.Name, i+1, err)
		}
	}
	s.buckets.mu.Lock()
	defer s.buckets.mu.Unlock()
	b := &bucket{BucketSpec: spec, ID: rand.Text(), Created: s.options.Now().UnixMilli()}
	if old := s.buckets.byName[spec.Name]; old != nil {
		if !replace {
			return fault("BucketAlreadyOwnedByYou").with("BucketName", spec.Name)
		}
		b.ID, b.Created = old.ID, old.Created
	} else if len(s.buckets.byName) >= maxBuckets {
		return fault("TooManyBuckets")
	}
	if err := s.index.putBucket(b); err != nil {
		return err
	}
	s.buckets.byName[spec.Name] = b
	return nil
}

// dropBucket removes an empty bucket.
func (s *Service) dropBucket(b *bucket) error {
	s.buckets.mu.Lock()
	defer s.buckets.mu.Unlock()
	if current := s.buckets.byName[b.Name]; current == nil || current.ID != b.ID {
		return noBucket(b.Name)
	}
	if err := s.index.dropBucket(b); err != nil {
		return err
	}
	delete(s.buckets.byName, b.Name)
	return nil
}

func (x index) loadBuckets() (map[string]*bucket, error) {
	all := map[string]*bucket{}
	err := x.db.Update(func(tx *bbolt.Tx) error {
		clear(all)
		stored, err := tx.CreateBucketIfNotExists(bucketsBucket)
		if err != nil {
			return err
		}
		return stored.ForEach(func(name, data []byte) error {
			b := &bucket{}
			if err := json.Unmarshal(data, b); err != nil {
				return fmt.Errorf("stored bucket %s is unreadable: %w", name, err)
			}
			all[string(name)] = b
			return nil
		})
	})
	return all, err
}

func (x index) putBucket(b *bucket) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return x.db.Update(func(tx *bbolt.Tx) error {
		if _, err := tx.CreateBucketIfNotExists(objectsBucket(b.ID)); err != nil {
			return err
		}
		return tx.Bucket(bucketsBucket).Put([]byte(b.Name), data)
	})
}

func (x index) dropBucket(b *bucket) error {
	return x.db.Update(func(tx *bbolt.Tx) error {
		if key, _ := tx.Bucket(objectsBucket(b.ID)).Cursor().First(); key != nil {
			return fault("BucketNotEmpty")
		}
		if err := tx.DeleteBucket(objectsBucket(b.ID)); err != nil {
			return err
		}
		return tx.Bucket(bucketsBucket).Delete([]byte(b.Name))
	})
}

var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// validBucketName follows "General purpose bucket naming rules".
func validBucketName(name string) bool {
	if !bucketName.MatchString(name) || strings.Contains(name, "..") {
		return false
	}
	for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	for _, suffix := range []string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"} {
		if strings.HasSuffix(name, suffix) {
			return false
		}
	}
	_, err := netip.ParseAddr(name)
	return err != nil
}

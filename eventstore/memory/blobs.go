package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"windlass/eventstore"
)

// Blobs keeps bytes in memory. It is safe for concurrent use, and panics if bytes
// are put under a hash that is not theirs.
type Blobs struct {
	mu    sync.RWMutex
	bytes map[eventstore.BlobKey][]byte
	put   map[eventstore.BlobKey]time.Time
}

var (
	_ eventstore.Blobs      = (*Blobs)(nil)
	_ eventstore.BlobEraser = (*Blobs)(nil)
)

// NewBlobs makes an empty store.
func NewBlobs() *Blobs {
	return &Blobs{bytes: map[eventstore.BlobKey][]byte{}, put: map[eventstore.BlobKey]time.Time{}}
}

// PutBlob implements [eventstore.Blobs].
func (b *Blobs) PutBlob(ctx context.Context, key eventstore.BlobKey, _ string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return eventstore.Errorf(eventstore.Unavailable, "put blob", "%w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != key.SHA256 {
		panic(fmt.Sprintf("memory: %s is put with other bytes", key))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, there := b.bytes[key]; !there {
		b.bytes[key], b.put[key] = bytes.Clone(data), time.Now()
	}
	return nil
}

// GetBlob implements [eventstore.Blobs].
func (b *Blobs) GetBlob(ctx context.Context, key eventstore.BlobKey, offset, n int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, eventstore.Errorf(eventstore.Unavailable, "get blob", "%w", err)
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	data, ok := b.bytes[key]
	if !ok {
		return nil, eventstore.Errorf(eventstore.NotFound, "get blob", "%s", key)
	}
	from := min(max(offset, 0), int64(len(data)))
	return bytes.Clone(data[from:min(from+n, int64(len(data)))]), nil
}

// ListBlobs implements [eventstore.BlobEraser].
func (b *Blobs) ListBlobs(ctx context.Context, s eventstore.Stream, after string, limit int) (page []eventstore.Blob, more bool, err error) {
	if err := readable(ctx, "list blobs", limit); err != nil {
		return nil, false, err
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	for key, put := range b.put {
		if key.Stream == s && key.SHA256 > after {
			page = append(page, eventstore.Blob{SHA256: key.SHA256, Put: put})
		}
	}
	slices.SortFunc(page, func(a, b eventstore.Blob) int { return strings.Compare(a.SHA256, b.SHA256) })
	if len(page) > limit {
		return page[:limit], true, nil
	}
	return page, false, nil
}

// EraseBlobs implements [eventstore.BlobEraser].
func (b *Blobs) EraseBlobs(ctx context.Context, s eventstore.Stream, hashes []string) error {
	if err := alive(ctx, "erase blobs"); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, hash := range hashes {
		key := eventstore.BlobKey{Stream: s, SHA256: hash}
		delete(b.bytes, key)
		delete(b.put, key)
	}
	return nil
}

// Keys lists what is kept, for tests that look for what was left behind.
func (b *Blobs) Keys() (all []string) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for key := range b.bytes {
		all = append(all, key.String())
	}
	slices.Sort(all)
	return all
}

package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"

	"windlass/eventstore"
)

// Blobs keeps bytes in memory. It is safe for concurrent use, and panics if bytes
// are put under a hash that is not theirs.
type Blobs struct {
	mu    sync.RWMutex
	bytes map[eventstore.BlobKey][]byte
}

var _ eventstore.Blobs = (*Blobs)(nil)

// NewBlobs makes an empty store.
func NewBlobs() *Blobs { return &Blobs{bytes: map[eventstore.BlobKey][]byte{}} }

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
	b.bytes[key] = bytes.Clone(data)
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

package eventstore

import (
	"context"
	"time"
)

// MaxErase bounds the blobs of one removal; it is S3's own bound.
const MaxErase = 1000

// Eraser is what a [Driver] can do besides, where streams are deleted.
type Eraser interface {
	// Erase removes one item, a commit's, a claim's or a row's. One that is not there is
	// no error.
	Erase(ctx context.Context, key RowKey) error
}

// BlobEraser is the same for [Blobs].
type BlobEraser interface {
	// ListBlobs returns a page of at most limit blobs of the stream, by their hash,
	// behind the one named. more is true if there may be others; that may prove false.
	ListBlobs(ctx context.Context, s Stream, after string, limit int) (page []Blob, more bool, err error)
	// EraseBlobs removes up to [MaxErase] blobs of the stream. Those that are not there
	// are no error. After an error some may be removed.
	EraseBlobs(ctx context.Context, s Stream, hashes []string) error
}

// Blob is one that is kept, and since when.
type Blob struct {
	SHA256 string
	Put    time.Time
}

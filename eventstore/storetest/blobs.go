package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"

	"github.com/oklog/ulid/v2"

	"windlass/eventstore"
)

// RunBlobs checks a place for large values. open is called once for each case and
// may return the same backend every time.
func RunBlobs(t *testing.T, open func(t *testing.T) eventstore.Blobs) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, eventstore.Blobs)
	}{
		{"a blob comes back as it was", blobComesBack},
		{"ranges end where the blob ends", blobRanges},
		{"the same bytes again change nothing", blobAgain},
		{"32 at once put one blob", blobRace},
		{"blobs belong to their session", blobOfSessions},
		{"a missing blob is not found", blobMissing},
		{"a cancelled context is unavailable", blobCancelled},
		{"what is erased is gone, and nothing else", eraseBlobs},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func blobKey(data []byte) eventstore.BlobKey {
	sum := sha256.Sum256(data)
	return eventstore.BlobKey{Stream: eventstore.Stream{Tenant: "blobs", Session: ulid.Make().String()}, SHA256: hex.EncodeToString(sum[:])}
}

func putBlob(t *testing.T, b eventstore.Blobs, key eventstore.BlobKey, data []byte) {
	t.Helper()
	if err := b.PutBlob(t.Context(), key, "text/plain; charset=utf-8", data); err != nil {
		t.Fatal(err)
	}
}

func wantBlob(t *testing.T, b eventstore.Blobs, key eventstore.BlobKey, offset, n int64, want []byte) {
	t.Helper()
	got, err := b.GetBlob(t.Context(), key, offset, n)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes from %d: %d bytes, %v; want %d", n, offset, len(got), err, len(want))
	}
}

func blobComesBack(t *testing.T, b eventstore.Blobs) {
	for _, n := range []int{1, 1000, 1 << 20, 9 << 20} {
		data := bytes.Repeat([]byte("\x00a\xff"), n/3+1)
		key := blobKey(data)
		putBlob(t, b, key, data)
		wantBlob(t, b, key, 0, int64(len(data)), data)
	}
}

func blobRanges(t *testing.T, b eventstore.Blobs) {
	data := []byte("0123456789")
	key := blobKey(data)
	putBlob(t, b, key, data)
	for _, r := range []struct {
		offset, n int64
		want      string
	}{{0, 10, "0123456789"}, {0, 1, "0"}, {3, 4, "3456"}, {8, 100, "89"}, {10, 5, ""}, {99, 5, ""}, {4, 0, ""}} {
		wantBlob(t, b, key, r.offset, r.n, []byte(r.want))
	}
}

func blobAgain(t *testing.T, b eventstore.Blobs) {
	data := []byte("once")
	key := blobKey(data)
	for range 3 {
		putBlob(t, b, key, data)
	}
	wantBlob(t, b, key, 0, 9, data)
}

func blobRace(t *testing.T, b eventstore.Blobs) {
	data := bytes.Repeat([]byte("race"), 5000)
	key := blobKey(data)
	var all sync.WaitGroup
	errs := make([]error, 32)
	for i := range errs {
		all.Go(func() { errs[i] = b.PutBlob(t.Context(), key, "text/plain", data) })
	}
	all.Wait()
	for _, err := range errs {
		// Throttled is S3's word for two at once; the Journal sends again.
		if err != nil && eventstore.CodeOf(err) != eventstore.Throttled {
			t.Error(err)
		}
	}
	wantBlob(t, b, key, 0, int64(len(data)), data)
}

func blobOfSessions(t *testing.T, b eventstore.Blobs) {
	data := []byte(fmt.Sprint("of one session ", ulid.Make()))
	key := blobKey(data)
	putBlob(t, b, key, data)
	for _, s := range []eventstore.Stream{{Tenant: "other", Session: key.Stream.Session}, {Tenant: key.Stream.Tenant, Session: "other"}} {
		if _, err := b.GetBlob(t.Context(), eventstore.BlobKey{Stream: s, SHA256: key.SHA256}, 0, 1); err == nil || eventstore.CodeOf(err) != eventstore.NotFound {
			t.Errorf("%s: %v, want %s", s, err, eventstore.NotFound)
		}
	}
}

func blobMissing(t *testing.T, b eventstore.Blobs) {
	if _, err := b.GetBlob(t.Context(), blobKey([]byte("nowhere")), 0, 1); err == nil || eventstore.CodeOf(err) != eventstore.NotFound {
		t.Errorf("%v, want %s", err, eventstore.NotFound)
	}
}

func blobCancelled(t *testing.T, b eventstore.Blobs) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := []byte("too late")
	key := blobKey(data)
	if err := b.PutBlob(ctx, key, "text/plain", data); err == nil || eventstore.CodeOf(err) != eventstore.Unavailable {
		t.Errorf("put: %v, want %s", err, eventstore.Unavailable)
	}
	if _, err := b.GetBlob(ctx, key, 0, 1); err == nil || eventstore.CodeOf(err) != eventstore.Unavailable {
		t.Errorf("get: %v, want %s", err, eventstore.Unavailable)
	}
}

package eventstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"unicode/utf8"

	"windlass/eventstore/event"
)

// BlobKey names bytes that are kept apart from the log: by content, and never
// shared between sessions.
type BlobKey struct {
	Stream Stream
	// SHA256 is the content's, in lower-case hex.
	SHA256 string
}

// String is the object's key: {tenant}/{session}/blobs/{sha256}.
func (k BlobKey) String() string {
	return k.Stream.Tenant + "/" + k.Stream.Session + "/blobs/" + k.SHA256
}

// Blobs keeps bytes by their content. Like a [Driver] it decides nothing and
// never retries.
type Blobs interface {
	// PutBlob stores data under its own hash, with its media type. What is there
	// already is left as it is: the same key is the same bytes.
	PutBlob(ctx context.Context, key BlobKey, mediaType string, data []byte) error
	// GetBlob returns up to n bytes from offset on, fewer only at the end. NotFound
	// if there is no such blob.
	GetBlob(ctx context.Context, key BlobKey, offset, n int64) ([]byte, error)
}

// WithBlobs lets the Journal keep large values and bodies apart.
func WithBlobs(b Blobs) Option { return func(j *Journal) { j.blobs = b } }

// Keep makes a value of data: inline up to [event.MaxInline], else stored apart
// before it returns, so that an append which refers to it finds it there. Which
// of the two follows from data alone.
func (j *Journal) Keep(ctx context.Context, s Stream, data, mediaType string) (event.Value, error) {
	if len(data) <= event.MaxInline {
		return event.Text(data), nil
	}
	ref, err := j.Put(ctx, s, []byte(data), mediaType)
	if err != nil {
		return event.Value{}, err
	}
	return event.ByRef(ref), nil
}

// Put stores data apart, whatever its size. It looks at the head first: what is put
// into a stream that was closed long ago would never be found again, so that is
// [Closed].
func (j *Journal) Put(ctx context.Context, s Stream, data []byte, mediaType string) (event.Ref, error) {
	if err := s.valid(); err != nil {
		return event.Ref{}, err
	}
	if j.blobs == nil {
		return event.Ref{}, Errorf(TooLarge, "keep", "%d bytes, and nothing is configured that keeps large values", len(data))
	}
	if len(data) > MaxBlob {
		return event.Ref{}, Errorf(TooLarge, "keep", "a value of %d bytes, at most %d", len(data), MaxBlob)
	}
	switch _, at, err := j.Head(ctx, s); {
	case err != nil:
		return event.Ref{}, err
	case at.closed:
		return event.Ref{}, closed("keep", s)
	}
	return j.put(ctx, s, data, mediaType)
}

func (j *Journal) put(ctx context.Context, s Stream, data []byte, mediaType string) (event.Ref, error) {
	sum := sha256.Sum256(data)
	ref := event.Ref{SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), Type: mediaType}
	return ref, j.retry.forBytes(ref.Bytes).do(ctx, func(ctx context.Context) error {
		return j.blobs.PutBlob(ctx, BlobKey{s, ref.SHA256}, mediaType, data)
	})
}

// Load returns a value's bytes, wherever it stands.
func (j *Journal) Load(ctx context.Context, s Stream, v event.Value) (string, error) {
	return j.LoadRange(ctx, s, v, 0, v.Len())
}

// LoadRange returns up to n of a value's bytes from offset on.
func (j *Journal) LoadRange(ctx context.Context, s Stream, v event.Value, offset, n int64) (string, error) {
	offset = min(max(offset, 0), v.Len())
	n = min(max(n, 0), v.Len()-offset)
	ref, apart := v.Ref()
	switch {
	case !apart:
		return v.Inline()[offset : offset+n], nil
	case n == 0:
		return "", nil
	case j.blobs == nil:
		return "", Errorf(Invalid, "load", "nothing is configured that keeps large values")
	}
	var data []byte
	err := j.retry.forBytes(n).do(ctx, func(ctx context.Context) (err error) {
		data, err = j.blobs.GetBlob(ctx, BlobKey{s, ref.SHA256}, offset, n)
		return err
	})
	switch {
	case err != nil && CodeOf(err) == NotFound:
		return "", Errorf(Corrupt, "load", "%s: %w", BlobKey{s, ref.SHA256}, err)
	case err == nil && int64(len(data)) != n:
		return "", Errorf(Corrupt, "load", "%s: %d bytes of %d", BlobKey{s, ref.SHA256}, len(data), n)
	}
	return string(data), err
}

// bodyType is the media type of a body that stands apart.
const bodyType = "application/json"

// spill keeps a body apart that is over [SpillBody]: its place in the record is
// taken by {"ref": …}, which no array of events begins like.
func (j *Journal) spill(ctx context.Context, r *Record) error {
	if len(r.Body) <= SpillBody || j.blobs == nil {
		return nil
	}
	ref, err := j.put(ctx, r.Stream, r.Body, bodyType) // its position was just given: no need to look
	if err != nil {
		return err
	}
	r.Body, err = event.ByRef(ref).MarshalJSON()
	return err
}

// unspill puts a body back into its record.
func (j *Journal) unspill(ctx context.Context, r Record) (Record, error) {
	if len(r.Body) == 0 || r.Body[0] != '{' {
		return r, nil
	}
	var v event.Value
	if err := json.Unmarshal(r.Body, &v); err != nil {
		return r, Errorf(Corrupt, "read", "%s at seq %d: %w", r.Stream, r.First, err)
	}
	body, err := j.Load(ctx, r.Stream, v)
	if err == nil && !utf8.ValidString(body) {
		err = Errorf(Corrupt, "read", "%s at seq %d: its body is not UTF-8", r.Stream, r.First)
	}
	r.Body = []byte(body)
	return r, err
}

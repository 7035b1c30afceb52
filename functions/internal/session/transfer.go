package session

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"mime"
	"strings"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/workspace"
)

// door is where clients fetch and store large content themselves, by signed URLs.
type door interface {
	Stat(ctx context.Context, key eventstore.BlobKey) (bytes int64, mediaType string, err error)
	FetchURL(ctx context.Context, key eventstore.BlobKey, method, mediaType, disposition string, life time.Duration) (string, error)
	StoreURL(ctx context.Context, key eventstore.BlobKey, bytes int64, mediaType string, life time.Duration) (url string, headers map[string]string, err error)
}

const (
	// MaxUpload bounds an upload, in bytes.
	MaxUpload = 100 << 20
	// storeLife and fetchLife are how long a signed URL may be begun with.
	storeLife = 15 * time.Minute
	fetchLife = 5 * time.Minute
	// maxType bounds a media type, in bytes.
	maxType = 128

	anyBytes = "application/octet-stream"
)

// UploadRequest announces content.
type UploadRequest struct {
	// Name says what kind of file it is, if ContentType does not.
	Name        string
	SHA256      string
	Bytes       int64
	ContentType string
}

// Upload says how to store what was announced. Nothing is kept of it: the id says
// itself what it stands for, and is no secret.
type Upload struct {
	ID string `json:"uploadId"`
	// Present says that the content is there already: use the id.
	Present bool `json:"present"`
	// URL takes one PUT with the headers and exactly the announced bytes. 412 from
	// there means that somebody was faster: use the id.
	URL       string            `json:"url,omitempty"`
	Headers   map[string]string `json:"headers,omitempty"`
	ExpiresAt *event.Time       `json:"expiresAt,omitempty"`
}

// Upload prepares an upload straight to where the content will stand: under its
// own hash, in this session. The session need not exist yet.
func (s *Service) Upload(ctx context.Context, stream eventstore.Stream, r UploadRequest) (Upload, error) {
	if r.ContentType == "" {
		r.ContentType = workspace.TypeByName(r.Name)
	}
	u := uploaded{r.SHA256, r.Bytes, r.ContentType}
	switch {
	case !eventstore.ValidID(stream.Session):
		return Upload{}, badID("session", stream.Session)
	case !validHash(r.SHA256):
		return Upload{}, badHash(r.SHA256)
	case r.Bytes < 0:
		return Upload{}, fault.New(fault.InvalidRequest, "bytes is %d", r.Bytes)
	case r.Bytes > MaxUpload:
		return Upload{}, fault.New(fault.TooLarge, "an upload of %d bytes, at most %d are accepted", r.Bytes, MaxUpload)
	case !validType(r.ContentType):
		return Upload{}, badType(r.ContentType)
	}
	if _, _, err := s.head(ctx, stream); err != nil {
		return Upload{}, err
	}
	there, err := s.there(ctx, stream, u)
	if err != nil || there {
		return Upload{ID: u.id(), Present: there}, err
	}
	if r.ContentType == "" {
		r.ContentType = anyBytes
	}
	expires := event.At(s.Now().Add(storeLife))
	url, headers, err := s.Door.StoreURL(ctx, u.key(stream), u.bytes, r.ContentType, storeLife)
	return Upload{ID: u.id(), URL: url, Headers: headers, ExpiresAt: &expires}, err
}

// there reports whether what was announced is stored. Empty content needs no
// storing.
func (s *Service) there(ctx context.Context, stream eventstore.Stream, u uploaded) (bool, error) {
	if u.bytes == 0 && u.sha256 == emptyHash {
		return true, nil
	}
	n, _, err := s.Door.Stat(ctx, u.key(stream))
	switch {
	case err != nil && eventstore.CodeOf(err) == eventstore.NotFound:
		return false, nil
	case err != nil:
		return false, err
	case n != u.bytes:
		return false, fault.New(fault.UploadMissing, "what is stored under this hash has %d bytes, not %d; announce it as it is", n, u.bytes)
	}
	return true, nil
}

// uploaded is what an upload's id stands for.
type uploaded struct {
	sha256    string
	bytes     int64
	mediaType string // empty if the client gave none
}

func (u uploaded) key(s eventstore.Stream) eventstore.BlobKey {
	return eventstore.BlobKey{Stream: s, SHA256: u.sha256}
}

func (u uploaded) ref() event.Ref {
	if u.mediaType == "" {
		return event.Ref{SHA256: u.sha256, Bytes: u.bytes, Type: anyBytes}
	}
	return event.Ref{SHA256: u.sha256, Bytes: u.bytes, Type: u.mediaType}
}

const uploadVersion = "u1."

// id is the version, and base64url of: hash, 32 bytes; length, 8 bytes, high byte
// first; media type.
func (u uploaded) id() string {
	b, err := hex.DecodeString(u.sha256)
	if err != nil {
		panic(err) // it was checked
	}
	b = binary.BigEndian.AppendUint64(b, uint64(u.bytes))
	return uploadVersion + base64.RawURLEncoding.EncodeToString(append(b, u.mediaType...))
}

// readUpload reads an id. There is one spelling of each.
func readUpload(id string) (uploaded, error) {
	text, ok := strings.CutPrefix(id, uploadVersion)
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	const fixed = sha256.Size + 8
	if !ok || err != nil || len(b) < fixed || len(b) > fixed+maxType || strings.ContainsAny(text, "\r\n") {
		return uploaded{}, badUpload(id)
	}
	n := binary.BigEndian.Uint64(b[sha256.Size:fixed])
	u := uploaded{hex.EncodeToString(b[:sha256.Size]), int64(n), string(b[fixed:])}
	if n > MaxUpload || !validType(u.mediaType) {
		return uploaded{}, badUpload(id)
	}
	return u, nil
}

func badUpload(id string) error {
	return fault.New(fault.InvalidRequest, "%.200q is no uploadId of this version; POST to the session's uploads gives one", id)
}

func missing(u uploaded) error {
	return fault.New(fault.UploadMissing, "nothing of %d bytes with SHA-256 %s was uploaded to this session; PUT it to the URL of the upload first", u.bytes, u.sha256)
}

var emptyHash = hex.EncodeToString(sha256.New().Sum(nil))

func validHash(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

func badHash(s string) error {
	return fault.New(fault.InvalidRequest, "%.100q is no SHA-256: 64 of 0-9 a-f", s)
}

// validType reports whether t is a media type that can stand in a header; none is
// fine.
func validType(t string) bool {
	if t == "" {
		return true
	}
	for i := range len(t) {
		if t[i] < ' ' || t[i] > '~' {
			return false
		}
	}
	kind, _, err := mime.ParseMediaType(t)
	return err == nil && len(t) <= maxType && strings.Contains(kind, "/")
}

func badType(t string) error {
	return fault.New(fault.InvalidRequest, "%.150q is no media type of up to %d characters", t, maxType)
}

// Blob is a URL at which a client may fetch a blob of the session, as an
// attachment. The method is GET or HEAD.
func (s *Service) Blob(ctx context.Context, stream eventstore.Stream, hash, method string) (string, error) {
	key := eventstore.BlobKey{Stream: stream, SHA256: hash}
	switch {
	case !validHash(hash):
		return "", badHash(hash)
	case !eventstore.ValidID(stream.Session):
		return "", noBlob(key)
	}
	if _, _, err := s.head(ctx, stream); err != nil {
		return "", err
	}
	_, mediaType, err := s.Door.Stat(ctx, key)
	switch {
	case err != nil && eventstore.CodeOf(err) == eventstore.NotFound:
		return "", noBlob(key)
	case err != nil:
		return "", err
	case mediaType == "":
		mediaType = anyBytes
	}
	return s.Door.FetchURL(ctx, key, method, mediaType, "attachment", fetchLife)
}

func noBlob(key eventstore.BlobKey) error {
	return fault.New(fault.NotFound, "there is no blob %s in session %.140q", key.SHA256, key.Stream.Session)
}

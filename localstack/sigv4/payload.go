package sigv4

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strings"
)

// ErrPayload means that a body is not the one that was signed.
var ErrPayload = errors.New("sigv4: the body does not match its signed hash")

const (
	unsignedPayload = "UNSIGNED-PAYLOAD"
	hashHeader      = "X-Amz-Content-Sha256"
)

// payloadHash returns the hash that the signature covers, having checked the
// body against it or arranged for that.
func payloadHash(r *http.Request, in signed) (string, *failure) {
	s3 := in.scope.service == "s3"
	declared := r.Header.Get(hashHeader)
	if declared == "" && in.presigned && s3 {
		declared = in.query.Get(hashHeader)
		if declared == "" {
			return unsignedPayload, nil
		}
	}
	switch {
	case declared == unsignedPayload && s3:
		return declared, nil
	case strings.HasPrefix(declared, "STREAMING-"):
		return "", unmodelled("chunked payload signatures (" + declared + ") are not supported here")
	case declared == "" && s3:
		return "", missingHash
	case s3:
		return declared, watch(r, declared)
	}
	actual, fail := readAndHash(r)
	if fail == nil && declared != "" && declared != actual {
		return "", mismatch
	}
	return actual, fail
}

// readAndHash replaces the body by one in memory.
func readAndHash(r *http.Request) (string, *failure) {
	if r.ContentLength > MaxBody {
		return "", tooLarge
	}
	body, err := readAll(r)
	if err != nil {
		return "", invalid("the request body could not be read: " + err.Error())
	}
	if len(body) > MaxBody {
		return "", tooLarge
	}
	r.Body = &wholeBody{Reader: *bytes.NewReader(body), whole: body}
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]), nil
}

func readAll(r *http.Request) ([]byte, error) {
	if r.ContentLength < 0 {
		return io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(r.Body, body)
	return body, err
}

// wholeBody is a body already in memory. Bytes saves the next reader a copy.
type wholeBody struct {
	bytes.Reader
	whole []byte
}

func (b *wholeBody) Bytes() []byte { return b.whole }
func (b *wholeBody) Close() error  { return nil }

// watch makes the body check itself while it is read.
func watch(r *http.Request, declared string) *failure {
	want, err := hex.DecodeString(declared)
	if err != nil || len(want) != sha256.Size {
		return invalid("x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a hex SHA-256")
	}
	w := &watchedBody{ReadCloser: r.Body, sum: sha256.New(), want: want, left: r.ContentLength}
	if r.ContentLength == 0 || r.Body == nil || r.Body == http.NoBody {
		if !w.matches() {
			return mismatch
		}
		return nil
	}
	r.Body = w
	return nil
}

// watchedBody withholds the last bytes of a body with the wrong hash, so that a
// reader which counts to the declared length finds out as well.
type watchedBody struct {
	io.ReadCloser
	sum  hash.Hash
	want []byte
	left int64 // of the declared length; negative if there is none
	bad  bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.bad {
		return 0, ErrPayload
	}
	n, err := b.ReadCloser.Read(p)
	b.sum.Write(p[:n])
	atEnd := err == io.EOF
	if b.left > 0 {
		b.left -= int64(n)
		atEnd = atEnd || b.left <= 0
	}
	if atEnd && !b.matches() {
		b.bad = true
		return 0, ErrPayload
	}
	return n, err
}

func (b *watchedBody) matches() bool { return bytes.Equal(b.sum.Sum(nil), b.want) }

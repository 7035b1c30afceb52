package awsjson

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// MaxBody is the largest request body that is read.
const MaxBody = 16 << 20

// Operation answers one request. The body is valid only during the call. The
// result is marshalled; a json.RawMessage is sent as it is, nil is sent as {}.
type Operation func(ctx context.Context, body []byte) (any, error)

// Handler serves the operations under X-Amz-Target "targetPrefix.Name".
func Handler(targetPrefix, contentType string, ops map[string]Operation) http.Handler {
	return &service{
		prefix:      targetPrefix + ".",
		namespace:   "com.amazonaws." + strings.ToLower(strings.Replace(targetPrefix, "_", ".v", 1)),
		contentType: []string{contentType},
		ops:         ops,
	}
}

type service struct {
	prefix, namespace string
	contentType       []string
	ops               map[string]Operation
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, err := s.serve(r)
	if err != nil {
		coded := asError(err)
		w.Header()["X-Amzn-Errortype"] = []string{coded.Code}
		s.write(w, coded.status(), coded.body(s.namespace))
		return
	}
	s.write(w, http.StatusOK, out)
}

func (s *service) serve(r *http.Request) ([]byte, error) {
	if r.Method != http.MethodPost {
		return nil, &Error{Status: http.StatusMethodNotAllowed, Code: "UnknownOperationException", Message: "the method must be POST"}
	}
	name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), s.prefix)
	op := s.ops[name]
	if !ok || op == nil {
		return nil, Errorf("UnknownOperationException", "operation %q is not supported here", r.Header.Get("X-Amz-Target"))
	}
	if t := r.Header.Get("Content-Type"); t != s.contentType[0] {
		return nil, Errorf("SerializationException", "Content-Type must be %s, not %q", s.contentType[0], t)
	}
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	out, err := op(r.Context(), body)
	if err != nil {
		return nil, err
	}
	switch out := out.(type) {
	case nil:
		return []byte("{}"), nil
	case json.RawMessage:
		return out, nil
	default:
		return json.Marshal(out)
	}
}

// readBody reads the whole body. A body that is already in memory (package
// sigv4 leaves one behind) says so by a method Bytes and is not copied again.
func readBody(r *http.Request) ([]byte, error) {
	if whole, ok := r.Body.(interface{ Bytes() []byte }); ok {
		if body := whole.Bytes(); len(body) <= MaxBody {
			return body, nil
		}
		return nil, tooLarge()
	}
	if r.ContentLength > MaxBody {
		return nil, tooLarge()
	}
	if r.ContentLength >= 0 {
		body := make([]byte, r.ContentLength)
		if _, err := io.ReadFull(r.Body, body); err != nil {
			return nil, unreadable(err)
		}
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	if err != nil {
		return nil, unreadable(err)
	}
	if len(body) > MaxBody {
		return nil, tooLarge()
	}
	return body, nil
}

func tooLarge() error {
	return &Error{Status: http.StatusRequestEntityTooLarge, Code: "RequestEntityTooLargeException", Message: "the request body is larger than 16 MiB"}
}

func unreadable(err error) error {
	if coded := (*Error)(nil); errors.As(err, &coded) {
		return coded
	}
	return Errorf("SerializationException", "the request body could not be read: %v", err)
}

// write sets the checksum without which the Go SDK warns at every DynamoDB
// call. Header keys are written in canonical form to skip the conversion.
func (s *service) write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h["Content-Type"] = s.contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	h["X-Amzn-Requestid"] = []string{rand.Text()}
	h["X-Amz-Crc32"] = []string{strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10)}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away needs no answer
}

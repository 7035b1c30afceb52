package awsjson

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// source writes pieces until it is told that nobody reads, and says when it has
// returned.
type source struct {
	pieces, declared int
	abort            bool
	written          int
	returned         chan struct{}
}

const piece = "0123456789"

func (s *source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer close(s.returned)
	if s.declared > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(s.declared))
	}
	w.WriteHeader(http.StatusPartialContent)
	for range s.pieces {
		if _, err := io.WriteString(w, piece); err != nil {
			panic(http.ErrAbortHandler)
		}
		s.written++
	}
	if s.abort {
		panic(http.ErrAbortHandler)
	}
}

func (s *source) done() bool {
	select {
	case <-s.returned:
		return true
	default:
		return false
	}
}

func (s *source) get(ctx context.Context, t *testing.T) (*http.Response, error) {
	t.Helper()
	s.returned = make(chan struct{})
	r, err := http.NewRequestWithContext(ctx, "GET", "http://localhost/bucket/key", nil)
	if err != nil {
		t.Fatal(err)
	}
	return Transport(s).RoundTrip(r)
}

func TestAGetIsHandedOverAsItIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		source
		want   int
		err    error
		length int64
	}{
		"length declared":       {source{pieces: 3, declared: 30}, 30, nil, 30},
		"length unknown":        {source{pieces: 3}, 30, nil, -1},
		"no body":               {source{}, 0, nil, 0},
		"less than declared":    {source{pieces: 3, declared: 40}, 30, io.ErrUnexpectedEOF, 40},
		"aborted":               {source{pieces: 3, abort: true}, 30, io.ErrUnexpectedEOF, -1},
		"aborted with nothing":  {source{abort: true}, 0, errAborted, 0},
		"nothing, but declared": {source{declared: 10}, 0, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &c.source
			response, err := s.get(t.Context(), t)
			if response == nil {
				if !errors.Is(err, c.err) {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if s.written > 0 {
				t.Error("the handler ran ahead of its reader")
			}
			body, err := io.ReadAll(response.Body)
			if string(body) != strings.Repeat(piece, c.want/len(piece)) || !errors.Is(err, c.err) {
				t.Errorf("%q, %v", body, err)
			}
			if response.StatusCode != http.StatusPartialContent || response.ContentLength != c.length || !s.done() {
				t.Errorf("status %d, length %d, done %t", response.StatusCode, response.ContentLength, s.done())
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestTheHandlerEndsWithTheDeclaredLength(t *testing.T) {
	s := &source{pieces: 2, declared: 20}
	response, err := s.get(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(response.Body, make([]byte, 20)); err != nil || !s.done() || s.written != 2 {
		t.Errorf("%v, done %t, %d pieces", err, s.done(), s.written)
	}
}

func TestClosingTheBodyEndsTheHandler(t *testing.T) {
	s := &source{pieces: 1 << 30}
	response, err := s.get(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(response.Body, make([]byte, 25)); err != nil || s.done() {
		t.Fatalf("%v, done %t", err, s.done())
	}
	if err := response.Body.Close(); err != nil || !s.done() {
		t.Errorf("%v, done %t", err, s.done())
	}
	if n, err := response.Body.Read(make([]byte, 1)); n != 0 || !errors.Is(err, http.ErrBodyReadAfterClose) {
		t.Errorf("after Close: %d, %v", n, err)
	}
}

// A body that is neither read nor closed does not outlive its context.
func TestTheEndOfTheContextEndsTheHandler(t *testing.T) {
	s := &source{pieces: 1 << 30}
	ctx, cancel := context.WithCancel(t.Context())
	response, err := s.get(ctx, t)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-s.returned
	if _, err := io.ReadAll(response.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}

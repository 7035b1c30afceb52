package awsjson

import (
	"context"
	"io"
	"iter"
	"net/http"
	"strconv"
	"sync"
)

// stream answers a GET piece by piece. The handler is a coroutine of whoever
// reads the body: it runs on when they want more and unwinds when they close,
// so nothing is held and no goroutine is left behind.
func (t transport) stream(in, req *http.Request) (*http.Response, error) {
	w := &pieces{header: make(http.Header, 8), status: http.StatusOK}
	b := &streamed{left: -1}
	b.next, b.stop = iter.Pull(func(yield func([]byte) bool) {
		w.yield = yield
		b.failure = serve(t.handler, w, in)
	})
	b.advance()
	if err := in.Context().Err(); err != nil {
		b.end(err)
		return nil, err
	}
	if b.failure != nil {
		return nil, b.failure
	}
	response := answer(w.status, w.header, req)
	response.Body, response.ContentLength = b, 0
	if b.err == nil { // there is a body
		if n, err := strconv.ParseInt(w.header.Get("Content-Length"), 10, 64); err == nil {
			b.left = n
		}
		response.ContentLength = b.left
		b.watch(in.Context())
	}
	return response, nil
}

// pieces is the handler's side: each Write waits until it has been read.
type pieces struct {
	header http.Header
	status int
	sent   bool
	yield  func([]byte) bool
}

func (w *pieces) Header() http.Header { return w.header }

func (w *pieces) WriteHeader(status int) {
	if !w.sent && status >= 200 {
		w.status, w.sent = status, true
	}
}

func (w *pieces) Write(p []byte) (int, error) {
	w.sent = true
	if len(p) > 0 && !w.yield(p) {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

func (w *pieces) Flush() {}

// streamed is the reader's side.
type streamed struct {
	mu      sync.Mutex // the coroutine must not be resumed twice at once
	next    func() ([]byte, bool)
	stop    func()
	unwatch func() bool
	piece   []byte // the handler's own, until it is resumed
	left    int64  // of the declared length; negative if there is none
	failure error  // of the handler, once it has returned
	err     error  // what the next Read says, once there is no more
}

// watch ends the handler with its context.
func (b *streamed) watch(ctx context.Context) {
	b.mu.Lock() // ctx may end before AfterFunc returns
	defer b.mu.Unlock()
	b.unwatch = context.AfterFunc(ctx, func() { b.end(ctx.Err()) })
}

// advance resumes the handler up to its next piece or its end.
func (b *streamed) advance() {
	var ok bool
	if b.piece, ok = b.next(); ok {
		return
	}
	b.err = io.EOF
	if b.failure != nil || b.left > 0 {
		b.err = io.ErrUnexpectedEOF
	}
	if b.unwatch != nil {
		b.unwatch()
	}
}

func (b *streamed) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil && len(b.piece) == 0 {
		b.advance()
	}
	if b.err != nil {
		return 0, b.err
	}
	n := copy(p, b.piece)
	b.piece, b.left = b.piece[n:], b.left-int64(n)
	if b.left == 0 {
		b.advance() // the handler ends now, whether or not anybody reads on
	}
	return n, nil
}

// Close returns when the handler has.
func (b *streamed) Close() error {
	b.end(http.ErrBodyReadAfterClose)
	return nil
}

func (b *streamed) end(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop()
	if b.unwatch != nil {
		b.unwatch()
	}
	if b.piece = nil; b.err == nil {
		b.err = why
	}
}

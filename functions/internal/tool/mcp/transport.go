package mcp

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"

	"windlass/functions/internal/tool/outside"
)

// maxAnswer bounds what is read of one answer, in bytes, however it was compressed.
const maxAnswer = 8 << 20

// heard is what the network knows of a call that the SDK does not tell.
type heard struct {
	sent *outside.Sent
	// asked: the call went to the network. status is the answer's, 0 for none.
	asked  atomic.Bool
	status atomic.Int32
	// hidden are the secrets that were sent.
	hidden atomic.Pointer[outside.Hidden]
}

type heardKey struct{}

// listen makes a call's context.
func listen(ctx context.Context) (context.Context, *heard) {
	h := &heard{}
	ctx, h.sent = outside.Watch(ctx)
	return context.WithValue(ctx, heardKey{}, h), h
}

// hide takes the server's secrets out of what it says.
func (h *heard) hide(s string) string {
	if hidden := h.hidden.Load(); hidden != nil {
		return string(hidden.Hide([]byte(s), false))
	}
	return s
}

// begun: the server may have received the call.
func (h *heard) begun() bool { return h.asked.Load() && h.sent.Begun() }

// transport stands between the SDK and the network: it adds the configured headers,
// bounds what is read, and tells how far a call got.
type transport struct {
	base    http.RoundTripper
	headers outside.Headers
	secrets outside.Secrets
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	h, _ := req.Context().Value(heardKey{}).(*heard)
	req = req.Clone(req.Context())
	hidden, err := t.headers.Resolve(req.Context(), t.secrets, true, req.Header)
	if err != nil {
		return nil, err
	}
	if h != nil && req.Method == http.MethodPost {
		h.hidden.Store(&hidden)
		h.asked.Store(true)
	}
	req.Host = outside.HostHeader(req.URL)
	res, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if h != nil && req.Method == http.MethodPost {
		h.status.Store(int32(res.StatusCode))
	}
	res.Body = &bounded{ReadCloser: res.Body, left: maxAnswer}
	return res, nil
}

// bounded ends a body that is too long with an error, where io.LimitReader would
// make a short one of it.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

var errTooLarge = outside.Failf(outside.TooLarge, "the server's answer is larger than %d bytes; ask for less", maxAnswer)

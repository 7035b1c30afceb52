package wire

import (
	"context"
	"io"
	"net/http"
	"time"

	"windlass/functions/internal/model"
)

const (
	// maxComplaint bounds what is read of an answer that is an error.
	maxComplaint = 64 << 10
	// maxWire bounds what is read of an answer, in bytes: each piece of text comes in
	// an event of a few hundred, and the whole again at the end.
	maxWire = 128 << 20
	// idle is how long an answer may say nothing. Providers send something every few
	// seconds while a model thinks: events, pings or comments.
	idle = 2 * time.Minute
)

// NewClient is for one provider, whose SDK must not retry. An answer that is an
// error is a [model.Fault]; secret is kept out of it. A redirect would turn the
// question into another request, so it is an answer like any other. base, if given,
// takes the place of the network.
func NewClient(secret string, base http.RoundTripper) *http.Client {
	if base == nil {
		base = Network()
	}
	return &http.Client{
		Transport:     &transport{base: base, secret: secret, idle: idle, now: time.Now},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Network notices a connection that died while the function was frozen: without
// pings a request over it would wait for the model's whole time.
func Network() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	return t
}

// transport stands between an SDK and the network, because SDKs read an error's body
// to its end, however long, and keep the request in the error.
type transport struct {
	base   http.RoundTripper
	secret string
	idle   time.Duration
	now    func() time.Time
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	res, err := t.base.RoundTrip(req.WithContext(ctx))
	if err != nil {
		cancel()
		return nil, err
	}
	if res.StatusCode >= 200 && res.StatusCode < 300 {
		res.Body = watch(res.Body, t.idle, cancel)
		return res, nil
	}
	defer cancel()
	defer res.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxComplaint)) // what there is of it
	return nil, t.fault(res, ReadComplaint(body))
}

func (t *transport) fault(res *http.Response, c Complaint) *model.Fault {
	if c.Type == "" {
		c.Type = awsType(res.Header.Get("X-Amzn-Errortype"))
	}
	f := c.Fault(res.StatusCode, c.Said(res.StatusCode, t.secret))
	if !f.Permanent {
		f.RetryAfter = retryAfter(res.Header, t.now())
	}
	return f
}

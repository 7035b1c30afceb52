package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/outside"
)

const maxRedirects = 5

// request is a call on its way.
type request struct {
	args
	effect tool.Effect
	key    string
	at     *url.URL
	// from is the origin that the model named. Secrets are for it alone.
	from string
	// hidden are the secrets that were sent so far.
	hidden outside.Hidden
	// back makes the URL to report to; later is how long a report may take, if the rule
	// has the server told of one.
	back  func(context.Context) (string, error)
	later time.Duration
}

func (t *Tools) run(effect tool.Effect) func(context.Context, tool.Env, args) (tool.Result, error) {
	return func(ctx context.Context, env tool.Env, a args) (tool.Result, error) {
		u, err := outside.ParseURL(a.URL)
		if err != nil {
			return tool.Result{}, err
		}
		if len(a.Body) > maxRequestBytes {
			return tool.Result{}, outside.Failf(outside.TooLarge, "the body has %d bytes, at most %d can be sent", len(a.Body), maxRequestBytes)
		}
		a.Method = strings.ToUpper(a.Method)
		return t.follow(ctx, &request{args: a, effect: effect, key: env.Key, at: u, from: origin(u), back: env.Callback})
	}
}

// follow sends a request, and follows where its answer leads if it only reads.
func (t *Tools) follow(ctx context.Context, q *request) (tool.Result, error) {
	for hop := 0; hop <= maxRedirects; hop++ {
		res, err := t.send(ctx, q)
		if err != nil {
			return tool.Result{}, atHop(hop, err)
		}
		next := q.redirected(res)
		if next == "" {
			defer res.Body.Close()
			if q.later > 0 && res.StatusCode == http.StatusAccepted {
				return tool.Result{Later: &tool.Later{For: q.later}}, nil
			}
			return tool.Result{Output: t.answer(q, res), Passing: passing[res.StatusCode]}, nil
		}
		res.Body.Close()
		if q.at, err = outside.ParseURL(next); err != nil {
			return tool.Result{}, atHop(hop+1, err)
		}
	}
	return tool.Result{}, outside.Failf("too_many_redirects", "the server redirected more than %d times", maxRedirects)
}

// atHop says of a failure that it is not the model's own URL that failed.
func atHop(hop int, err error) error {
	var f tool.Failure
	if hop > 0 && errors.As(err, &f) {
		f.Message = "after a redirect: " + f.Message
		return f
	}
	return err
}

// send sends a request once, if a rule lets it.
func (t *Tools) send(ctx context.Context, q *request) (*http.Response, error) {
	r, err := t.rules.find(q.at, q.Method, q.effect)
	if err != nil {
		return nil, err
	}
	h, err := headers(q.Headers, r)
	if err != nil {
		return nil, err
	}
	hidden, err := r.Headers.Resolve(ctx, t.Secrets, origin(q.at) == q.from, h)
	if err != nil {
		return nil, err
	}
	q.hidden = append(q.hidden, hidden...)
	if err := q.callBack(ctx, r, h); err != nil {
		return nil, err
	}
	ctx, sent := outside.Watch(ctx)
	req, err := q.request(ctx, h)
	if err != nil {
		return nil, err
	}
	res, err := t.network(r).RoundTrip(req)
	if err != nil {
		return nil, outside.Lost(q.effect, sent, err)
	}
	return res, nil
}

// passing are the statuses of what may pass by itself.
var passing = map[int]bool{http.StatusTooManyRequests: true, http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true}

// callBack tells the server where to report. Whoever has the URL may: the model does not
// see it.
func (q *request) callBack(ctx context.Context, r *rule, h http.Header) error {
	if r.Callback == nil || q.effect == tool.Read {
		return nil
	}
	u, err := q.back(ctx)
	if err != nil {
		slog.ErrorContext(ctx, "a callback URL could not be made", "error", err)
		return outside.Failf("no_callback", "where to report could not be told, so nothing was sent; try again later")
	}
	h.Set(r.Callback.Header, u)
	q.hidden = append(q.hidden, u)
	q.later = time.Duration(r.Callback.For)
	return nil
}

// network is how a rule's host is reached.
func (t *Tools) network(r *rule) http.RoundTripper {
	if r.Private {
		return t.private
	}
	return t.public
}

func (q *request) request(ctx context.Context, h http.Header) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, q.Method, q.at.String(), strings.NewReader(q.Body))
	if err != nil {
		return nil, outside.Failf(outside.InvalidURL, "the request cannot be written")
	}
	if q.Body == "" {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
	} else if h.Get("Content-Type") == "" {
		h.Set("Content-Type", bodyType(q.Body))
	}
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", "windlass")
	}
	if q.effect == tool.Idempotent {
		h.Set("Idempotency-Key", idempotencyKey(q.key))
	}
	req.Header, req.Host = h, outside.HostHeader(q.at)
	return req, nil
}

// idempotencyKey names the call for the server, and tells it nothing: the key itself
// holds the names of a tenant and a session.
func idempotencyKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// redirected is where the answer leads, or "" if it is to be shown: what changes
// something is sent to nobody else than the model said.
func (q *request) redirected(res *http.Response) string {
	if q.effect != tool.Read || q.Method != http.MethodGet && q.Method != http.MethodHead {
		return ""
	}
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return ""
	}
	location, err := q.at.Parse(res.Header.Get("Location"))
	if err != nil || res.Header.Get("Location") == "" {
		return ""
	}
	return location.String()
}

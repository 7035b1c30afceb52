package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"windlass/functions/internal/model"
)

// DefaultBaseURL is asked if no other is given.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options say whom to ask.
type Options struct {
	// APIKey may be empty if BaseURL is given: many local servers want none.
	APIKey string
	// BaseURL is what "/responses" is put behind; by default [DefaultBaseURL].
	BaseURL string
	// HTTPClient, if given, must not retry.
	HTTPClient *http.Client
}

// Provider implements [model.Provider].
type Provider struct {
	service responses.ResponseService
	key     string
}

// New checks the options; it sends nothing. What it says never holds the key or
// the URL.
func New(o Options) (*Provider, error) {
	o.APIKey = strings.TrimSpace(o.APIKey)
	switch {
	case o.APIKey == "" && o.BaseURL == "":
		return nil, errors.New("openai: want an API key, or the base URL of a server that needs none")
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("openai: the API key holds a character that no key has")
	case o.BaseURL == "":
		o.BaseURL = DefaultBaseURL
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("openai: the base URL is no http or https URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("openai: the base URL may have no credentials, query or fragment")
	}
	if o.HTTPClient == nil {
		o.HTTPClient = newClient()
	}
	return &Provider{key: o.APIKey, service: responses.NewResponseService(
		option.WithBaseURL(strings.TrimRight(u.String(), "/")+"/"), option.WithAPIKey(o.APIKey), option.WithHTTPClient(o.HTTPClient),
		option.WithMaxRetries(0), option.WithMiddleware(guard(o.APIKey, time.Now)),
	)}, nil
}

// newClient notices a connection that died while the function was frozen: without
// pings a request over it would wait for the model's whole time. A redirect would
// turn the question into another request, so it is an answer like any other.
func newClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second}
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		body, err := encode(ctx, r)
		if err != nil {
			yield(model.Part{}, failure(ctx, err))
			return
		}
		res, err := p.send(ctx, body)
		if err != nil {
			yield(model.Part{}, failure(ctx, err))
			return
		}
		defer res.Body.Close()
		if err := (&reader{key: p.key, yield: yield}).read(res); err != nil && !errors.Is(err, errEnough) {
			yield(model.Part{}, failure(ctx, err))
		}
	}
}

// send posts the body as it is: the SDK's own request types would put the input
// before what never changes, and a schema's properties in another order.
func (p *Provider) send(ctx context.Context, body []byte) (*http.Response, error) {
	var res *http.Response
	_, err := p.service.New(ctx, responses.ResponseNewParams{},
		option.WithRequestBody("application/json", body), option.WithHeader("Accept", "text/event-stream"), option.WithResponseBodyInto(&res))
	if err != nil && res != nil && res.Body != nil {
		_ = res.Body.Close()
	}
	return res, err
}

package chat

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// Options say whom to ask.
type Options struct {
	// BaseURL is what "/chat/completions" is put behind.
	BaseURL string
	// APIKey may be empty: many local servers want none.
	APIKey string
	// Transport, if given, takes the place of the network. It must not retry.
	Transport http.RoundTripper
}

// Provider implements [model.Provider].
type Provider struct {
	service responses.ResponseService
	key     string
	server  server
}

// New checks the options; it sends nothing. What it says never holds the key or
// the URL.
func New(o Options) (*Provider, error) {
	o.APIKey = strings.TrimSpace(o.APIKey)
	switch {
	case o.BaseURL == "":
		return nil, errors.New("chat: want the base URL of a server that speaks Chat Completions, such as http://127.0.0.1:11434/v1")
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("chat: the API key holds a character that no key has")
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("chat: the base URL is no http or https URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("chat: the base URL may have no credentials, query or fragment")
	}
	return &Provider{key: o.APIKey, server: serverAt(u.Hostname()), service: responses.NewResponseService(
		option.WithBaseURL(strings.TrimRight(u.String(), "/")+"/"), option.WithAPIKey(o.APIKey),
		option.WithHTTPClient(wire.NewClient(o.APIKey, o.Transport)), option.WithMaxRetries(0),
	)}, nil
}

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		body, err := encode(r, p.server)
		if err != nil {
			yield(model.Part{}, err)
			return
		}
		res, err := p.send(ctx, body)
		if err != nil {
			yield(model.Part{}, wire.Failure(ctx, err))
			return
		}
		defer res.Body.Close()
		if err := (&reader{key: p.key, yield: yield}).read(res); err != nil && !errors.Is(err, errEnough) {
			yield(model.Part{}, wire.Failure(ctx, err))
		}
	}
}

// send posts the body as it is: the SDK's own request types would put the messages
// before what never changes, and a schema's properties in another order. What is left
// of the SDK is how it sends; that is the same in all its services, and the one for
// Chat Completions brings all the others along, 12 MB of them.
func (p *Provider) send(ctx context.Context, body []byte) (*http.Response, error) {
	var res *http.Response
	_, err := p.service.New(ctx, responses.ResponseNewParams{}, option.WithMiddleware(toChat),
		option.WithRequestBody("application/json", body), option.WithHeader("Accept", "text/event-stream"), option.WithResponseBodyInto(&res))
	if err != nil && res != nil && res.Body != nil {
		_ = res.Body.Close()
	}
	return res, err
}

// toChat sends what was meant for Responses, beside it, to Chat Completions.
func toChat(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	beside, err := r.URL.Parse("chat/completions")
	if err != nil {
		return nil, err
	}
	r.URL = beside
	return next(r)
}

package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

// DefaultBaseURL is asked if no other is given.
const DefaultBaseURL = "https://api.openai.com/v1"

// Options say whom to ask.
type Options struct {
	// APIKey may be empty if BaseURL is given: many local servers want none.
	APIKey string
	// BaseURL is what "/responses" is put behind; by default [DefaultBaseURL].
	BaseURL string
	// Transport, if given, takes the place of the network. It must not retry.
	Transport http.RoundTripper
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
	return &Provider{key: o.APIKey, service: responses.NewResponseService(
		option.WithBaseURL(strings.TrimRight(u.String(), "/")+"/"), option.WithAPIKey(o.APIKey),
		option.WithHTTPClient(wire.NewClient(o.APIKey, o.Transport)), option.WithMaxRetries(0),
	)}, nil
}

// callID is what servers take as a call's id: OpenAI allows 64 bytes. Some models
// were trained on ids with dots and colons.
var callID = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)

// Rules implements [model.Provider].
func (p *Provider) Rules() projection.Rules {
	return projection.Rules{CallID: callID, File: func(kind string) bool { return images[kind] || kind == pdf }}
}

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if err := p.stream(ctx, r, yield); err != nil && !errors.Is(err, errEnough) {
			yield(model.Part{}, wire.Failure(ctx, err))
		}
	}
}

func (p *Provider) stream(ctx context.Context, r model.Request, yield func(model.Part, error) bool) error {
	body, err := encode(r)
	if err != nil {
		return err
	}
	res, err := p.send(ctx, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return (&reader{key: p.key, yield: yield}).read(res)
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

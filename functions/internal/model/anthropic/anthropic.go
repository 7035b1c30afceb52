package anthropic

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

// DefaultBaseURL is asked if no other is given.
const DefaultBaseURL = "https://api.anthropic.com"

// longest is more than any call may take: the caller's context bounds it. Without a
// time of its own the SDK would end every answer after ten minutes.
const longest = 24 * time.Hour

// Options say whom to ask.
type Options struct {
	// APIKey may be empty if BaseURL is given: some local servers want none.
	APIKey string
	// BaseURL is what "/v1/messages" is put behind, by default [DefaultBaseURL]. It may
	// end in "/v1" itself.
	BaseURL string
	// Transport, if given, takes the place of the network.
	Transport http.RoundTripper
}

// Provider implements [model.Provider].
type Provider struct {
	service sdk.MessageService
	key     string
}

// New checks the options; it sends nothing. What it says never holds the key or
// the URL.
func New(o Options) (*Provider, error) {
	o.APIKey = strings.TrimSpace(o.APIKey)
	switch {
	case o.APIKey == "" && o.BaseURL == "":
		return nil, errors.New("anthropic: want an API key, or the base URL of a server that needs none")
	case strings.ContainsFunc(o.APIKey, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, errors.New("anthropic: the API key holds a character that no key has")
	case o.BaseURL == "":
		o.BaseURL = DefaultBaseURL
	}
	u, err := url.Parse(o.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("anthropic: the base URL is no http or https URL")
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("anthropic: the base URL may have no credentials, query or fragment")
	}
	base := strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1") + "/"
	options := []option.RequestOption{option.WithBaseURL(base), option.WithHTTPClient(wire.NewClient(o.APIKey, o.Transport)),
		option.WithMaxRetries(0), option.WithRequestTimeout(longest), option.WithoutOpenTelemetry()}
	if o.APIKey != "" {
		options = append(options, option.WithAPIKey(o.APIKey))
	}
	return &Provider{key: o.APIKey, service: sdk.NewMessageService(options...)}, nil
}

// Rules implements [model.Provider].
func (*Provider) Rules() projection.Rules { return projection.Rules{File: takes} }

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		body, err := encode(r)
		if err != nil {
			yield(model.Part{}, wire.Failure(ctx, err))
			return
		}
		res, err := p.send(ctx, body)
		if err != nil {
			yield(model.Part{}, wire.Failure(ctx, err))
			return
		}
		defer res.Body.Close()
		read := reader{key: p.key, answer: answer{yield: yield}}
		if err := read.read(res); err != nil && !errors.Is(err, errEnough) {
			yield(model.Part{}, wire.Failure(ctx, err))
		}
	}
}

// errEnough: the caller reads no further.
var errEnough = errors.New("anthropic: the caller has enough")

// send posts the body as it is: the SDK's own request types would put the messages
// before what never changes, and opaque blocks into another form.
func (p *Provider) send(ctx context.Context, body []byte) (*http.Response, error) {
	var res *http.Response
	_, err := p.service.New(ctx, sdk.MessageNewParams{}, option.WithRequestBody("application/json", body), option.WithResponseBodyInto(&res))
	if err != nil && res != nil && res.Body != nil {
		_ = res.Body.Close()
	}
	return res, err
}

package bedrock

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

// Options say what is not as on AWS.
type Options struct {
	// BaseEndpoint, if given, takes the place of AWS's own and of the configuration's.
	BaseEndpoint string
	// Transport, if given, takes the place of the network. It must not retry.
	Transport http.RoundTripper
}

// Provider implements [model.Provider].
type Provider struct {
	client  *bedrockruntime.Client
	network http.RoundTripper
}

// New takes the region and the credentials from cfg, or the bearer token that the SDK
// finds in AWS_BEARER_TOKEN_BEDROCK; it sends nothing. Its retries, its log and its
// HTTP client are not used. Credentials that are missing are told by the first
// question, as [model.Denied].
func New(cfg aws.Config, o Options) (*Provider, error) {
	if cfg.Region == "" {
		return nil, errors.New("bedrock: want an AWS region; set AWS_REGION, or a region in the profile")
	}
	if u, err := url.Parse(o.BaseEndpoint); o.BaseEndpoint != "" && (err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https") {
		return nil, errors.New("bedrock: the base endpoint is no http or https URL without credentials")
	}
	p := &Provider{network: o.Transport}
	if p.network == nil {
		p.network = wire.Network()
	}
	p.client = bedrockruntime.NewFromConfig(cfg, func(so *bedrockruntime.Options) {
		so.Retryer, so.RetryMaxAttempts = aws.NopRetryer{}, 0
		so.ClientLogMode = 0 // it can log bodies and signatures
		so.HTTPClient = wire.NewClient("", p.network)
		if o.BaseEndpoint != "" {
			so.BaseEndpoint = &o.BaseEndpoint
		}
	})
	return p, nil
}

// Rules implements [model.Provider].
func (p *Provider) Rules() projection.Rules { return projection.Rules{File: takes} }

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Part, error] {
	return func(yield func(model.Part, error) bool) {
		if err := p.ask(ctx, r, yield); err != nil && !errors.Is(err, errEnough) {
			yield(model.Part{}, wire.Failure(ctx, err))
		}
	}
}

// errEnough: nobody wants the rest.
var errEnough = errors.New("enough")

func (p *Provider) ask(ctx context.Context, r model.Request, yield func(model.Part, error) bool) error {
	request, err := encode(r)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	secret, err := p.secret(ctx)
	if err != nil {
		return err
	}
	stream, err := p.send(ctx, r.Model, request, secret)
	if err != nil {
		return err
	}
	defer func() {
		cancel()
		_ = stream.Close()
		for range stream.Events() { // until the SDK's goroutines are at their end
		}
	}()
	return (&reader{secret: secret, yield: yield}).read(ctx, stream)
}

func (p *Provider) send(ctx context.Context, name string, request []byte, secret string) (*bedrockruntime.ConverseStreamEventStream, error) {
	out, err := p.client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: &name}, func(o *bedrockruntime.Options) {
		o.Protocol = newProtocol(request)
		o.HTTPClient = wire.NewClient(secret, body{p.network, request})
	})
	if err != nil {
		return nil, err
	}
	return out.GetStream(), nil
}

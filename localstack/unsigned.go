package main

import (
	"context"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"windlass/localstack/awsjson"
)

// unsigned reaches what answers within this process, and spares the functions of this
// process what proves to it who they are: to sign and to verify was a fifth of each
// request. What goes over the network is signed all the same, so are presigned URLs; and
// everything is, where functions are processes of their own, or who calls is written down
// or counted.
func unsigned(c credentials, within map[string]http.Handler, endpoint string) aws.Config {
	cfg := awsConfig(nil, c, endpoint)
	hosts := map[string]http.RoundTripper{}
	for host, h := range within {
		hosts[host] = awsjson.Transport(h)
	}
	cfg.HTTPClient = reach{hosts, elsewhere()}
	cfg.APIOptions = []func(*middleware.Stack) error{func(s *middleware.Stack) error {
		if _, ok := s.Finalize.Get("Signing"); !ok {
			return nil // a URL is presigned, and nothing sent
		}
		for _, id := range []string{"Signing", "ComputePayloadHash"} {
			proof, ok := s.Finalize.Get(id)
			if !ok {
				continue
			}
			if _, err := s.Finalize.Swap(id, unlessFor{proof, hosts}); err != nil {
				return err
			}
		}
		return nil
	}}
	return cfg
}

type meantKey struct{}

// meant is the id of the service that an unsigned request is for.
func meant(r *http.Request) string {
	service, _ := r.Context().Value(meantKey{}).(string)
	return service
}

// unlessFor leaves its middleware out for requests to some hosts.
type unlessFor struct {
	middleware.FinalizeMiddleware
	hosts map[string]http.RoundTripper
}

func (u unlessFor) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	if r, ok := in.Request.(*smithyhttp.Request); ok && u.hosts[r.URL.Host] != nil {
		return next.HandleFinalize(context.WithValue(ctx, meantKey{}, awsmiddleware.GetServiceID(ctx)), in)
	}
	return u.FinalizeMiddleware.HandleFinalize(ctx, in, next)
}

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// unsigned spares the functions of this process what proves to the subset, which is this
// process too, who they are: to sign and to verify was a fifth of each request. What goes
// over a socket is signed all the same, so are presigned URLs; and everything is, where
// functions are processes of their own, or who calls is written down or counted.
func unsigned(cfg aws.Config) aws.Config {
	host := strings.TrimPrefix(aws.ToString(cfg.BaseEndpoint), "http://")
	cfg.APIOptions = append(slices.Clip(cfg.APIOptions), func(s *middleware.Stack) error {
		signing, ok := s.Finalize.Get("Signing")
		if !ok {
			return nil // a URL is presigned, and nothing sent
		}
		if _, err := s.Finalize.Swap(signing.ID(), unlessFor{signing, host}); err != nil {
			return err
		}
		hashing, ok := s.Finalize.Get("ComputePayloadHash")
		if !ok {
			return nil
		}
		_, err := s.Finalize.Swap(hashing.ID(), unlessFor{hashing, host})
		return err
	})
	return cfg
}

// unlessFor leaves its middleware out for requests to a host.
type unlessFor struct {
	middleware.FinalizeMiddleware
	host string
}

func (u unlessFor) HandleFinalize(ctx context.Context, in middleware.FinalizeInput, next middleware.FinalizeHandler) (middleware.FinalizeOutput, middleware.Metadata, error) {
	if r, ok := in.Request.(*smithyhttp.Request); ok && r.URL.Host == u.host {
		return next.HandleFinalize(ctx, in)
	}
	return u.FinalizeMiddleware.HandleFinalize(ctx, in, next)
}

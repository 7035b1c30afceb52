package embedded

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
)

// AWS reaches the stack's AWS subset, with its own credentials.
func (s *Stack) AWS(ctx context.Context) aws.Config {
	s.t.Helper()
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(s.Endpoints.Region),
		config.WithBaseEndpoint(s.Endpoints.AWS),
		config.WithSharedCredentialsFiles([]string{s.Endpoints.CredentialsFile}),
		config.WithSharedConfigFiles(nil),
	)
	if err != nil {
		s.t.Fatal(err)
	}
	return cfg
}

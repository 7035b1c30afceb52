package bedrock

import (
	"context"
	"slices"

	"windlass/functions/internal/model"
)

// noCredentials is permanent: waiting finds no credentials, somebody has to give them.
var noCredentials = &model.Fault{Code: model.Denied, Permanent: true,
	Message: "no AWS credentials for Bedrock were found, or they are no longer valid; set a profile or keys, or sign in again"}

// secret is what the request will be signed with, so that no error shows it. Both
// providers keep what they found, so the SDK asks for nothing again.
func (p *Provider) secret(ctx context.Context) (string, error) {
	o := p.client.Options()
	if o.BearerAuthTokenProvider != nil && (o.Credentials == nil || slices.Contains(o.AuthSchemePreference, "httpBearerAuth")) {
		token, err := o.BearerAuthTokenProvider.RetrieveBearerToken(ctx)
		if err != nil || token.Value == "" {
			return "", noCredentials
		}
		return token.Value, nil
	}
	if o.Credentials == nil {
		return "", noCredentials
	}
	keys, err := o.Credentials.Retrieve(ctx)
	if err != nil || !keys.HasKeys() {
		return "", noCredentials
	}
	return keys.SecretAccessKey, nil
}

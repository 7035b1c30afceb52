package bedrock_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/bedrock"
	"windlass/functions/internal/model/modeltest"
	"windlass/tests/providers"
)

// signed is how a test's requests are.
func signed(secret string) aws.Config {
	return aws.Config{Region: "eu-central-1", Credentials: aws.CredentialsProviderFunc(func(ctx context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: secret, SessionToken: "token"}, ctx.Err()
	})}
}

func provider(t testing.TB, baseURL string) *bedrock.Provider {
	t.Helper()
	p, err := bedrock.New(signed(modeltest.Key), bedrock.Options{BaseEndpoint: baseURL})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unmarked is a body without the marks for the cache, which move.
func unmarked(body []byte) []byte {
	return bytes.ReplaceAll(body, []byte(`,{"cachePoint":{"type":"default"}}`), nil)
}

func TestTheProviderKeepsTheSuite(t *testing.T) {
	head, messages := modeltest.Split(`"messages":[`)
	for name, id := range map[string]string{
		"Claude that is told an effort":  "us.anthropic.claude-opus-4-8",
		"Claude that thinks by itself":   "arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-5",
		"Claude with a budget":           "anthropic.claude-sonnet-4-20250514-v1:0",
		"Nova":                           "eu.amazon.nova-2-lite-v1:0",
		"a model whose id tells nothing": "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a1b2c3",
	} {
		claude := bytes.Contains([]byte(id), []byte("claude"))
		t.Run(name, func(t *testing.T) {
			modeltest.Run(t, modeltest.Suite{
				Protocol:   providers.Converse,
				New:        func(t testing.TB, baseURL string) model.Provider { return provider(t, baseURL) },
				Model:      id,
				Head:       func(b []byte) []byte { return head(unmarked(b)) },
				Messages:   func(b []byte) []byte { return messages(unmarked(b)) },
				Overloaded: "serviceUnavailableException",
				Overflow:   providers.Answer{Status: 400, Code: "ValidationException", Message: "Input is too long for requested model."},
				Lacks:      modeltest.Lacks{ReasoningTokens: true, Effort: !claude},
			})
		})
	}
}

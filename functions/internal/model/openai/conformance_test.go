package openai_test

import (
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/modeltest"
	"windlass/functions/internal/model/openai"
	"windlass/tests/providers"
)

func TestKeepsWhatEveryProviderMust(t *testing.T) {
	head, messages := modeltest.Split(`"input":[`)
	modeltest.Run(t, modeltest.Suite{
		Protocol: providers.Responses, Model: "gpt-test", Head: head, Messages: messages,
		New: func(t testing.TB, baseURL string) model.Provider {
			p, err := openai.New(openai.Options{APIKey: modeltest.Key, BaseURL: baseURL + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Overloaded: "server_is_overloaded",
		Overflow:   providers.Answer{Status: 400, Code: "context_length_exceeded", Message: "Your input is longer than what this model reads."},
	})
}

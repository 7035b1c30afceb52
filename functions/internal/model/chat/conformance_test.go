package chat_test

import (
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/chat"
	"windlass/functions/internal/model/modeltest"
	"windlass/tests/providers"
)

func TestKeepsWhatEveryProviderMust(t *testing.T) {
	modeltest.Run(t, modeltest.Suite{
		Protocol: providers.Chat, Model: "m",
		New: func(t testing.TB, baseURL string) model.Provider {
			p, err := chat.New(chat.Options{APIKey: modeltest.Key, BaseURL: baseURL + "/v1"})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Overflow: providers.Answer{Status: 400, Code: "context_length_exceeded", Message: "This model's maximum context length is 8192 tokens."},
	})
}

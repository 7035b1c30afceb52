package anthropic_test

import (
	"bytes"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
	"windlass/functions/internal/model/modeltest"
	"windlass/tests/providers"
)

// mark is a breakpoint, which moves on with the conversation: a server does not
// compare it.
const mark = `,"cache_control":{"type":"ephemeral"}`

func TestKeepsWhatEveryProviderMust(t *testing.T) {
	head, messages := modeltest.Split(`"messages":[`)
	modeltest.Run(t, modeltest.Suite{
		Protocol: providers.Messages, Model: "claude-sonnet-5-5", Head: head,
		Messages: func(body []byte) []byte { return bytes.ReplaceAll(messages(body), []byte(mark), nil) },
		New: func(t testing.TB, baseURL string) model.Provider {
			p, err := anthropic.New(anthropic.Options{APIKey: modeltest.Key, BaseURL: baseURL})
			if err != nil {
				t.Fatal(err)
			}
			return p
		},
		Overflow: providers.Answer{Status: 400, Message: "prompt is too long: 213462 tokens > 200000 maximum"},
	})
}

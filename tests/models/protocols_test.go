// Package models runs whole turns of the embedded stack against local servers that
// speak the providers' protocols.
package models

import (
	"strings"
	"testing"

	"windlass/tests/embedded"
	"windlass/tests/providers"
)

// secret is every provider's key here.
const secret = "secret-of-the-provider"

// protocol is one provider, and how a stack is told of its server.
type protocol struct {
	providers.Protocol
	env func(url string) []string
}

var protocols = []protocol{
	{providers.Responses, func(url string) []string {
		return []string{"OPENAI_BASE_URL=" + url + "/v1", "OPENAI_API_KEY=" + secret}
	}},
	{providers.Chat, func(url string) []string {
		return []string{"OPENAI_COMPATIBLE_BASE_URL=" + url + "/v1", "OPENAI_COMPATIBLE_API_KEY=" + secret}
	}},
	{providers.Messages, func(url string) []string {
		return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=" + secret}
	}},
	{providers.Converse, func(url string) []string {
		return []string{"BEDROCK_BASE_URL=" + url, "BEDROCK_REGION=eu-central-1", "AWS_ACCESS_KEY_ID=AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY=" + secret}
	}},
}

// model is a name under which the protocol's provider is asked, one that thinks.
func (p protocol) model() string {
	switch p.Name() {
	case "bedrock":
		return "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0"
	case "anthropic":
		return "anthropic/claude-sonnet-4-5"
	}
	return p.Name() + "/local-model"
}

func call(id, name, args string) providers.Part {
	return providers.Part{Call: &providers.Call{ID: id, Name: name, Arguments: args}}
}

func text(s string) providers.Answer { return providers.Answer{Parts: []providers.Part{{Text: s}}} }

// thought is reasoning with the provider's opaque proof of it.
func thought(sealed string) providers.Part {
	return providers.Part{Reasoning: "let me see", Signature: sealed}
}

// quiet: nothing that the stack wrote holds a key, or what was asked and said.
func quiet(t *testing.T, s *embedded.Stack, words ...string) {
	t.Helper()
	for _, w := range append(words, secret) {
		if strings.Contains(s.Log(), w) {
			t.Errorf("%q stands in the stack's log:\n%.2000s", w, s.Log())
		}
	}
}

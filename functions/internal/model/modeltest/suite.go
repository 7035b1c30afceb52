package modeltest

import (
	"bytes"
	"testing"

	"windlass/functions/internal/model"
	"windlass/tests/providers"
)

// Key is the secret that [Suite.New] gives its provider. No fault may hold it.
const Key = "sk-test-0123456789abcdef"

// Suite is one provider and its protocol.
type Suite struct {
	Protocol providers.Protocol
	// New makes a provider that asks the server at baseURL, which has no path and no slash
	// at its end. Its secret is [Key].
	New func(t testing.TB, baseURL string) model.Provider
	// Model is a name that the provider takes.
	Model string

	// Messages cuts the messages out of a request's body, without what closes their list:
	// those of a later request must begin with them. Head is all else of it, which must
	// stay the same. Marks for the provider's cache, which move, may be left out of both.
	// Nil for a body that ends in `"messages":[…]}`; see [Split].
	Head, Messages func(body []byte) []byte

	// Overloaded is the code of an overload inside an answer; "overloaded_error" if empty.
	Overloaded string
	// Overflow is the provider's own way to say that the request is longer than the model
	// reads; HTTP 413 if its status is 0.
	Overflow providers.Answer

	Lacks Lacks
}

// Lacks says what a protocol cannot say.
type Lacks struct {
	// Reasoning: it streams no reasoning at all.
	Reasoning bool
	// Signature: reasoning has no opaque proof; Redacted: none stands alone.
	Signature, Redacted bool
	// Refusal: it does not say that the model refused.
	Refusal bool
	// Effort: a request cannot say how much the model may think.
	Effort bool
	// Cached, CacheWrite and ReasoningTokens are not counted.
	Cached, CacheWrite, ReasoningTokens bool
}

// Split cuts bodies that end in marker, such as `"messages":[`, and the list.
func Split(marker string) (head, messages func(body []byte) []byte) {
	cut := func(body []byte) (before, behind []byte) {
		before, behind, _ = bytes.Cut(body, []byte(marker))
		return before, bytes.TrimSuffix(behind, []byte("]}"))
	}
	head = func(body []byte) []byte { before, _ := cut(body); return before }
	messages = func(body []byte) []byte { _, behind := cut(body); return behind }
	return head, messages
}

// Run runs all of it.
func Run(t *testing.T, s Suite) {
	if s.Messages == nil || s.Head == nil {
		s.Head, s.Messages = Split(`"messages":[`)
	}
	if s.Overloaded == "" {
		s.Overloaded = "overloaded_error"
	}
	if s.Overflow.Status == 0 {
		s.Overflow.Status = 413
	}
	for _, c := range []struct {
		name string
		run  func(Suite, *testing.T)
	}{
		{"text is handed on while it is written", Suite.streams},
		{"reasoning is kept apart", Suite.reasoning},
		{"what is opaque goes back to its model alone", Suite.opaque},
		{"calls come whole", Suite.calls},
		{"call ids may come again", Suite.repeatedIDs},
		{"arguments are what the model wrote", Suite.arguments},
		{"tokens are counted", Suite.usage},
		{"an answer says why it ended", Suite.stops},
		{"a call that is cut off is not made", Suite.cutCall},
		{"a status is a code", Suite.statuses},
		{"a delay that is asked for is kept", Suite.delays},
		{"a transcript that is too long is told", Suite.overflow},
		{"an error inside an answer is that error", Suite.broken},
		{"an answer that breaks off is no answer", Suite.dropped},
		{"ending the context ends the request", Suite.cancelled},
		{"no fault holds a secret", Suite.secrets},
		{"settings reach the provider", Suite.settings},
		{"three rounds keep the rules", Suite.threeRounds},
		{"each request begins with the one before", Suite.prefix},
		{"any transcript is a request", Suite.anyTranscript},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(s, t) })
	}
}

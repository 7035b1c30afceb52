package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
	"windlass/functions/internal/projection"
)

// BenchmarkChunk is what is added to a piece of text on its way from a server: an
// operation is one piece.
func BenchmarkChunk(b *testing.B) {
	const pieces = 2000
	events := []string{created, added(0, openMessage)}
	for range pieces {
		events = append(events, delta("output_text", 0, 0, "hello "))
	}
	p, err := openai.New(openai.Options{BaseURL: "http://model.test", Transport: canned(stream(append(events, done(0, said(strings.Repeat("hello ", pieces))), completed)...))})
	if err != nil {
		b.Fatal(err)
	}
	for n := 0; n < b.N; n += pieces {
		if _, _, err := model.Ask(b.Context(), p, model.Request{Messages: hello}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode writes a request of about 100,000 tokens.
func BenchmarkEncode(b *testing.B) {
	var messages []projection.Message
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		messages = append(messages, assistant(native(sealedItem), text("Looking."), called(id, "read", `{"path":"/a"}`)), user(result(id, strings.Repeat("a line of <code> && \"more\"\n", 150))))
	}
	r := model.Request{Messages: append(hello[:1:1], messages...)}
	p, err := openai.New(openai.Options{BaseURL: "http://model.test", Transport: canned(stream(completed))})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := model.Ask(b.Context(), p, r, nil); err != nil {
			b.Fatal(err)
		}
	}
}

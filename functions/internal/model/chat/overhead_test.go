package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// BenchmarkChunk is what is added to a piece of text on its way from a server: an
// operation is one piece.
func BenchmarkChunk(b *testing.B) {
	const pieces = 2000
	var chunks []string
	for range pieces {
		chunks = append(chunks, content("hello "))
	}
	p := (&canned{body: events(append(chunks, finish("stop"), usage)...)}).provider(b)
	for n := 0; n < b.N; n += pieces {
		if _, _, err := model.Ask(b.Context(), p, model.Request{Messages: hello}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDetail is the same for a fragment of an entry of reasoning.
func BenchmarkDetail(b *testing.B) {
	const pieces = 2000
	var chunks []string
	for range pieces {
		chunks = append(chunks, delta(`"reasoning":"hello ","reasoning_details":[{"type":"reasoning.text","text":"hello ","index":0,"format":"f"}]`))
	}
	p := (&canned{body: events(append(chunks, finish("stop"), usage)...)}).provider(b)
	for n := 0; n < b.N; n += pieces {
		if _, _, err := model.Ask(b.Context(), p, model.Request{Messages: hello}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncode writes a request of about 100,000 tokens.
func BenchmarkEncode(b *testing.B) {
	var all []projection.Message
	for i := range 100 {
		id := fmt.Sprint("call_", i)
		all = append(all, assistant(native(`{"reasoning_content":"I should <read> it."}`), text("Looking."), called(id, "read", `{"path":"/a"}`, "")), user(result(id, strings.Repeat("a line of <code> && \"more\"\n", 150))))
	}
	p, r := (&canned{body: events(finish("stop"))}).provider(b), model.Request{Messages: append(hello[:1:1], all...)}
	for b.Loop() {
		if _, _, err := model.Ask(b.Context(), p, r, nil); err != nil {
			b.Fatal(err)
		}
	}
}

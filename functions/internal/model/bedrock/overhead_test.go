package bedrock_test

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
	p := over(b, canned(starts+strings.Repeat(said(0, "a few words "), b.N)+ended))
	n := 0
	b.ReportAllocs()
	b.ResetTimer()
	for part, err := range p.Stream(b.Context(), model.Request{Model: "m", Messages: hello}) {
		if err != nil {
			b.Fatal(err)
		}
		if part.Text != "" {
			n++
		}
	}
	if n != b.N {
		b.Fatalf("%d of %d pieces", n, b.N)
	}
}

// BenchmarkEncode sends a request of about 100,000 tokens.
func BenchmarkEncode(b *testing.B) {
	r := rich
	r.Messages = nil
	for n := range 100 {
		r.Messages = append(r.Messages, user(says(strings.Repeat("what <is> this? ", 10))), assistant(projection.Part{Native: thinks}, calls(fmt.Sprint("c", n), `{"path":"/a/file.txt","text":"`+strings.Repeat("some text ", 100)+`"}`)), user(result(fmt.Sprint("c", n), strings.Repeat("a line of a file\n", 160), false)), assistant(says("Done.")))
	}
	r.Messages = append(r.Messages, hello...)
	p := over(b, canned(ended))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := model.Ask(b.Context(), p, r, nil); err != nil {
			b.Fatal(err)
		}
	}
}

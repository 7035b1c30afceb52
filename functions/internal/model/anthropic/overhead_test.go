package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// What reading costs for each chunk that is streamed.
func BenchmarkChunk(b *testing.B) {
	const chunks = 2000
	deltas := make([]string, chunks)
	for i := range deltas {
		deltas[i] = `{"type":"text_delta","text":"a few words "}`
	}
	p := provider(b, streams(stream(started)+block(0, `{"type":"text","text":""}`, deltas...)+ended("end_turn")))
	for b.Loop() {
		if _, _, err := model.Ask(b.Context(), p, model.Request{Messages: hello}, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/chunks, "µs/chunk")
}

// What writing a transcript of about 100,000 tokens costs.
func BenchmarkEncode(b *testing.B) {
	r := model.Request{Model: "claude-opus-5-5", Instructions: strings.Repeat("Do it well. ", 100), Messages: hello[:1:1]}
	for i := range 128 {
		id := fmt.Sprintf("toolu_%d", i)
		r.Messages = append(r.Messages, assistant(native(signedHm), projection.Part{Text: "Looking."}, call(id, "read", `{"path":"/a"}`)), user(result(id, strings.Repeat("a line of a file\n", 190), false)))
	}
	p := provider(b, streams(stream(started)+ended("end_turn")))
	for b.Loop() {
		if _, _, err := model.Ask(b.Context(), p, r, nil); err != nil {
			b.Fatal(err)
		}
	}
}

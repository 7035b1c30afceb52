package transcript_test

import (
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

func TestAHugeResultDoesNotShortenThoseThatComeLater(t *testing.T) {
	x := &transcript.Transcript{}
	apply := func(p event.Payload) { x.Apply(event.Event{Operation: "op", Data: p}) }
	apply(accepted("do it"))
	apply(event.OperationStarted{})
	apply(answered("read!"))
	apply(done(0, strings.Repeat("x", 2_000_000)))
	p := x.PlanCompaction(1000)
	apply(p.Event(event.Text("so far")))
	if p.Longest == 0 {
		t.Fatal("nothing is shown in part")
	}
	for range 40 {
		apply(answered("read!"))
		apply(done(0, strings.Repeat("y", 9000)))
	}
	p = x.PlanCompaction(40_000)
	if p.Longest != 0 {
		t.Errorf("kept %d tokens of 40000; and each of the newest results, which are 9000 bytes and fit whole, is cut to %d bytes", p.Kept, p.Longest)
	}
}

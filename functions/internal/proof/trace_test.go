package proof

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A counter-example is the shortest, and reads like the turn's own transcripts.
func TestACounterExampleReadsLikeATranscript(t *testing.T) {
	s := named(t, "calm")
	s.without = ruleHead
	r := s.explore()
	want := `> client: submits a
append
  1 session.opened {"streamId":"stream","agent":"demo"}
  2 operation.accepted a {"prompt":"prompt of a","fingerprint":"","agent":{"name":"","digest":"","definition":""}}
> client: submits b
append
  3 operation.accepted b {"prompt":"prompt of b","fingerprint":"","agent":{"name":"","digest":"","definition":""}}
> dispatch: hears of a commit, reads the head
> dispatch: starts execution b/1
> execution b/1: invokes D1
> D1: reads the log
> D1
append
  4 operation.started b {}
  5 model.started b r1 {"attempt":1,"model":"m"}`
	if d := cmp.Diff(want, strings.Join(r.trace[:len(r.trace)-1], "\n")); d != "" {
		t.Errorf("counter-example (-want +got):\n%s", d)
	}
}

// Two searches tell the same story.
func TestASearchCanBeRepeated(t *testing.T) {
	s := named(t, "steer")
	a, b := s.explore(), s.explore()
	a.took, b.took = 0, 0
	if a.states != b.states || a.edges != b.edges || a.depth != b.depth {
		t.Errorf("%+v, then %+v", a, b)
	}
}

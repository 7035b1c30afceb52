package proof

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/turn"
)

// What a world's form leaves out, no decision may depend on. So a new field has to be
// looked at: put it into form.go if what comes next may differ by it, then here.
func TestTheFormKnowsEveryFieldOfTheFold(t *testing.T) {
	for _, known := range []struct {
		of     any
		fields string
	}{
		{turn.State{}, "Seq StreamID Agent Parent Queue Spent Answered Retention Active Deleted Waited Checkpoint"},
		{turn.Operation{}, "ID FirstSeq LastSeq Prompt Preview Agent AcceptedAt TraceID Started StartedAt Generation NotBefore Stalls CancelRequested Steered Round Model Calls Asking NoCompaction Output Stop Usage"},
		{turn.ModelStep{}, "Phase Attempt Start Name Purpose Failures Tries Fallback Overflowed Compactions CompactFailures Fault RetryAt Empty"},
		{turn.Call{}, "ToolCall Phase Start Effect Until Again Inherited UnknownSeq Question Answer Approved Denial Output Child Report"},
		{turn.Start{}, "By At Count"},
		{turn.Repeat{}, "Calls Times"},
		{turn.Situation{}, "Me Operation Generation Now First Lost Answer Outcomes Handed Running Found Flush TimeLeft RoundsLeft HistoryFull MaxRounds LoopsAllowed Models ModelTimeout Budget Tokens CompactAt WaitHere Plan StartDelays"},
		{turn.Finding{}, "UnknownSeq Outcome DidNot"},
		{turn.HeadSummary{}, "Operation FirstSeq LastSeq Generation NotBefore StartedAt CancelRequested Round Asked Phase Usage"},
	} {
		typ := reflect.TypeOf(known.of)
		var fields []string
		for i := range typ.NumField() {
			fields = append(fields, typ.Field(i).Name)
		}
		if d := cmp.Diff(known.fields, strings.Join(fields, " ")); d != "" {
			t.Errorf("%s (-known +is):\n%s", typ, d)
		}
	}
}

// Worlds of one form go on alike: the search may forget one of them. A sample is
// compared by where the next steps lead.
func TestWorldsOfOneFormGoOnAlike(t *testing.T) {
	const beginning, sample = 8000, 120
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.most = beginning
			x, _ := s.search()
			first, compared := map[int32]map[string]string{}, 0
			for n := 0; n < len(x.nodes); n += 1 + len(x.nodes)/sample {
				w := x.walk(x.script(int32(n)), func(string, *world, *world) {})
				for _, step := range s.tell(w) {
					_, m, old := x.find(step.to)
					next := x.nextForms(step.to)
					if first[m] == nil || !old {
						first[m] = next
						continue
					}
					compared++
					if d := cmp.Diff(keys(first[m]), keys(next)); d != "" {
						t.Fatalf("after %q from node %d, a world of a known form goes on in another way (-first +now):\n%s\n%v\n%v\n%s", step.step, n, d, first[m], next, strings.Join(x.trace(int32(n)), "\n"))
					}
				}
			}
			if compared == 0 {
				t.Error("no form was reached twice")
			}
		})
	}
}

// nextForms are those of the next worlds, and the steps that lead there.
func (x *explorer) nextForms(w *world) map[string]string {
	forms := map[string]string{}
	for _, step := range x.tell(w) {
		forms[fmt.Sprintf("%x", x.form.of(step.to))] = step.step
	}
	return forms
}

func keys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

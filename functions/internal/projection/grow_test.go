package projection_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"
)

// However a transcript grew, a model is shown the same as if it were written at once;
// and what it was shown before stays as it was.
func TestARequestThatGrewIsTheOneThatIsWrittenAtOnce(t *testing.T) {
	its := projection.Rules{Origin: origin, File: png}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 6))
		items := anything(r)
		p := projection.New(its)
		var grown []int
		var shown [][]projection.Message
		for n := 0; n < len(items); {
			to := min(n+1+r.IntN(6), len(items))
			if err := p.Add(items[n:to]); err != nil {
				t.Fatal(err)
			}
			n = to
			seen := r.IntN(n + 1)
			messages, repairs := p.Messages(seen)
			want, told, err := projection.Project(items[:n], its)
			if err != nil {
				t.Fatal(err)
			}
			told = slices.DeleteFunc(told, func(r event.Repair) bool { return r.Item <= seen })
			if len(told) == 0 {
				told = nil
			}
			if d := cmp.Diff(want, messages) + cmp.Diff(told, repairs); d != "" {
				t.Fatalf("seed %d, %d items (-at once +grown):\n%s", seed, n, d)
			}
			grown, shown = append(grown, n), append(shown, messages)
		}
		for i, n := range grown {
			want, _, _ := projection.Project(items[:n], its)
			if d := cmp.Diff(want, shown[i]); d != "" {
				t.Fatalf("seed %d: what was shown of %d items has changed (-was +is):\n%s", seed, n, d)
			}
		}
	}
}

// The cost of a round, at the end of a turn so long.
func BenchmarkARoundsRequest(b *testing.B) {
	for _, rounds := range []int{1, 32, 128} {
		b.Run(fmt.Sprint(rounds, " rounds"), func(b *testing.B) {
			p := projection.New(projection.Rules{Origin: self})
			round := []projection.Item{called(0, "a", "f", `{"path":"/a"}`), called(1, "b", "g", `{"path":"/b"}`), result(0, "one"), result(1, "two")}
			all := numbered(said(transcript.User, "go"))
			for range rounds {
				all = append(all, round...)
			}
			if err := p.Add(all); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				p.Messages(0)
			}
		})
	}
}

// A call that had no result yet was shown as lost; its result must not reach into that.
func TestAResultThatComesLaterChangesNothingThatWasShown(t *testing.T) {
	p := projection.New(rules)
	items := numbered(said(transcript.User, "go"), called(0, "a", "f", "{}"), called(1, "b", "f", "{}"), called(2, "c", "f", "{}"), called(3, "d", "f", "{}"),
		result(0, "zero"), result(1, "one"), result(2, "two"), result(3, "three"))
	last := func(messages []projection.Message) *projection.Result { return messages[2].Parts[3].Result }
	if err := p.Add(items[:8]); err != nil {
		t.Fatal(err)
	}
	shown, _ := p.Messages(0)
	if r := last(shown); !r.Failed {
		t.Fatalf("%+v; want it lost", r)
	}
	if err := p.Add(items[8:]); err != nil {
		t.Fatal(err)
	}
	if now, _ := p.Messages(0); last(now).Output != "three" {
		t.Errorf("%+v", last(now))
	}
	if r := last(shown); !r.Failed {
		t.Errorf("what was shown has become %+v", r)
	}
}

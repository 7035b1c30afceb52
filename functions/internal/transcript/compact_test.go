package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

// shownItems is what a model is shown.
func shownItems(x *transcript.Transcript) (items []transcript.Item) {
	for _, p := range x.Shown() {
		items = append(items, p.Item)
	}
	return items
}

// Cut anywhere, and asked for any target, a conversation stays whole: no call
// without its result, no result without its call, and the prompt of the turn that
// runs is there.
func TestACompactionAtAnyPlaceLeavesTheConversationWhole(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		var log []event.Event
		h := &history{r: r, asked: func([]transcript.Item) {}, see: func(e event.Event) { log = append(log, e) }}
		for i := range 1 + r.IntN(3) {
			h.turn(fmt.Sprint("op-", i))
		}
		for at := range log {
			x := &transcript.Transcript{}
			for _, e := range log[:at] {
				x.Apply(e)
			}
			for _, keep := range []int64{0, 10, 40, 100, 1 << 40} {
				if !x.Whole() {
					continue
				}
				y := transcript.From(0, x.Kept())
				y.Items = x.Items
				p := y.PlanCompaction(keep)
				y.Apply(event.Event{Operation: "op", Data: p.Event(event.Text("so far"))})
				wantWhole(t, &y, seed, at)
			}
			for n := range x.Len() + 2 { // whatever place the event names
				y := transcript.From(0, x.Kept())
				y.Items = x.Items
				if x.Whole() {
					y.Apply(event.Event{Operation: "op", Data: event.TranscriptCompacted{Items: n, Summary: event.Text("so far")}})
					wantWhole(t, &y, seed, at)
				}
			}
		}
	}
}

func wantWhole(t *testing.T, y *transcript.Transcript, seed uint64, at int) {
	t.Helper()
	items := shownItems(y)
	if why := broken(items); why != "" {
		t.Fatalf("seed %d, %d events, cut at %d: %s:\n%s", seed, at, y.First(), why, strings.Join(show(items), "\n"))
	}
	if p := y.Marks.Prompt; p != nil && !strings.Contains(strings.Join(show(items), "\n"), p.Text.Inline()) {
		t.Fatalf("seed %d, %d events, cut at %d: the prompt is gone", seed, at, y.First())
	}
}

func TestAnEndOfTheWantedLengthIsKept(t *testing.T) {
	x := &transcript.Transcript{}
	apply := func(p event.Payload) { x.Apply(event.Event{Operation: "op", Data: p}) }
	apply(accepted("do it"))
	apply(event.OperationStarted{})
	for i := range 20 { // each round is about a thousand tokens
		apply(answered("read!"))
		apply(done(0, fmt.Sprintf("%02d", i)+strings.Repeat("x", 3000)))
	}
	p := x.PlanCompaction(5_100)
	if p.Kept > 5_100 || p.Kept < 4_000 || p.Items != 1+2*15 || p.Longest != 0 || len(p.Summarise) != 31 || p.Summarise[0].N != 1 {
		t.Errorf("%+v, %d items to summarise", p.Event(event.Text("")), len(p.Summarise))
	}
	x.Apply(event.Event{Operation: "op", Data: p.Event(event.Text("fifteen were read"))})
	lines := show(shownItems(x))
	if d := cmp.Diff([]string{"summary fifteen were read", "user do it", "call read"}, lines[:3]); d != "" {
		t.Error(d)
	}
	if got := x.Tokens(0); got != p.Event(event.Text("fifteen were read")).TokensAfter {
		t.Errorf("%d tokens", got)
	}
	if len(x.Items) != 41 {
		t.Errorf("%d items are left of the transcript itself", len(x.Items))
	}
}

// Three results of 200 KB in the turn's first round: nothing can be summarised, so
// the model is shown a part of each.
func TestWhatCameLastIsShownInPartIfItIsTooMuch(t *testing.T) {
	x := fold(accepted("go"), event.OperationStarted{}, answered("a!", "b!", "c!"), done(0, strings.Repeat("a", 200_000)), done(1, strings.Repeat("b", 200_000)), done(2, "c"))
	p := x.PlanCompaction(40_000)
	e := p.Event(event.Text("not asked for"))
	if len(p.Summarise) != 0 || e.Items != 0 || e.Summary.Len() != 0 || e.Longest != 32<<10 || e.TokensAfter > 40_000 || !p.Helps(e) {
		t.Fatalf("%+v", e)
	}
	x.Apply(event.Event{Operation: "op", Data: e})
	var longest []int64
	for _, it := range x.Shown() {
		longest = append(longest, it.Longest)
	}
	if d := cmp.Diff([]int64{transcript.MaxShown, 32 << 10, 32 << 10, 32 << 10, 32 << 10, 32 << 10, 32 << 10}, longest); d != "" {
		t.Error(d)
	}
	x.Apply(event.Event{Operation: "op", Data: answered("d!")})
	x.Apply(event.Event{Operation: "op", Data: done(0, strings.Repeat("d", 100_000))})
	if s := x.Shown(); s[len(s)-1].Longest != transcript.MaxShown {
		t.Error("a later result is cut too")
	}
}

func TestACompactionThatDoesNotShrinkIsKnown(t *testing.T) {
	x := fold(accepted(strings.Repeat("p", 30_000)), event.OperationStarted{}, answered("a!"), done(0, "1"))
	p := x.PlanCompaction(100)
	if p.Helps(p.Event(event.Text(""))) {
		t.Errorf("%+v is said to help", p)
	}
}

func TestTheProvidersCountIsBelievedAndTheRestEstimated(t *testing.T) {
	x := fold(accepted("p"), event.OperationStarted{})
	if got := x.Tokens(0); got != 7 {
		t.Errorf("%d tokens of a prompt of one byte", got)
	}
	said := answered("a!")
	said.Usage = event.Tokens{InputTokens: 1000, OutputTokens: 50}
	x.Apply(event.Event{Operation: "op", Data: said})
	if got := x.Tokens(0); got != 1050 {
		t.Errorf("%d tokens", got)
	}
	x.Apply(event.Event{Operation: "op", Data: done(0, strings.Repeat("x", 300))})
	if got := x.Tokens(0); got != 1156 {
		t.Errorf("%d tokens", got)
	}
}

func TestOpaqueMaterialThatWasRefusedIsNotShownAgain(t *testing.T) {
	native := event.Text("sig")
	thought := event.ModelCompleted{Model: "a/b", Items: []event.ModelItem{{Kind: event.ItemReasoning, Text: &native, Native: &native}}}
	x := fold(accepted("p"), event.OperationStarted{}, thought, event.TranscriptRepaired{Items: 2, Repairs: []event.Repair{{Kind: event.RepairNative, Item: 2}}}, thought)
	s := x.Shown()
	if s[1].Native != nil || s[2].Native == nil || s[2].Origin != "a/b" || x.Marks.Looked != 2 {
		t.Errorf("%+v", s)
	}
}

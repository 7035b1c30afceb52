package session_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/eventstore/flaky"
	"windlass/eventstore/memory"
	"windlass/functions/internal/turn"
)

// A commit that accepts is written without folding the log. Its summary must be
// what folding gives, in the stored bytes too, whatever happened before.
func TestSummaryOfAnAcceptedOperationEqualsFolding(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		for i := range 1 + r.IntN(12) {
			if head := turn.Fold(w.events()).Head(); head == nil || r.IntN(3) == 0 {
				w.submit(fmt.Sprint("op-", i), "p")
			} else {
				w.append(step(r, head)...)
			}
		}
		w.submit("last", "p")
		head, _, err := w.Journal.Head(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(turn.Fold(w.events()).Summary().Encode()), string(head.Summary)); d != "" {
			t.Fatalf("seed %d: summary (-folded +stored):\n%s", seed, d)
		}
	}
}

// step is something that may happen to the head.
func step(r *rand.Rand, op *turn.Operation) []event.Payload {
	call := &event.ToolCall{CallID: "c", Name: "workspace_read", Arguments: event.Text(`{}`)}
	switch {
	case r.IntN(6) == 0:
		return []event.Payload{event.OperationResumed{Reason: event.ReasonGeneration, Generation: op.Generation + 1}}
	case r.IntN(6) == 0:
		return []event.Payload{event.OperationFailed{Error: event.Error{Code: "model_error"}}}
	case !op.Started:
		return []event.Payload{event.OperationStarted{}, event.ModelStarted{Attempt: 1, Model: "m"}}
	case op.Model.Phase == turn.Open && r.IntN(3) == 0:
		return []event.Payload{event.ModelFailed{Attempt: op.Model.Attempt, Error: event.Error{Code: "overloaded"}}}
	case op.Model.Phase == turn.Open:
		return []event.Payload{event.ModelCompleted{Items: []event.ModelItem{{Kind: event.ItemToolCall, Call: call}}, Usage: event.Tokens{InputTokens: 7}}}
	case op.Model.Phase == turn.Pending:
		return []event.Payload{event.ModelStarted{Attempt: op.Model.Attempt + 1, Model: "m"}}
	case r.IntN(2) == 0:
		return []event.Payload{event.ToolStarted{Index: 0, Name: "workspace_read"}}
	}
	return []event.Payload{event.ToolCompleted{Index: 0, CallID: "c"}, event.OperationCompleted{Output: event.Text("done")}}
}

// Accepting reads the head and nothing else of the log.
func TestAcceptingCostsTheSameInALongSession(t *testing.T) {
	d := flaky.New(memory.New(), nil)
	w := over(t, d)
	w.submit("a", "p")
	w.start()
	for range 100 {
		w.append(event.ModelFailed{Attempt: 1}, event.ModelStarted{Attempt: 2, Model: "m"})
	}
	before := len(d.Calls())
	w.submit("b", "p")
	var got []flaky.Op
	for _, c := range d.Calls()[before:] {
		got = append(got, c.Op)
	}
	if want := []flaky.Op{flaky.Records, flaky.Append}; !slices.Equal(got, want) {
		t.Errorf("the driver was called for %v, want %v", got, want)
	}
}

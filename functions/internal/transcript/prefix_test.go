package transcript_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

// Providers cache what a request begins with: the request of a round begins with
// that of the round before, byte for byte, and is valid, in any history.
func TestEachRequestBeginsWithTheOneBefore(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var asked [][]transcript.Item
		var sent []string
		h := &history{r: r, asked: func(items []transcript.Item) {
			if why := broken(items); why != "" {
				t.Fatalf("seed %d, request %d: %s:\n%s", seed, len(asked), why, strings.Join(show(items), "\n"))
			}
			asked, sent = append(asked, items), append(sent, encode(t, items))
		}}
		for i := range 1 + r.IntN(4) {
			h.turn(fmt.Sprint("op-", i))
		}
		for i := range asked {
			if i > 0 && !strings.HasPrefix(sent[i], sent[i-1]) {
				t.Fatalf("seed %d: request %d does not begin with the one before:\n%s\n%s", seed, i, sent[i-1], sent[i])
			}
			if encode(t, asked[i]) != sent[i] {
				t.Fatalf("seed %d: request %d was changed after it was sent", seed, i)
			}
		}
	}
}

// history writes turns as a log may hold them.
type history struct {
	transcript.Transcript
	r     *rand.Rand
	op    string
	asked func([]transcript.Item)
	see   func(event.Event)
}

func (h *history) apply(e event.Event) {
	h.Apply(e)
	if h.see != nil {
		h.see(e)
	}
}

func (h *history) add(p event.Payload) {
	h.apply(event.Event{Operation: h.op, Data: p})
	if h.r.IntN(10) == 0 { // somebody submits meanwhile
		h.apply(event.Event{Operation: fmt.Sprint("queued-", h.r.Uint32()), Data: accepted("not yet")})
	}
}

func (h *history) turn(op string) {
	h.op = op
	h.add(accepted("prompt of " + op))
	h.add(event.OperationStarted{})
	for range 1 + h.r.IntN(5) {
		h.add(event.ModelStarted{Attempt: 1})
		h.asked(h.Items)
		for h.r.IntN(4) == 0 { // an attempt fails, the same is asked again
			h.add(event.ModelFailed{Attempt: 1})
			h.add(event.ModelStarted{Attempt: 2})
			h.asked(h.Items)
		}
		if h.r.IntN(12) == 0 {
			h.add(event.OperationFailed{})
			return
		}
		if h.batch(); h.r.IntN(12) == 0 {
			h.add(event.OperationFailed{Error: event.Error{Code: "max_rounds"}})
			return
		}
	}
	h.add(event.ModelStarted{Attempt: 1})
	h.asked(h.Items)
	h.add(answered("bye"))
	h.add(event.OperationCompleted{})
}

// batch is an answer with calls, and their results in any order, some of them
// written twice.
func (h *history) batch() {
	var items []string
	n := 1 + h.r.IntN(5)
	for i := range n {
		items = append(items, []string{"", "(thought)", "text"}[h.r.IntN(3)], fmt.Sprintf("tool-%d!", i))
	}
	h.add(answered(items...))
	for _, i := range h.r.Perm(n) {
		h.add(event.ToolStarted{Index: i})
		if h.r.IntN(3) == 0 {
			h.add(event.ToolFailed{Index: i, Error: event.Error{Code: "timeout"}})
		} else {
			h.add(done(i, "a\x00b\xff"))
		}
	}
}

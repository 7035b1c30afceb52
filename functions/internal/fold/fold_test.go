package fold_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/eventstore/memory"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
)

var stream = eventstore.Stream{Tenant: "t", Session: "s"}

// history is a session that some turns made: rounds, files, queued prompts.
type history struct {
	t       testing.TB
	journal *eventstore.Journal
	session *fold.Session
	dice    *rand.Rand
	n       int
}

// newHistory begins one, which the two seeds decide about.
func newHistory(t testing.TB, seed1, seed2 uint64) *history {
	t.Helper()
	h := &history{t: t, dice: rand.New(rand.NewPCG(seed1, seed2)), journal: eventstore.New(memory.New(), eventstore.WithBlobs(memory.NewBlobs()))}
	h.reopen()
	return h
}

func (h *history) append(by string, events ...event.Event) {
	h.t.Helper()
	for i := range events {
		events[i].At = event.At(time.Unix(int64(h.n), 0))
	}
	c, _, err := h.journal.Append(h.t.Context(), h.session.At, index.Draft(stream, &h.session.State, by, events))
	if err != nil {
		h.t.Fatal(err)
	}
	h.session.Apply(c)
}

// step appends one commit of a turn, or accepts another operation.
func (h *history) step() {
	h.n++
	op := h.session.State.Head()
	switch {
	case op == nil || h.dice.IntN(20) == 0:
		opened := []event.Event{}
		if h.session.At.Seq() == 0 {
			opened = append(opened, event.Event{Data: event.SessionOpened{StreamID: "id", Agent: "demo"}})
		}
		h.append("", append(opened, event.Event{Operation: fmt.Sprint("op-", h.n), Data: event.OperationAccepted{Prompt: h.text("prompt")}})...)
	case !op.Started:
		h.append("D", event.Event{Operation: op.ID, Data: event.OperationStarted{}}, event.Event{Operation: op.ID, Round: 1, Data: event.ModelStarted{Attempt: 1}})
	case op.Model.Phase != "done" && h.dice.IntN(12) == 0:
		h.compact(op.ID, op.Round)
	case op.Model.Phase != "done":
		h.answer(op.ID, op.Round)
	default:
		var results []event.Event
		for _, c := range op.Calls {
			if h.dice.IntN(2) == 0 {
				results = append(results, event.Event{Operation: op.ID, Round: op.Round, Data: event.WorkspaceWritten{Path: fmt.Sprint("/f-", h.dice.IntN(9)), Content: h.text(strings.Repeat("file ", h.dice.IntN(1500)))}})
			}
			results = append(results, event.Event{Operation: op.ID, Round: op.Round, Data: event.ToolCompleted{Index: c.Index, CallID: c.CallID, Output: h.text("out")}})
		}
		h.append("D", append(results, event.Event{Operation: op.ID, Round: op.Round + 1, Data: event.ModelStarted{Attempt: 1}})...)
	}
}

// compact summarises all but the last few hundred tokens, and notes a repair.
func (h *history) compact(op string, round int) {
	h.t.Helper()
	seen, err := h.session.Transcript(h.t.Context(), h.journal)
	if err != nil {
		h.t.Fatal(err)
	}
	e := seen.PlanCompaction(int64(h.dice.IntN(2000))).Event(h.text("summary"))
	h.append("D", event.Event{Operation: op, Round: round, Data: e},
		event.Event{Operation: op, Round: round, Data: event.TranscriptRepaired{Items: seen.Len(), Repairs: []event.Repair{{Kind: event.RepairNative, Item: seen.Len()}}}})
}

func (h *history) answer(op string, round int) {
	if h.dice.IntN(5) == 0 {
		text := h.text("answer")
		h.append("D", event.Event{Operation: op, Round: round, Data: event.ModelCompleted{Items: []event.ModelItem{{Kind: event.ItemText, Text: &text}}}},
			event.Event{Operation: op, Data: event.OperationCompleted{Output: text}})
		return
	}
	var items []event.ModelItem
	for i := range 1 + h.dice.IntN(3) {
		items = append(items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: "c", Name: "x", Arguments: h.text("args")}})
	}
	h.append("D", event.Event{Operation: op, Round: round, Data: event.ModelCompleted{Items: items}})
}

func (h *history) text(s string) event.Value {
	return event.Text(fmt.Sprintf("%s %d %s", s, h.n, strings.Repeat("x", h.dice.IntN(1500))))
}

// shown is all that can be asked of a session, with every value loaded.
func shown(t *testing.T, j *eventstore.Journal, s *fold.Session) string {
	t.Helper()
	load := func(v event.Value) string {
		text, err := j.Load(t.Context(), stream, v)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	state := s.State.Clone()
	state.Checkpoint = nil
	seen, err := s.Transcript(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for path, f := range s.Tree.Files() {
		files[path] = load(f.Content)
	}
	b, err := json.MarshalIndent(map[string]any{"state": state, "shown": seen.Shown(), "besides": seen.Kept(), "len": seen.Len(), "files": files, "seq": s.At.Seq()}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fold(checkpoint + tail) = fold(all), for random histories with checkpoints at
// random places, each made by a session that was itself opened from one or not.
func TestCheckpointAndTailFoldToWhatEverythingFoldsTo(t *testing.T) {
	used := 0
	for seed := range uint64(30) {
		h := newHistory(t, seed, 0)
		checkpoints := 0
		for range 120 {
			h.step()
			if h.dice.IntN(8) == 0 {
				h.reopen()
			}
			if h.dice.IntN(10) == 0 && h.session.Checkpointable() {
				h.checkpoint()
				checkpoints++
			}
		}
		h.append("", event.Event{Operation: "last", Data: event.OperationAccepted{}})
		h.reopen()
		all := &fold.Session{Stream: stream}
		if err := all.CatchUp(t.Context(), h.journal, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(shown(t, h.journal, all), shown(t, h.journal, h.session)); d != "" {
			t.Fatalf("seed %d, %d checkpoints (-everything +checkpoint and tail):\n%.3000s", seed, checkpoints, d)
		}
		if h.session.Commits < all.Commits {
			used++
		}
	}
	if used < 24 {
		t.Errorf("only %d of 30 sessions were opened from a checkpoint", used)
	}
}

// What a summary stands for is not loaded again: a turn's memory follows what its
// model reads, not the session's age.
func TestWhatIsCompactedIsNotLoaded(t *testing.T) {
	h := newHistory(t, 1, 0)
	for h.session.State.Head() == nil || len(h.session.State.Head().Calls) == 0 || h.n < 300 {
		h.step()
		if h.n%20 == 0 && h.session.Checkpointable() {
			h.checkpoint()
		}
	}
	op := h.session.State.Head()
	for h.session.State.Head() == op && op.Model.Phase == "done" {
		h.step() // results, and the next round begins
	}
	if h.session.State.Head() == nil {
		t.Fatal("the turn has ended")
	}
	h.compact(op.ID, op.Round)
	h.checkpoint()
	h.append("", event.Event{Operation: "last", Data: event.OperationAccepted{}})
	h.reopen()
	seen, err := h.session.Transcript(t.Context(), h.journal)
	if err != nil {
		t.Fatal(err)
	}
	if seen.Len() < 300 || len(seen.Items) > seen.Len()/4 || len(seen.Shown()) < 2 {
		t.Errorf("%d of %d items were loaded; %d are shown", len(seen.Items), seen.Len(), len(seen.Shown()))
	}
	page, all, err := h.session.Items(t.Context(), h.journal, 0, 1000)
	if err != nil || len(page) != all || all != seen.Len() {
		t.Errorf("%d of %d items can be read, %v", len(page), all, err)
	}
}

func (h *history) checkpoint() {
	h.t.Helper()
	stored, err := h.session.Checkpoint(h.journal)(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	h.session.Checkpointed(stored)
}

func (h *history) reopen() {
	h.t.Helper()
	var err error
	if h.session, err = fold.Open(h.t.Context(), h.journal, stream); err != nil {
		h.t.Fatal(err)
	}
}

package turn_test

import (
	"testing"
	"time"

	"windlass/eventstore"
	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

func TestASessionsSumIsThatOfItsOperations(t *testing.T) {
	s := &turn.State{}
	seq := uint64(0)
	apply := func(round int, by string, p event.Payload) {
		seq++
		s.Apply(event.Event{Seq: seq, Operation: "op", Round: round, By: by, Data: p})
	}
	apply(0, "", event.OperationAccepted{Prompt: event.Text("x")})
	apply(0, "a", event.OperationStarted{})
	apply(1, "a", event.ModelStarted{Attempt: 1, Model: "p/m"})
	apply(0, "b", event.OperationResumed{Reason: event.ReasonTakeover, Generation: 1, By: "b"})
	if a, b := s.Spent.ModelCalls, s.Head().Usage.ModelCalls; a != b {
		t.Errorf("the session has %d calls, its one operation %d", a, b)
	}
}

func TestTheNextModelIsAskedWhereNoSummaryHelps(t *testing.T) {
	s := &turn.State{}
	seq := uint64(0)
	apply := func(es ...event.Event) {
		for _, e := range es {
			seq++
			e.Seq, e.By = seq, "me"
			s.Apply(e)
		}
	}
	apply(event.Event{Operation: "op", Data: event.OperationAccepted{Prompt: event.Text("x")}})
	me := turn.Situation{Me: "me", Operation: "op", Generation: 1, TimeLeft: 1 << 40, ModelTimeout: 1, RoundsLeft: 9, MaxRounds: 9, Models: []string{"small/a", "large/b"}}
	for range 20 {
		switch e := turn.Next(s, me).(type) {
		case turn.Append:
			me.Answer = nil
			apply(e.Events...)
		case turn.Think:
			if e.Model == "large/b" {
				return
			}
			me.Answer = &turn.Answer{Fault: &turn.Fault{Error: event.Error{Code: "context_overflow"}, Permanent: true}}
		case turn.Compact:
			me.Answer = &turn.Answer{Fault: &turn.Fault{Error: event.Error{Code: "compaction_failed"}, Permanent: true}}
		case turn.Finish:
			t.Fatal("the turn has failed; large/b was never asked")
		}
	}
}

func TestACancelKeepsAWholeAnswerThatCameWithIt(t *testing.T) {
	s := &turn.State{}
	seq := uint64(0)
	apply := func(round int, by string, p event.Payload) {
		seq++
		s.Apply(event.Event{Seq: seq, Operation: "op", Round: round, By: by, Data: p})
	}
	apply(0, "", event.OperationAccepted{Prompt: event.Text("x")})
	apply(0, "me", event.OperationStarted{})
	apply(1, "me", event.ModelStarted{Attempt: 1, Model: "p/m"})
	apply(0, "", event.OperationCancelRequested{})
	text := event.Text("all that was said")
	me := turn.Situation{Me: "me", Operation: "op", Generation: 1, Answer: &turn.Answer{
		Items: []event.ModelItem{{Kind: event.ItemText, Text: &text}}, Stop: "end", Usage: event.Tokens{InputTokens: 100, OutputTokens: 7}, CostUSD: "0.5"}}
	es := turn.Next(s, me).(turn.Append).Events
	for _, e := range es {
		switch d := e.Data.(type) {
		case event.ModelFailed:
			if d.Partial == nil {
				t.Errorf("what was said is not kept: %+v", d)
			}
		case event.OperationCancelled:
			if d.Usage.InputTokens != 100 || d.Usage.CostUSD != "0.5" {
				t.Errorf("the terminal event has %+v; the model.failed before it has what was used", d.Usage)
			}
		}
	}
}

func TestTheEndOfTheLargestRoundFitsIntoOneCommit(t *testing.T) {
	s := &turn.State{}
	seq := uint64(0)
	apply := func(round int, by string, p event.Payload) {
		seq++
		s.Apply(event.Event{Seq: seq, Operation: "op", Round: round, By: by, Data: p})
	}
	apply(0, "", event.OperationAccepted{Prompt: event.Text("x")})
	apply(0, "me", event.OperationStarted{})
	apply(1, "me", event.ModelStarted{Attempt: 1, Model: "p/m"})
	said := event.ModelCompleted{Attempt: 1, Stop: "tools"}
	for i := range 2000 { // model.MaxCalls
		said.Items = append(said.Items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, Name: "x", Arguments: event.Text("{}")}})
	}
	apply(1, "me", said)
	apply(1, "me", event.ToolStarted{Index: 0, Name: "x", Effect: "read"})
	apply(0, "", event.OperationCancelRequested{})
	if n := len(turn.Revive(s.Head(), time.Now())); n > eventstore.MaxEvents {
		t.Errorf("recover appends %d events at once; a commit has at most %d", n, eventstore.MaxEvents)
	}
}

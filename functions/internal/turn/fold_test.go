package turn_test

import (
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/turn"
)

// anyPayload makes an event of every kind out of two bytes.
func anyPayload(kind, n byte) event.Payload {
	i := int(n%5) - 1
	at := event.At(time.Unix(int64(n), 0))
	fault := event.Error{Code: "c", Message: "m"}
	text := event.Text("x")
	all := []event.Payload{
		event.SessionOpened{StreamID: "s", Agent: "demo"}, event.OperationAccepted{}, event.OperationStarted{},
		event.OperationResumed{Reason: event.ReasonTakeover, By: "D"}, event.OperationResumed{Reason: event.ReasonGeneration, Generation: i, NotBefore: &at},
		event.OperationCompleted{}, event.OperationFailed{Error: fault},
		event.ModelStarted{Attempt: i}, event.ModelFailed{Error: fault}, event.ModelFailed{Error: fault, RetryAt: &at},
		event.ModelCompleted{Items: []event.ModelItem{{Kind: event.ItemText, Text: &text}, {Kind: event.ItemToolCall}, {Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i}}, {Kind: event.ItemToolCall, Call: &event.ToolCall{Index: 1}}}},
		event.ToolStarted{Index: i}, event.ToolCompleted{Index: i}, event.ToolFailed{Index: i}, event.WorkspaceWritten{}, event.Unknown{Name: "x.y", Version: 1},
	}
	return all[int(kind)%len(all)]
}

// Any log whatever folds, and has a next effect: a driver never dies of a log
// that a newer or a broken build wrote.
func FuzzEveryLogFoldsAndHasANextEffect(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 2, 0, 7, 1, 10, 0, 11, 1, 12, 1})
	f.Add([]byte{1, 0, 10, 2, 13, 0, 3, 3, 4, 4, 8, 1, 9, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		script = script[:min(len(script), 400)]
		s := &turn.State{}
		for i := 0; i+1 < len(script); i += 2 {
			e := event.Event{Seq: uint64(i/2 + 1), Operation: string('a' + rune(script[i+1]%2)), Round: 1, Data: anyPayload(script[i], script[i+1])}
			s.Apply(e)
			if s.Seq != e.Seq {
				t.Fatalf("seq %d after event %d", s.Seq, e.Seq)
			}
			s.Summary().Encode()
			op := s.Head()
			if op == nil {
				continue
			}
			for _, first := range []bool{true, false} {
				me := turn.Situation{
					Me: "D", Operation: op.ID, Generation: op.Generation, First: first, MaxRounds: 3, RoundsLeft: 3, TimeLeft: time.Hour,
					Now: event.At(time.Unix(1000, 0)), Plan: plan, StartDelays: turn.DefaultStartDelays,
					Answer: &turn.Answer{Items: []event.ModelItem{}}, Outcomes: map[int]turn.Outcome{}, Running: map[int]bool{},
				}
				if a, ok := turn.Next(s.Clone(), me).(turn.Append); ok && len(a.Events) == 0 {
					t.Fatalf("an append of nothing: %s", s.Summary().Encode())
				}
			}
		}
	})
}

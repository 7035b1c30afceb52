package trace_test

import (
	"encoding/json"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/trace"
)

// Any events, in any order, of any time, give spans that are sound and can be sent.
func FuzzEveryLogIsATrace(f *testing.F) {
	f.Add([]byte{0, 0, 1, 0, 2, 0, 7, 1, 10, 0, 11, 1, 12, 1})
	f.Add([]byte{0, 9, 2, 9, 3, 2, 9, 1, 13, 2, 5, 0, 3, 3, 4, 4, 8, 1, 9, 1, 15, 7})
	f.Fuzz(func(t *testing.T, script []byte) {
		script = script[:min(len(script), 1000)]
		var events []event.Event
		for i := 0; i+1 < len(script); i += 2 {
			what, n := script[i], script[i+1]
			events = append(events, event.Event{Seq: uint64(i/2 + 1), At: at(int(n)), Operation: string('a' + rune(n%2)), Round: int(n>>1) % 3, Data: anyPayload(what, int(n>>3)%4, string(script[:min(int(n)%8, len(script))]))})
		}
		spans := trace.Of("s", events)
		for _, s := range spans {
			if s.End.Before(s.Start) {
				t.Fatalf("%s is from %s to %s", s.Name, s.Start, s.End)
			}
		}
		for i := range spans { // clocks differ, so a part may begin before the whole
			spans[i].Start, spans[i].End = at(0).Time, at(256).Time
		}
		sound(t, spans)
		if !json.Valid(trace.OTLP(spans)) {
			t.Fatalf("%s", trace.OTLP(spans))
		}
	})
}

func anyPayload(what byte, n int, text string) event.Payload {
	said := event.Text(text)
	all := []event.Payload{
		event.OperationAccepted{Agent: event.Agent{Name: text}, Traceparent: text},
		event.OperationStarted{}, event.ModelStarted{Attempt: n, Model: text + "/" + text}, event.ModelFailed{Attempt: n, Error: event.Error{Code: text}, Usage: &event.Tokens{InputTokens: int64(n)}, CostUSD: event.USD(text)},
		asked(text, "x", text, "y"), event.TranscriptCompacted{Model: text}, event.OperationResumed{Reason: event.ReasonTakeover}, event.OperationResumed{Reason: text},
		event.ToolStarted{Index: n, Name: text, Effect: text}, event.ToolDeferred{Index: n, Name: text}, event.ToolAnswered{Index: n, Output: &said}, event.ToolUnknown{Index: -n, Name: text},
		event.ToolCompleted{Index: n, CallID: text, Name: text}, event.ToolFailed{Index: n, CallID: text, Error: event.Error{Code: text}}, event.ApprovalRequested{Index: n, Reason: text}, event.ApprovalResolved{Index: n, Decision: text},
		event.ChildSubmitted{Index: n, Session: text}, event.ChildSettled{Index: n, Status: text}, event.ChildAbandoned{Index: n}, event.OperationWarned{Code: text},
		event.MessageSteered{}, event.OperationCancelRequested{}, event.SessionOpened{}, event.Unknown{Name: text}, nil,
		event.OperationCompleted{}, event.OperationCancelled{}, event.OperationFailed{Error: event.Error{Code: text}},
	}
	return all[int(what)%len(all)]
}

// A trace is bounded, whatever the log holds.
func TestATraceIsBounded(t *testing.T) {
	all := []any{event.OperationAccepted{}, 1}
	for i := range 2 * trace.MaxSpans {
		all = append(all, event.MessageSteered{}, event.ApprovalRequested{Index: i, Reason: event.ReasonPolicy})
	}
	spans := trace.Of("s", log(append(all, event.OperationCompleted{})...))
	sound(t, spans)
	if len(spans) != trace.MaxSpans || len(spans[0].Marks) != trace.MaxMarks {
		t.Errorf("%d spans, %d marks", len(spans), len(spans[0].Marks))
	}
}

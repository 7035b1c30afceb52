package session_test

import (
	"sync"
	"testing"
	"time"

	"windlass/eventstore/event"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
)

// asked is a session whose turn waits for a person about two calls of its first round.
func asked(t *testing.T) *world {
	w := newWorld(t)
	w.submit("a", "go")
	w.start()
	call := func(i int) event.ModelItem {
		return event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, CallID: "c", Name: "refund", Arguments: event.Text(`{"amount":9}`)}}
	}
	expires := event.At(at.Add(time.Hour))
	w.append(event.ModelCompleted{Attempt: 1, Items: []event.ModelItem{call(0), call(1)}, Stop: "tools"})
	w.append(event.ApprovalRequested{Index: 0, Name: "refund", Reason: event.ReasonPolicy, ExpiresAt: &expires})
	w.append(event.ApprovalRequested{Index: 1, Name: "refund", Reason: event.ReasonPolicy, ExpiresAt: &expires})
	return w
}

func (w *world) decide(step string, a session.Answer) fault.Code {
	w.t.Helper()
	_, err := w.Decide(w.t.Context(), stream, "a", step, a)
	if err == nil {
		return ""
	}
	return fault.Of(err).Code
}

func (w *world) count(kind string) (n int) {
	for _, e := range w.events() {
		if e.Data.EventType() == kind {
			n++
		}
	}
	return n
}

func TestEachQuestionIsAnsweredOnce(t *testing.T) {
	w := asked(t)
	o, err := w.Operation(t.Context(), stream, "a")
	if err != nil || o.Status != "waiting" || len(o.Approvals) != 2 || o.Approvals[1].Step != "1.1" || o.Approvals[0].Arguments.Inline() != `{"amount":9}` || o.Approvals[0].ExpiresAt == nil {
		t.Fatalf("%+v, %v", o, err)
	}
	for _, try := range []struct {
		step string
		a    session.Answer
		want fault.Code
	}{
		{"2.0", session.Answer{Decision: event.Approve}, fault.NotFound},
		{"1.2", session.Answer{Decision: event.Approve}, fault.NotFound},
		{"1.00", session.Answer{Decision: event.Approve}, fault.NotFound},
		{"x", session.Answer{Decision: event.Approve}, fault.NotFound},
		{"1.0", session.Answer{Decision: event.Happened}, fault.NotFound},
		{"1.0", session.Answer{Decision: event.Approve, Arguments: "[1]"}, fault.InvalidRequest},
		{"1.0", session.Answer{Decision: event.Deny, Arguments: "{}"}, fault.InvalidRequest},
		{"1.0", session.Answer{Decision: event.Approve, Note: string(make([]byte, session.MaxNote+1))}, fault.TooLarge},
		{"1.0", session.Answer{Decision: event.Approve, Arguments: `{"amount":5}`}, ""},
		{"1.0", session.Answer{Decision: event.Approve, Arguments: `{"amount":5}`}, ""},
		{"1.0", session.Answer{Decision: event.Approve}, fault.ApprovalResolved},
		{"1.0", session.Answer{Decision: event.Deny}, fault.ApprovalResolved},
		{"1.1", session.Answer{Decision: event.Deny, Note: "not on a Friday"}, ""},
		{"1.1", session.Answer{Decision: event.Approve}, fault.ApprovalResolved},
	} {
		if got := w.decide(try.step, try.a); got != try.want {
			t.Errorf("%s %+v: %q, want %q", try.step, try.a.Decision, got, try.want)
		}
	}
	if n := w.count("approval.resolved"); n != 2 {
		t.Errorf("%d answers in the log", n)
	}
	w.append(event.ToolFailed{Index: 1}, event.ToolCompleted{Index: 0})
	w.complete("done")
	if got := w.decide("1.1", session.Answer{Decision: event.Deny}); got != "" {
		t.Errorf("the same answer after the end: %s", got)
	}
	if got := w.decide("1.1", session.Answer{Decision: event.Approve}); got != fault.ApprovalResolved {
		t.Errorf("another answer after the end: %s", got)
	}
}

func TestAnAnswerThatComesTooLateSaysSo(t *testing.T) {
	w := asked(t)
	w.Service.Now = func() time.Time { return at.Add(time.Hour) }
	for range 2 {
		if got := w.decide("1.0", session.Answer{Decision: event.Approve}); got != fault.ApprovalExpired {
			t.Errorf("%q", got)
		}
	}
	if n := w.count("approval.resolved"); n != 1 {
		t.Errorf("%d answers in the log, want the one that it lapsed", n)
	}
}

func TestOfTwoAnswersAtOnceOneIsTaken(t *testing.T) {
	for range 20 {
		w := asked(t)
		var all sync.WaitGroup
		codes := make([]fault.Code, 8)
		for i := range codes {
			all.Go(func() {
				codes[i] = w.decide("1.0", session.Answer{Decision: []string{event.Approve, event.Deny}[i%2]})
			})
		}
		all.Wait()
		if n := w.count("approval.resolved"); n != 1 {
			t.Fatalf("%d answers in the log", n)
		}
		for i := 2; i < len(codes); i++ {
			if codes[i] != codes[i%2] {
				t.Fatalf("the same answer has different outcomes: %v", codes)
			}
		}
		if codes[0] == codes[1] {
			t.Fatalf("approve and deny have the same outcome: %v", codes)
		}
	}
}

func TestNobodyIsAskedOnceACancelWasRequested(t *testing.T) {
	w := asked(t)
	if _, err := w.Cancel(t.Context(), stream, "a"); err != nil {
		t.Fatal(err)
	}
	if got := w.decide("1.0", session.Answer{Decision: event.Approve}); got != fault.NotFound {
		t.Errorf("%q", got)
	}
}

// The answer's answer is lost, the call is begun again and its outcome lost again, and then
// the client sends the answer once more: nobody has looked what became of the second time.
func TestAnAnswerThatIsSentAgainIsNotAboutALaterTime(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "go")
	w.start()
	w.append(event.ModelCompleted{Attempt: 1, Stop: "tools", Items: []event.ModelItem{
		{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: 0, CallID: "c", Name: "refund", Arguments: event.Text(`{}`)}},
	}})
	lost := func() uint64 {
		w.append(event.ToolStarted{Index: 0, Name: "refund", Effect: "once", Until: event.At(at)})
		w.append(event.ToolUnknown{Index: 0, Name: "refund"}, event.ApprovalRequested{Index: 0, Name: "refund", Reason: event.ReasonUnknownOutcome})
		o, err := w.Operation(t.Context(), stream, "a")
		if err != nil || len(o.Approvals) != 1 {
			t.Fatalf("%+v, %v", o.Approvals, err)
		}
		return o.Approvals[0].UnknownSeq
	}
	first := lost()
	answer := func(decision string, seq uint64, want fault.Code, answers int) {
		t.Helper()
		if got := w.decide("1.0", session.Answer{Decision: decision, UnknownSeq: seq}); got != want || w.count("approval.resolved") != answers {
			t.Errorf("%s about %d: %q, want %q; %d answers in the log, want %d", decision, seq, got, want, w.count("approval.resolved"), answers)
		}
	}
	answer(event.DidNotHappen, first+1, fault.NotFound, 0)
	answer(event.DidNotHappen, 0, "", 1) // there was no other time
	second := lost()
	answer(event.DidNotHappen, 0, fault.ApprovalResolved, 1)
	answer(event.DidNotHappen, first, "", 1)
	answer(event.Happened, first, fault.ApprovalResolved, 1)
	answer(event.Happened, second, "", 2)
	answer(event.Happened, second, "", 2)
	answer(event.DidNotHappen, second, fault.ApprovalResolved, 2)
	answer(event.DidNotHappen, first, "", 2)
}

package execution_test

import (
	"errors"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"

	"windlass/eventstore/event"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fold"
	"windlass/functions/internal/index"
	"windlass/functions/internal/turn"
)

// parked is a world whose operation a waits for a person.
func parked(t *testing.T) *world {
	w := newWorld(t)
	w.submit(stream, "a")
	call := event.ToolCall{Index: 0, Name: "refund", Arguments: event.Text("{}")}
	w.append(event.OperationStarted{}, event.ModelStarted{Attempt: 1},
		event.ModelCompleted{Attempt: 1, Items: []event.ModelItem{{Kind: event.ItemToolCall, Call: &call}}},
		event.ToolStarted{Index: 0, Name: "refund", Effect: turn.Once}, event.ToolUnknown{Index: 0},
		event.ApprovalRequested{Index: 0, Reason: event.ReasonUnknownOutcome})
	return w
}

func (w *world) park(token string) {
	w.t.Helper()
	p := execution.Parking{Turn: execution.Turn{Tenant: "acme", Session: "s", Operation: "a", Generation: 1}, Token: token, EnteredAt: "2026-01-02T03:04:05.678Z"}
	if err := w.Park(w.t.Context(), p); err != nil {
		w.t.Fatal(err)
	}
}

func TestAParkedTurnWaitsForItsPerson(t *testing.T) {
	w := parked(t)
	w.park("t1")
	w.wake()
	if len(w.m.answered) != 0 || len(w.tokens.kept) != 1 {
		t.Fatalf("answered %v", w.m.answered)
	}
	w.append(event.ApprovalResolved{Index: 0, Decision: event.Happened})
	w.wake()
	w.wake()
	if len(w.m.answered) != 1 || w.m.answered[0] != "t1" || len(w.tokens.kept) != 0 {
		t.Errorf("answered %v, kept %v", w.m.answered, w.tokens.kept)
	}
}

// A session's summary says whether a turn of it can have been parked; most never are, and
// a wake there reads the log alone.
func TestTokensAreLookedForWhereACallHasWaited(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	w.append(event.OperationStarted{}, event.ModelStarted{Attempt: 1})
	w.tokens.err = errors.New("the tokens are out of reach")
	w.wake()
	w = parked(t)
	w.tokens.err = errors.New("the tokens are out of reach")
	if err := w.Wake(t.Context(), stream); !errors.Is(err, w.tokens.err) {
		t.Errorf("where a call waits: %v", err)
	}
	w.append(event.OperationCancelled{})
	if err := w.Wake(t.Context(), stream); !errors.Is(err, w.tokens.err) {
		t.Errorf("after its settlement: %v", err)
	}
}

// What an older build wrote does not say that a turn may be parked; its token does.
func TestRecoverAnswersATokenThatNoSummaryTellsOf(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	if err := w.tokens.Keep(t.Context(), execution.Parking{Turn: execution.Turn{Tenant: "acme", Session: "s", Operation: "a", Generation: 1}, Token: "t1"}); err != nil {
		t.Fatal(err)
	}
	w.wake()
	if len(w.m.answered) != 0 {
		t.Errorf("dispatch answered %v", w.m.answered)
	}
	if err := w.Recover(t.Context(), events.EventBridgeEvent{DetailType: "Scheduled Event"}); err != nil || len(w.m.answered) != 1 || len(w.tokens.kept) != 0 {
		t.Errorf("recover answered %v and left %v, %v", w.m.answered, w.tokens.kept, err)
	}
}

// A call that stands in line behind one that a person is asked about keeps nobody busy:
// the driver knows that it waits, and a commit's summary does not.
func TestATurnIsParkedWhileCallsStandInLine(t *testing.T) {
	w := newWorld(t)
	w.submit(stream, "a")
	call := func(i int) event.ModelItem {
		return event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: i, Name: "write", Arguments: event.Text("{}")}}
	}
	w.append(event.OperationStarted{}, event.ModelStarted{Attempt: 1}, event.ModelCompleted{Attempt: 1, Items: []event.ModelItem{call(0), call(1)}},
		event.ApprovalRequested{Index: 0, Reason: event.ReasonPolicy})
	_, at, err := w.Journal.Head(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	p := execution.Parking{Turn: execution.Turn{Tenant: "acme", Session: "s", Operation: "a", Generation: 1}, Token: "t1", Seq: at.Seq(), EnteredAt: "2026-01-02T03:04:05.678Z"}
	if err := w.Park(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	w.wake()
	if len(w.m.answered) != 0 || len(w.tokens.kept) != 1 {
		t.Fatalf("answered %v", w.m.answered)
	}
	w.append(event.ApprovalResolved{Index: 0, Decision: event.Approve})
	w.wake()
	if len(w.m.answered) != 1 || len(w.tokens.kept) != 0 {
		t.Errorf("answered %v, kept %v", w.m.answered, w.tokens.kept)
	}
}

// Whoever resolves appends first and reads tokens second, so a park that comes after
// the answer finds it by itself.
func TestAParkThatComesTooLateAnswersItself(t *testing.T) {
	w := parked(t)
	w.append(event.ApprovalResolved{Index: 0, Decision: event.DidNotHappen})
	w.wake() // there is no token yet
	w.park("t1")
	if len(w.m.answered) != 1 {
		t.Errorf("answered %v", w.m.answered)
	}
}

func TestTheTokenOfASettledOperationIsAnswered(t *testing.T) {
	w := parked(t)
	w.park("t1")
	session, err := fold.Open(t.Context(), w.Journal, stream)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Journal.Append(t.Context(), session.At, index.Draft(stream, &session.State, "", turn.Cancel(&session.State, "a", now))); err != nil {
		t.Fatal(err)
	}
	if err := w.Recover(t.Context(), everyMinute); err != nil { // nothing is unsettled
		t.Fatal(err)
	}
	if len(w.m.answered) != 1 {
		t.Errorf("answered %v", w.m.answered)
	}
}

func TestATokenNobodyWaitsOnHasBeenAnswered(t *testing.T) {
	for _, err := range []error{&types.TaskTimedOut{}, &types.TaskDoesNotExist{}} {
		w := parked(t)
		w.park("t1")
		w.append(event.ApprovalResolved{Index: 0, Decision: event.Happened})
		w.m.tokenErr = err
		w.wake()
		if len(w.tokens.kept) != 0 {
			t.Errorf("%T: it is kept", err)
		}
	}
	w := parked(t)
	w.park("t1")
	w.append(event.ApprovalResolved{Index: 0, Decision: event.Happened})
	w.m.tokenErr = errors.New("out of reach")
	if err := w.Wake(t.Context(), stream); err == nil || len(w.tokens.kept) != 1 {
		t.Errorf("%v, kept %v", err, w.tokens.kept)
	}
}

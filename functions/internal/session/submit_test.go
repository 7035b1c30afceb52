package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/execution"
	"windlass/functions/internal/fault"
	"windlass/functions/internal/session"
	"windlass/functions/internal/trace"
	"windlass/functions/internal/turn"
)

func TestReceiptsSayWhereToReadFromAndOnlyTheHeadIsStarted(t *testing.T) {
	w := newWorld(t)
	got := []session.Receipt{w.submit("a", "one"), w.submit("b", "two")}
	want := []session.Receipt{
		{OperationID: "a", SessionID: "s", StreamID: "id-1", Accepted: true, Status: "queued", TraceID: trace.Begin(trace.Context{}, "id-1", "a").TraceID, After: 1}, // behind session.opened
		{OperationID: "b", SessionID: "s", StreamID: "id-1", Accepted: true, Status: "queued", TraceID: trace.Begin(trace.Context{}, "id-1", "b").TraceID, After: 2},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("receipts (-want +got):\n%s", d)
	}
	for _, r := range got {
		if o, err := w.Operation(t.Context(), stream, r.OperationID); err != nil || o.FirstSeq != r.After+1 {
			t.Errorf("operation %s begins at %d, %v; its receipt says after %d", r.OperationID, o.FirstSeq, err, r.After)
		}
	}
	if d := cmp.Diff([]execution.Turn{{Tenant: "acme", Session: "s", Operation: "a", Generation: 1}}, w.turns.started); d != "" {
		t.Errorf("started (-want +got):\n%s", d)
	}
}

func TestAnIDIsMadeWhereNoneIsGiven(t *testing.T) {
	w := newWorld(t)
	a, b := w.submit("", "one"), w.submit("", "one")
	if a.OperationID == "" || a.OperationID == b.OperationID || !a.Accepted || !b.Accepted {
		t.Errorf("%+v and %+v: want two operations with ids of their own", a, b)
	}
}

func TestRepeatedSubmissionReturnsTheOperationAndMakesGoodItsStart(t *testing.T) {
	w := newWorld(t)
	first := w.submit("a", "one")
	want := first
	want.Accepted = false
	for i, step := range []struct {
		status string
		do     func()
		woken  int
	}{
		{"queued", func() {}, 1},
		{"running", w.start, 2},
		{"completed", func() { w.complete("done") }, 2}, // nothing is left to wake
	} {
		step.do()
		want.Status = step.status
		if d := cmp.Diff(want, w.submit("a", "one")); d != "" {
			t.Errorf("%s: receipt (-want +got):\n%s", step.status, d)
		}
		if w.turns.woken != step.woken {
			t.Errorf("step %d (%s): woken %d times, want %d", i, step.status, w.turns.woken, step.woken)
		}
	}
	if n := len(w.accepted()); n != 1 {
		t.Errorf("%d operations were accepted, want 1", n)
	}
}

func TestAnotherPromptOrAgentUnderOneIDIsAMismatch(t *testing.T) {
	long := strings.Repeat("p", 5000)
	for name, c := range map[string]struct{ first, other session.Submission }{
		"prompt":                    {session.Submission{Prompt: "one"}, session.Submission{Prompt: "two"}},
		"one space":                 {session.Submission{Prompt: "one"}, session.Submission{Prompt: "one "}},
		"prompt, after its preview": {session.Submission{Prompt: long + "a"}, session.Submission{Prompt: long + "b"}},
		"prompt, longer":            {session.Submission{Prompt: long}, session.Submission{Prompt: long + "p"}},
		"agent":                     {session.Submission{Prompt: "p", Agent: "demo"}, session.Submission{Prompt: "p", Agent: "other"}},
		"agent, named only once":    {session.Submission{Prompt: "p"}, session.Submission{Prompt: "p", Agent: "demo"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			c.first.OperationID, c.other.OperationID = "a", "a"
			if _, err := w.Submit(t.Context(), stream, c.first); err != nil {
				t.Fatal(err)
			}
			for _, then := range []func(){func() {}, w.start, func() { w.complete("done") }} { // queued, running, completed
				then()
				if code := w.code(c.other); code != fault.OperationMismatch {
					t.Errorf("the other one: %s, want %s", code, fault.OperationMismatch)
				}
				if r, err := w.Submit(t.Context(), stream, c.first); err != nil || r.Accepted {
					t.Errorf("the first one again: %+v, %v; want its receipt", r, err)
				}
			}
		})
	}
}

func TestBlankPromptsAreRefused(t *testing.T) {
	w := newWorld(t)
	blank := []string{"", " \t\r\n"}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsSpace(r) {
			blank = append(blank, string(r), " "+string(r)+"\n")
		}
	}
	for _, p := range blank {
		if code := w.code(session.Submission{Prompt: p}); code != fault.EmptyPrompt {
			t.Errorf("%q: %s, want %s", p, code, fault.EmptyPrompt)
		}
	}
	for _, p := range []string{"\x00", "\u200b", ".", " \u3000x"} {
		w.submit("", p) // not blank
	}
}

func TestSubmissionsThatCannotBeAccepted(t *testing.T) {
	for name, c := range map[string]struct {
		sub  session.Submission
		want fault.Code
	}{
		"an id with a slash":      {session.Submission{Prompt: "p", OperationID: "a/b"}, fault.InvalidRequest},
		"an id with a hash":       {session.Submission{Prompt: "p", OperationID: "a#b"}, fault.InvalidRequest},
		"the id .":                {session.Submission{Prompt: "p", OperationID: "."}, fault.InvalidRequest},
		"the id ..":               {session.Submission{Prompt: "p", OperationID: ".."}, fault.InvalidRequest},
		"an id with a space":      {session.Submission{Prompt: "p", OperationID: "a b"}, fault.InvalidRequest},
		"an id beyond ASCII":      {session.Submission{Prompt: "p", OperationID: "é"}, fault.InvalidRequest},
		"an id of 129 bytes":      {session.Submission{Prompt: "p", OperationID: strings.Repeat("a", 129)}, fault.InvalidRequest},
		"an agent nobody knows":   {session.Submission{Prompt: "p", Agent: "nobody"}, fault.UnknownAgent},
		"a prompt over the bound": {session.Submission{Prompt: strings.Repeat("p", session.MaxPrompt+1)}, fault.TooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if code := w.code(c.sub); code != c.want {
				t.Errorf("%s, want %s", code, c.want)
			}
			if n := len(w.events()); n != 0 {
				t.Errorf("%d events were stored, want none", n)
			}
		})
	}
	w := newWorld(t)
	for _, id := range []string{"a", "A-Z.a_z:0", "...", strings.Repeat("a", 128)} {
		w.submit(id, "p")
	}
	w.submit("long", strings.Repeat("p", session.MaxPrompt))
}

func TestAStartThatFailsDoesNotFailTheSubmission(t *testing.T) {
	w := newWorld(t)
	w.turns.err = errors.New("Step Functions is out of reach")
	if r := w.submit("a", "one"); !r.Accepted {
		t.Errorf("first: %+v, want it accepted", r)
	}
	if r := w.submit("a", "one"); r.Accepted {
		t.Errorf("again: %+v, want the receipt of the first", r)
	}
	if w.turns.woken != 1 {
		t.Errorf("woken %d times, want once, by the repetition", w.turns.woken)
	}
}

func TestTheSessionsFirstAgentIsItsDefault(t *testing.T) {
	w := newWorld(t)
	for _, sub := range []session.Submission{{Prompt: "1", Agent: "other"}, {Prompt: "2"}, {Prompt: "3", Agent: "demo"}, {Prompt: "4"}} {
		if _, err := w.Submit(t.Context(), stream, sub); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, e := range w.events() {
		if a, ok := e.Data.(event.OperationAccepted); ok {
			got = append(got, a.Agent.Name)
		}
	}
	if want := []string{"other", "other", "demo", "other"}; !slices.Equal(got, want) {
		t.Errorf("agents %v, want %v", got, want)
	}
}

// A client that repeats its request after a deploy must learn that the operation
// exists, not that it could not be accepted today.
func TestAnAgentThatIsNotDeployedAnyMore(t *testing.T) {
	for _, name := range []string{"", "other"} {
		w := newWorld(t)
		w.Agents = catalog(t, "other", "demo")
		first := session.Submission{OperationID: "a", Prompt: "one", Agent: name}
		if _, err := w.Submit(t.Context(), stream, first); err != nil {
			t.Fatal(err)
		}
		w.Agents = catalog(t, "demo")
		if r, err := w.Submit(t.Context(), stream, first); err != nil || r.Accepted {
			t.Errorf("agent %q, again: %+v, %v; want the receipt", name, r, err)
		}
		if code := w.code(session.Submission{OperationID: "a", Prompt: "two", Agent: name}); code != fault.OperationMismatch {
			t.Errorf("agent %q, another prompt: %s, want %s", name, code, fault.OperationMismatch)
		}
		if code := w.code(session.Submission{OperationID: "b", Prompt: "two", Agent: name}); code != fault.UnknownAgent {
			t.Errorf("agent %q, another operation: %s, want %s", name, code, fault.UnknownAgent)
		}
		if _, err := w.Submit(t.Context(), stream, session.Submission{Prompt: "two", Agent: "demo"}); err != nil {
			t.Errorf("an agent that is deployed: %v", err)
		}
	}
}

func TestACompletedOperationShowsItsOutputAndAFailedOneItsError(t *testing.T) {
	w := newWorld(t)
	w.submit("a", "one")
	w.submit("b", "two")
	w.start()
	w.complete("done")
	w.start()
	w.append(event.OperationFailed{Error: event.Error{Code: "max_rounds", Message: "too many"}})
	a, errA := w.Operation(t.Context(), stream, "a")
	b, errB := w.Operation(t.Context(), stream, "b")
	if errA != nil || a.Status != "completed" || a.Output == nil || a.Output.Inline() != "done" || a.Error != nil {
		t.Errorf("a: %+v, %v", a, errA)
	}
	if errB != nil || b.Status != "failed" || b.Output != nil || b.Error == nil || b.Error.Code != "max_rounds" {
		t.Errorf("b: %+v, %v", b, errB)
	}
	if s := turn.Fold(w.events()); s.Head() != nil {
		t.Errorf("%s is still in the queue", s.Head().ID)
	}
}

package transcript_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/transcript"
)

// fold applies payloads of one operation, "op".
func fold(payloads ...event.Payload) *transcript.Transcript {
	t := &transcript.Transcript{}
	for _, p := range payloads {
		t.Apply(event.Event{Operation: "op", Data: p})
	}
	return t
}

func accepted(prompt string) event.Payload {
	return event.OperationAccepted{Prompt: event.Text(prompt)}
}

// answered is a model's answer: "text", "(reasoning)" and "call!" items.
func answered(items ...string) event.ModelCompleted {
	var m event.ModelCompleted
	calls := 0
	for _, s := range items {
		v := event.Text(strings.Trim(s, "()!"))
		switch {
		case strings.HasPrefix(s, "("):
			m.Items = append(m.Items, event.ModelItem{Kind: event.ItemReasoning, Text: &v})
		case strings.HasSuffix(s, "!"):
			m.Items = append(m.Items, event.ModelItem{Kind: event.ItemToolCall, Call: &event.ToolCall{Index: calls, CallID: "call-0", Name: v.Inline()}})
			calls++
		default:
			m.Items = append(m.Items, event.ModelItem{Kind: event.ItemText, Text: &v})
		}
	}
	return m
}

func done(index int, output string) event.Payload {
	return event.ToolCompleted{Index: index, CallID: "call-0", Output: event.Text(output)}
}

// show writes items in one line each.
func show(items []transcript.Item) (lines []string) {
	for _, it := range items {
		switch it.Kind {
		case transcript.ToolCall:
			lines = append(lines, "call "+it.Call.Name)
		case transcript.ToolResult:
			line := fmt.Sprintf("result of %s: %s", it.Call.Name, it.Output.Inline())
			if it.Error != nil {
				line += it.Error.Code
			}
			lines = append(lines, line)
		default:
			lines = append(lines, string(it.Kind)+" "+it.Text.Inline())
		}
	}
	return lines
}

func want(t *testing.T, got *transcript.Transcript, lines ...string) {
	t.Helper()
	if d := cmp.Diff(lines, show(got.Items)); d != "" {
		t.Errorf("transcript (-want +got):\n%s", d)
	}
}

func TestResultsStandInTheModelsOrderHoweverTheyWereAppended(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		x := fold(accepted("p"), event.OperationStarted{}, answered("(hm)", "a!", "so", "b!", "c!"))
		for _, i := range order {
			x.Apply(event.Event{Operation: "op", Data: done(i, fmt.Sprint(i))})
		}
		want(t, x, "user p", "reasoning hm", "call a", "text so", "call b", "call c", "result of a: 0", "result of b: 1", "result of c: 2")
	}
}

func TestAnIncompleteBatchIsNotShown(t *testing.T) {
	x := fold(accepted("p"), event.OperationStarted{}, answered("a!", "b!"), done(1, "one"))
	want(t, x, "user p", "call a", "call b")
	x.Apply(event.Event{Data: done(0, "zero")})
	want(t, x, "user p", "call a", "call b", "result of a: zero", "result of b: one")
}

func TestACallHasOneResultWhateverIsAppended(t *testing.T) {
	x := fold(accepted("p"), event.OperationStarted{}, answered("a!", "b!"),
		done(0, "first"), done(0, "again"), done(-1, "x"), done(2, "x"), event.ToolFailed{Index: 1, Error: event.Error{Code: "not_found"}}, done(1, "late"), done(0, "late"))
	want(t, x, "user p", "call a", "call b", "result of a: first", "result of b: not_found")
}

func TestProviderCallIDsMayRepeatBetweenRounds(t *testing.T) {
	x := fold(accepted("p"), event.OperationStarted{}, answered("a!"), done(0, "1"), answered("b!"), done(0, "2"), answered("bye"), event.OperationCompleted{})
	want(t, x, "user p", "call a", "result of a: 1", "call b", "result of b: 2", "text bye")
}

func TestAQueuedPromptIsInvisibleUntilItsOwnTurnStarts(t *testing.T) {
	x := &transcript.Transcript{}
	apply := func(op string, p event.Payload) { x.Apply(event.Event{Operation: op, Data: p}) }
	apply("a", accepted("first"))
	apply("a", event.OperationStarted{})
	apply("b", accepted("second"))
	apply("c", accepted("third"))
	apply("a", answered("t!"))
	want(t, x, "user first", "call t")
	apply("a", done(0, "1"))
	apply("a", answered("bye"))
	apply("a", event.OperationCompleted{})
	want(t, x, "user first", "call t", "result of t: 1", "text bye")
	apply("b", event.OperationFailed{}) // before it ever started: its prompt never joins
	apply("c", event.OperationStarted{})
	want(t, x, "user first", "call t", "result of t: 1", "text bye", "user third")
}

func TestAFailedTurnLeavesATranscriptThatTheNextOneCanUse(t *testing.T) {
	gone := event.Error{Code: "abandoned"}
	for name, end := range map[string][]event.Payload{
		"in its model call":  {event.ModelStarted{Attempt: 1}, event.ModelFailed{Attempt: 1}},
		"in its tool calls":  {answered("a!", "b!"), done(1, "1"), event.ToolFailed{Index: 0, Error: gone}},
		"after them all":     {answered("a!"), done(0, "1")},
		"after an attempt":   {event.ModelFailed{Attempt: 1}, event.ModelFailed{Attempt: 2}},
		"before it had said": {},
	} {
		x := fold(append([]event.Payload{accepted("p"), event.OperationStarted{}}, end...)...)
		x.Apply(event.Event{Operation: "op", Data: event.OperationFailed{Error: event.Error{Code: "step_poisoned"}}})
		if why := broken(x.Items); why != "" {
			t.Errorf("failed %s: %s:\n%s", name, why, strings.Join(show(x.Items), "\n"))
		}
		before := show(x.Items)
		x.Apply(event.Event{Operation: "next", Data: accepted("q")})
		x.Apply(event.Event{Operation: "next", Data: event.OperationStarted{}})
		want(t, x, append(before, "user q")...)
	}
}

func TestUnknownEventsChangeNothing(t *testing.T) {
	x := fold(accepted("p"), event.OperationStarted{}, event.Unknown{Name: "tool.unknown", Version: 1}, event.WorkspaceWritten{}, answered("bye"))
	want(t, x, "user p", "text bye")
}

// broken says which rule of every provider a transcript breaks: each call has
// one result, behind its batch and before anything else.
func broken(items []transcript.Item) string {
	var open []*event.ToolCall
	for i, it := range items {
		switch {
		case it.Kind == transcript.ToolCall:
			open = append(open, it.Call)
		case it.Kind == transcript.ToolResult && (len(open) == 0 || open[0] != it.Call):
			return fmt.Sprintf("item %d is the result of no open call", i)
		case it.Kind == transcript.ToolResult:
			open = open[1:]
		case it.Kind == transcript.User && len(open) > 0:
			return fmt.Sprintf("%d calls have no result before item %d", len(open), i)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("%d calls have no result", len(open))
	}
	return ""
}

func encode(t *testing.T, items []transcript.Item) string {
	t.Helper()
	var lines []string
	for _, it := range items {
		b, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b))
	}
	return strings.Join(slices.Concat(lines, []string{""}), "\n")
}

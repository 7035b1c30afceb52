package projection_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/projection"
	"windlass/functions/internal/transcript"
)

const self = "p/m"

var rules = projection.Rules{Origin: self, CallID: regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,64}$`)}

// numbered gives items their places.
func numbered(items ...projection.Item) []projection.Item {
	for i := range items {
		items[i].N = i + 1
	}
	return items
}

func said(kind transcript.Kind, text string) projection.Item {
	return projection.Item{Item: transcript.Item{Kind: kind, Origin: self}, Body: text}
}

func called(index int, id, name, arguments string) projection.Item {
	return projection.Item{Item: transcript.Item{Kind: transcript.ToolCall, Origin: self, Call: &event.ToolCall{Index: index, CallID: id, Name: name}}, Body: arguments}
}

func result(index int, output string) projection.Item {
	return projection.Item{Item: transcript.Item{Kind: transcript.ToolResult, Call: &event.ToolCall{Index: index}}, Body: output}
}

func failed(index int, code string) projection.Item {
	it := result(index, "")
	it.Error = &event.Error{Code: code, Message: "no"}
	return it
}

func project(t *testing.T, items ...projection.Item) ([]projection.Message, []event.Repair) {
	t.Helper()
	messages, repairs, err := projection.Project(numbered(items...), rules)
	if err != nil {
		t.Fatal(err)
	}
	return messages, repairs
}

// What a model wrote must never make every later request of its session fail.
func TestWhateverAModelWroteCanBeSentAgain(t *testing.T) {
	for arguments, want := range map[string]struct{ sent, told string }{
		`{"a":1}`:         {sent: `{"a":1}`},
		" {\"a\" :1} \n":  {sent: " {\"a\" :1} \n"},
		`{"{"a":`:         {`{}`, `{"{"a":`},
		``:                {`{}`, `(none)`},
		" \n":             {`{}`, `(none)`},
		`null`:            {`{}`, `null`},
		`[1]`:             {`{}`, `[1]`},
		`"{}"`:            {`{}`, `"{}"`},
		`{"a":1}{"a":2}`:  {`{}`, `{"a":1}{"a":2}`},
		`{"a":"x\ud83d"}`: {sent: `{"a":"x` + "\uFFFD" + `"}`},
		`{"a":"x\u0000"}`: {sent: `{"a":"x` + "\uFFFD" + `"}`},
		`{"a":"\uD83E\uDD80","b":12345678901234567890}`: {sent: `{"a":"🦀","b":12345678901234567890}`},
		"{\"a\":\"\x00\"}":                        {sent: "{\"a\":\"\uFFFD\"}"},
		"{\"a\":\"\xff\"}":                        {sent: "{\"a\":\"\uFFFD\"}"},
		`{"a":"` + strings.Repeat("é", 5000):      {`{}`, `{"a":"` + strings.Repeat("é", 1021)},
		strings.Repeat(`{"a":`, 20_000):           {`{}`, strings.Repeat(`{"a":`, 410)[:2048]},
		strings.Repeat(" ", 5000) + `{"a": true}`: {sent: strings.Repeat(" ", 5000) + `{"a": true}`},
	} {
		messages, repairs := project(t, said(transcript.User, "go"), called(0, "x", "f", arguments), failed(0, "invalid_arguments"))
		var output struct {
			Error     event.Error
			Arguments string
		}
		answer := messages[2].Parts[0].Result
		if err := json.Unmarshal([]byte(answer.Output), &output); err != nil {
			t.Fatal(err)
		}
		if got := messages[1].Parts[0].Call.Arguments; got != want.sent || output.Arguments != want.told || output.Error.Code != "invalid_arguments" || !answer.Failed {
			t.Errorf("%.40q: sent %.60q, told %.60q (%d), %+v; want %+.60q", arguments, got, output.Arguments, len(output.Arguments), output.Error, want)
		}
		if d := cmp.Diff(want.told != "", len(repairs) == 1 && repairs[0] == event.Repair{Kind: event.RepairArguments, Item: 2}); d != "" {
			t.Errorf("%.40q: repairs %v", arguments, repairs)
		}
	}
}

func TestACallsNameIsOneThatEveryProtocolTakes(t *testing.T) {
	for name, want := range map[string]string{"workspace_read": "workspace_read", "": "_", "a b.c/é": "a_b_c__", strings.Repeat("n", 300): strings.Repeat("n", 64), "functions.read:0": "functions_read_0"} {
		if messages, _ := project(t, said(transcript.User, "go"), called(0, "x", name, "{}")); messages[1].Parts[0].Call.Name != want {
			t.Errorf("%.20q is sent as %q, want %q", name, messages[1].Parts[0].Call.Name, want)
		}
	}
}

func TestCallIDsAreTheModelsOwnWhereTheyCanBe(t *testing.T) {
	ids := []string{"call_lGe2", "functions.read:0", "tooluse_a-b", "", "call_lGe2", "a b", "é", strings.Repeat("x", 64), strings.Repeat("x", 65), "c00000013", "c00000012", ""}
	want := []string{"call_lGe2", "functions.read:0", "tooluse_a-b", "c00000005", "c00000006", "c00000007", "c00000008", strings.Repeat("x", 64), "c00000010", "c00000013", "c00000012", "c00000014"}
	items := []projection.Item{said(transcript.User, "go")}
	for i, id := range ids {
		items = append(items, called(i, id, "f", "{}"))
	}
	foreign := called(len(ids), "call_theirs", "f", "{}")
	foreign.Origin = "another/model"
	messages, _ := project(t, append(items, foreign)...)
	for i, p := range messages[1].Parts {
		if w := append(want, "c00000015")[i]; p.Call.ID != w || messages[2].Parts[i].Result.CallID != w {
			t.Errorf("call %d has the id %q, its result %q, want %q", i, p.Call.ID, messages[2].Parts[i].Result.CallID, w)
		}
	}
}

// Providers cache what a request begins with.
func TestMessagesBeginWithThoseOfTheRoundBefore(t *testing.T) {
	items := []projection.Item{said(transcript.User, "go")}
	var before []projection.Message
	for round := range 128 {
		// The ids are the same in every round, twice in this one, or of no use.
		items = append(items, said(transcript.Text, fmt.Sprint("round ", round)),
			called(0, "call-0", "f", "{}"), called(1, "call-0", "g", `{"a`), called(2, "", "h", ""), called(3, fmt.Sprintf("c%08d", round), "i", "{}"))
		for i := range 4 {
			items = append(items, result(i, fmt.Sprint("output ", i)))
		}
		messages, _ := project(t, items...)
		if len(messages) != len(before)+2 && round > 0 {
			t.Fatalf("round %d has %d messages, the one before %d", round, len(messages), len(before))
		}
		for i := range before {
			if d := cmp.Diff(before[i], messages[i]); d != "" {
				t.Fatalf("round %d, message %d (-before +now):\n%s", round, i, d)
			}
		}
		before = messages
	}
	seen := map[string]bool{}
	for i, m := range before {
		for n, p := range m.Parts {
			if p.Call != nil && seen[p.Call.ID] {
				t.Errorf("the id %q is used twice", p.Call.ID)
			}
			if p.Call != nil {
				seen[p.Call.ID] = true
			}
			if r := p.Result; r != nil && (r.Output != fmt.Sprint("output ", n) || r.CallID != before[i-1].Parts[n+1].Call.ID) {
				t.Errorf("message %d: %q answers %q", i, r.Output, r.CallID)
			}
		}
	}
	if len(seen) != 4*128 {
		t.Errorf("%d calls", len(seen))
	}
}

func TestATranscriptThatNoModelReadsIsNotProjected(t *testing.T) {
	half := strings.Repeat("a", projection.MaxBytes/2)
	if _, _, err := projection.Project(numbered(said(transcript.User, half), said(transcript.User, half)), rules); err != nil {
		t.Error(err)
	}
	if _, _, err := projection.Project(numbered(said(transcript.User, half), said(transcript.User, half), said(transcript.User, "a")), rules); err != projection.ErrTooLong {
		t.Error(err)
	}
}

package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3/responses"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/transcript"
)

var update = flag.Bool("update", false, "write what is sent to testdata")

// request asks once and gives the body that was sent.
func request(t *testing.T, r model.Request) string {
	t.Helper()
	s := serve(t, streams(stream(completed)))
	if _, _, err := model.Ask(t.Context(), s.provider(t), r); err != nil {
		t.Fatal(err)
	}
	return s.asked[0]
}

func call(index int, id, name, arguments string) *event.ToolCall {
	return &event.ToolCall{Index: index, CallID: id, Name: name, Arguments: event.Text(arguments)}
}

// everything is a transcript with all kinds of items.
func everything() model.Request {
	first, second, odd := call(0, "call_a", "workspace_read", `{"path":"/a"}`), call(1, "call_b", "workspace_list", `{}`), call(0, "call_a", "what is this?", `{"{"a":`)
	return model.Request{
		Model: "gpt-test", Instructions: "Work on <files> & folders.",
		Tools: []model.Tool{
			{Name: "workspace_read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"at":{"type":"integer"}}}`)},
			{Name: "workspace_list", Schema: json.RawMessage(`{"type":"object"}`)},
			{Name: "time"},
		},
		Items: []transcript.Item{
			{Kind: transcript.User, Text: event.Text("read <a> & list")},
			{Kind: transcript.Reasoning, Text: event.Text("I should read it")},
			{Kind: transcript.Text, Text: event.Text("Let me look.")},
			{Kind: transcript.ToolCall, Call: first},
			{Kind: transcript.Text, Text: event.Text("")},
			{Kind: transcript.ToolCall, Call: second},
			{Kind: transcript.ToolResult, Call: first, Output: event.Text("a\x00b \xff 🦀")},
			{Kind: transcript.ToolResult, Call: second, Error: &event.Error{Code: "timeout", Message: "took <too> long"}},
			{Kind: transcript.ToolCall, Call: odd},
			{Kind: transcript.ToolResult, Call: odd, Error: &event.Error{Code: "unknown_tool", Message: "there is none"}},
			{Kind: transcript.Text, Text: event.Text("Done.")},
			{Kind: transcript.User, Text: event.Text("thanks")},
		},
	}
}

func TestRequestIsWhatItWas(t *testing.T) {
	const file = "testdata/request.json"
	body := request(t, everything())
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatal(err)
	}
	// One item a line; otherwise it is what was sent.
	got := strings.NewReplacer(`,"tools":[`, ",\n\"tools\":[\n", `,"input":[`, ",\n\"input\":[\n", `},{"type"`, "},\n{\"type\"").Replace(body) + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if d := cmp.Diff(string(want), got); err != nil || d != "" {
		t.Errorf("%v, request (-want +got):\n%s", err, d)
	}
}

// The body is written here and not by the SDK: its types are the check.
func TestRequestIsOneThatTheSDKKnows(t *testing.T) {
	var p responses.ResponseNewParams
	if err := json.Unmarshal([]byte(request(t, everything())), &p); err != nil {
		t.Fatal(err)
	}
	if p.Model != "gpt-test" || p.Store.Value || !p.Store.Valid() || !p.ParallelToolCalls.Value || p.Instructions.Value == "" {
		t.Errorf("%+v", p)
	}
	for _, x := range p.Tools {
		if f := x.OfFunction; f == nil || f.Name == "" || f.Parameters["properties"] == nil || f.Strict.Value {
			t.Errorf("tool %+v", x)
		}
	}
	var kinds []string
	for _, it := range p.Input.OfInputItemList {
		switch {
		case it.OfMessage != nil && it.OfMessage.Content.OfString.Valid():
			kinds = append(kinds, string(it.OfMessage.Role))
		case it.OfFunctionCall != nil && json.Valid([]byte(it.OfFunctionCall.Arguments)):
			kinds = append(kinds, "call "+it.OfFunctionCall.CallID)
		case it.OfFunctionCallOutput != nil && it.OfFunctionCallOutput.Output.OfString.Valid():
			kinds = append(kinds, "output "+it.OfFunctionCallOutput.CallID.Value)
		default:
			t.Errorf("an item the SDK does not know: %+v", it)
		}
	}
	want := []string{"user", "assistant", "call call_a", "call call_b", "output call_a", "output call_b", "call call_2_0", "output call_2_0", "assistant", "user"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

// Providers cache what a request begins with.
func TestEachRequestBeginsWithTheOneBeforeIn128Rounds(t *testing.T) {
	s := serve(t, streams(stream(completed)))
	p := s.provider(t)
	log := &transcript.Transcript{}
	apply := func(e event.Payload) { log.Apply(event.Event{Operation: "op", Data: e}) }
	apply(event.OperationAccepted{Prompt: event.Text("go")})
	apply(event.OperationStarted{})
	for round := range 128 {
		r := everything()
		r.Items = log.Items
		if _, _, err := model.Ask(t.Context(), p, r); err != nil {
			t.Fatal(err)
		}
		// The ids are the same in every round, twice in this one, or of no use.
		said := event.Text(fmt.Sprint("round ", round))
		apply(event.ModelCompleted{Items: []event.ModelItem{
			{Kind: event.ItemReasoning, Text: &said}, {Kind: event.ItemText, Text: &said},
			{Kind: event.ItemToolCall, Call: call(0, "call-0", "f", "{}")}, {Kind: event.ItemToolCall, Call: call(1, "call-0", "g", `{"a`)},
			{Kind: event.ItemToolCall, Call: call(2, "", "h", "")}, {Kind: event.ItemToolCall, Call: call(3, fmt.Sprintf("call_%d_0", round), "i", "{}")},
		}})
		for i := range 4 {
			apply(event.ToolCompleted{Index: 3 - i, Output: event.Text(fmt.Sprint("output ", round, " ", 3-i))})
		}
	}
	for i := 1; i < len(s.asked); i++ {
		if before := strings.TrimSuffix(s.asked[i-1], "]}"); !strings.HasPrefix(s.asked[i], before) || before == s.asked[i-1] {
			t.Fatalf("request %d does not begin with the one before", i)
		}
	}
	answered(t, s.asked[127], 127*4)
}

// answered checks that every call of a request has an id of its own, and its own
// result.
func answered(t *testing.T, body string, want int) {
	t.Helper()
	var r struct {
		Input []struct {
			Type, Output, Name string
			CallID             string `json:"call_id"`
		}
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	open, seen := map[string]string{}, map[string]bool{}
	for _, it := range r.Input {
		switch it.Type {
		case "function_call":
			if seen[it.CallID] || it.CallID == "" || len(it.CallID) > 64 {
				t.Errorf("the id %q is used twice, or none", it.CallID)
			}
			open[it.CallID], seen[it.CallID] = it.Name, true
		case "function_call_output":
			if name := open[it.CallID]; name != string("fghi"[it.Output[len(it.Output)-1]-'0']) {
				t.Errorf("%q answers %q", it.Output, name)
			}
			delete(open, it.CallID)
		}
	}
	if len(open) > 0 || len(seen) != want {
		t.Errorf("%d calls, want %d; %d without result", len(seen), want, len(open))
	}
}

// What a model wrote must never make every later request of its session fail.
func TestWhateverAModelWroteCanBeSentAgain(t *testing.T) {
	for arguments, want := range map[string]struct{ arguments, told string }{
		`{"a":1}`:         {arguments: `{"a":1}`},
		" {\"a\" :1} \n":  {arguments: " {\"a\" :1} \n"},
		`{"{"a":`:         {`{}`, `{"{"a":`},
		``:                {`{}`, `(none)`},
		`null`:            {`{}`, `null`},
		`[1]`:             {`{}`, `[1]`},
		`"{}"`:            {`{}`, `"{}"`},
		`{"a":1}{"a":2}`:  {`{}`, `{"a":1}{"a":2}`},
		`{"a":"x\ud83d"}`: {arguments: `{"a":"x` + "\uFFFD" + `"}`},
		`{"a":"\uD83E\uDD80","b":12345678901234567890}`: {arguments: `{"a":"🦀","b":12345678901234567890}`},
		"{\"a\":\"\x00\"}":                        {`{}`, "{\"a\":\"\x00\"}"}, // no JSON; cleaned below
		"{\"a\":\"\xff\"}":                        {arguments: "{\"a\":\"\uFFFD\"}"},
		`{"a":"` + strings.Repeat("é", 5000):      {`{}`, `{"a":"` + strings.Repeat("é", 1021)},
		strings.Repeat(`{"a":`, 20_000):           {`{}`, strings.Repeat(`{"a":`, 410)[:2048]},
		strings.Repeat(" ", 5000) + `{"a": true}`: {arguments: strings.Repeat(" ", 5000) + `{"a": true}`},
	} {
		c := call(0, "x", "f", arguments)
		body := request(t, model.Request{Items: append(hello[:1:1], transcript.Item{Kind: transcript.ToolCall, Call: c},
			transcript.Item{Kind: transcript.ToolResult, Call: c, Error: &event.Error{Code: "invalid_arguments", Message: "no"}})})
		var sent struct {
			Input []struct{ Arguments, Output string }
		}
		var output struct {
			Error     event.Error
			Arguments string
		}
		if err := errors.Join(json.Unmarshal([]byte(body), &sent), json.Unmarshal([]byte(sent.Input[2].Output), &output)); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(arguments, "\x00") { // is valid once it is cleaned
			want.arguments, want.told = "{\"a\":\"\uFFFD\"}", ""
		}
		if got := sent.Input[1].Arguments; got != want.arguments || output.Arguments != want.told || output.Error.Code != "invalid_arguments" {
			t.Errorf("%.40q: sent %.60q, told %.60q (%d), %+v; want %+.60q", arguments, got, output.Arguments, len(output.Arguments), output.Error, want)
		}
	}
	for name, want := range map[string]string{"workspace_read": "workspace_read", "": "_", "a b.c/é": "a_b_c__", strings.Repeat("n", 300): strings.Repeat("n", 64), "functions.read:0": "functions_read_0"} {
		if body := request(t, model.Request{Items: []transcript.Item{{Kind: transcript.ToolCall, Call: call(0, "x", name, "{}")}}}); !strings.Contains(body, `"name":"`+want+`"`) {
			t.Errorf("the name %.20q is sent in %.200s, want %s", name, body, want)
		}
	}
}

func TestCallIDsAreTheProvidersWhereTheyCanBe(t *testing.T) {
	var items []transcript.Item
	for i, id := range []string{"call_lGe2", "functions.read:0", "tooluse_a-b", "", "call_lGe2", "a b", "é", strings.Repeat("x", 64), strings.Repeat("x", 65), "call_1_12", "call_1_11", "call_1_12", "call_1_12"} {
		items = append(items, transcript.Item{Kind: transcript.ToolCall, Call: call(i, id, "f", "{}")})
	}
	var sent struct {
		Input []struct {
			CallID string `json:"call_id"`
		}
	}
	if err := json.Unmarshal([]byte(request(t, model.Request{Items: items})), &sent); err != nil {
		t.Fatal(err)
	}
	want := []string{"call_lGe2", "functions.read:0", "tooluse_a-b", "call_1_3", "call_1_4", "call_1_5", "call_1_6", strings.Repeat("x", 64), "call_1_8", "call_1_12", "call_1_11", "call_1_11_", "call_1_12_"}
	for i, it := range sent.Input {
		if it.CallID != want[i] {
			t.Errorf("call %d has the id %q, want %q", i, it.CallID, want[i])
		}
	}
}

func TestLargeValuesAreFetched(t *testing.T) {
	blobs := map[string]string{"p": "a large prompt", "a": `{"path":"/large"}`, "o": "a large output"}
	large := func(name string) event.Value {
		return event.ByRef(event.Ref{SHA256: name, Bytes: int64(len(blobs[name]))})
	}
	c := &event.ToolCall{CallID: "x", Name: "f", Arguments: large("a")}
	r := model.Request{
		Items: []transcript.Item{{Kind: transcript.User, Text: large("p")}, {Kind: transcript.Reasoning, Text: large("never")}, {Kind: transcript.ToolCall, Call: c}, {Kind: transcript.ToolResult, Call: c, Output: large("o")}},
		Load: func(_ context.Context, v event.Value) (string, error) {
			ref, _ := v.Ref()
			if s, ok := blobs[ref.SHA256]; ok {
				return s, nil
			}
			return "", errors.New("secret: no such blob")
		},
	}
	body := request(t, r)
	for _, want := range []string{`"content":"a large prompt"`, `"arguments":"{\"path\":\"/large\"}"`, `"output":"a large output"`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
	s := serve(t, streams(stream(completed)))
	delete(blobs, "o")
	_, _, err := model.Ask(t.Context(), s.provider(t), r)
	if f := fault(t, err); f.Code != "unavailable" || f.Permanent || strings.Contains(f.Message, "secret") || len(s.asked) > 0 {
		t.Errorf("%+v, asked %d times", f, len(s.asked))
	}
}

func TestARequestThatNoModelReadsIsNotSent(t *testing.T) {
	s := serve(t, streams(stream(completed)))
	huge := event.ByRef(event.Ref{SHA256: "x", Bytes: 33 << 20})
	for name, r := range map[string]model.Request{
		"a value of 33 MiB":  {Items: []transcript.Item{{Kind: transcript.User, Text: huge}}, Load: func(context.Context, event.Value) (string, error) { t.Error("it was fetched"); return "", nil }},
		"33 MiB of escapes":  {Items: []transcript.Item{{Kind: transcript.User, Text: event.Text(strings.Repeat("\"", 17<<20))}}},
		"a broken schema":    {Items: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`{`)}}},
		"a schema of a list": {Items: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`[]`)}}},
		"a lonely result":    {Items: []transcript.Item{{Kind: transcript.ToolResult, Call: call(0, "x", "f", "{}")}}},
	} {
		_, _, err := model.Ask(t.Context(), s.provider(t), r)
		want := "model_error"
		if strings.Contains(name, "MiB") {
			want = "context_overflow"
		}
		if f := fault(t, err); f.Code != want || !f.Permanent || len(s.asked) > 0 {
			t.Errorf("%s: %+v, asked %d times", name, f, len(s.asked))
		}
	}
}

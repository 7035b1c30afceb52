package openai_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3/responses"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
	"windlass/tests/providers"
)

var update = flag.Bool("update", false, "write what is sent to testdata")

// request asks once and gives the body that was sent; it keeps the API's rules.
func request(t *testing.T, r model.Request) string {
	t.Helper()
	s := serve(t, streams(stream(completed)))
	if _, _, err := model.Ask(t.Context(), s.provider(t), r, nil); err != nil {
		t.Fatal(err)
	}
	return s.asked[0]
}

func user(parts ...projection.Part) projection.Message {
	return projection.Message{Role: projection.User, Parts: parts}
}

func assistant(parts ...projection.Part) projection.Message {
	return projection.Message{Role: projection.Assistant, Parts: parts}
}

func text(s string) projection.Part   { return projection.Part{Text: s} }
func native(s string) projection.Part { return projection.Part{Native: s} }

func called(id, name, arguments string) projection.Part {
	return projection.Part{Call: &projection.Call{ID: id, Name: name, Arguments: arguments}}
}

func result(id, output string) projection.Part {
	return projection.Part{Result: &projection.Result{CallID: id, Output: output}}
}

func file(name, kind, data string) projection.Part {
	return projection.Part{File: &projection.File{Name: name, Type: kind, Data: data}}
}

const (
	sealedItem = `{"type":"reasoning","summary":[{"type":"summary_text","text":"I should <read> it"}],"encrypted_content":"gAAA+b/c=="}`
	phasedItem = `{"type":"message","role":"assistant","content":"Let me <look>.","phase":"commentary"}`
)

// everything is a request with all kinds of messages.
func everything() model.Request {
	return model.Request{
		Model: "gpt-test", Instructions: "Work on <files> & folders.\x00", Effort: model.EffortHigh, MaxOutputTokens: 5000, CacheKey: "5f2b0c4e",
		Tools: []model.Tool{
			{Name: "workspace_read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"at":{"type":"integer"}}}`)},
			{Name: "workspace_list", Schema: json.RawMessage(`{"type":"object"}`)},
			{Name: "time"},
		},
		Messages: []projection.Message{
			user(text("read <a> & list")),
			assistant(native(sealedItem), native(phasedItem), called("call_a", "workspace_read", `{"path":"/a"}`), called("call_b", "workspace_list", `{}`)),
			user(result("call_a", "a\uFFFDb 🦀"), result("call_b", `{"error":{"code":"timeout","message":"took <too> long"}}`), text("and this"), file("a.png", "image/png", "\x89PNG"), file("b.pdf", "application/pdf", "%PDF")),
			assistant(text("Done."), native(sealedItem)),
			user(file("c.webp", "image/webp", "RIFF")),
			assistant(native(sealedItem)),
			user(text("thanks"), text("and go on")),
		},
	}
}

func TestRequestIsWhatItWas(t *testing.T) {
	const file = "testdata/request.json"
	body := request(t, everything())
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

// The body is written here and not by the SDK: its types are the check, and the
// protocol's own rules.
func TestRequestIsOneThatTheAPIKnows(t *testing.T) {
	s := serve(t, streams(stream(completed)))
	if _, _, err := model.Ask(t.Context(), s.provider(t), everything(), nil); err != nil {
		t.Fatal(err)
	}
	body := s.asked[0]
	r := responsesRequest(t, s.headers[0], body)
	if err := providers.Responses.Check(r, []byte(body)); err != nil {
		t.Error(err)
	}
	var p responses.ResponseNewParams
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		t.Fatal(err)
	}
	if p.Model != "gpt-test" || p.Store.Value || !p.Store.Valid() || !p.ParallelToolCalls.Value || p.Instructions.Value != "Work on <files> & folders.\uFFFD" ||
		p.MaxOutputTokens.Value != 5000 || p.PromptCacheKey.Value != "5f2b0c4e" || p.Reasoning.Effort != "high" || p.Reasoning.Summary != "auto" || len(p.Include) != 1 {
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
		case it.OfMessage != nil:
			kinds = append(kinds, string(it.OfMessage.Role)+string(it.OfMessage.Phase))
		case it.OfFunctionCall != nil && json.Valid([]byte(it.OfFunctionCall.Arguments)):
			kinds = append(kinds, "call "+it.OfFunctionCall.CallID)
		case it.OfFunctionCallOutput != nil && it.OfFunctionCallOutput.Output.OfString.Valid():
			kinds = append(kinds, "output "+it.OfFunctionCallOutput.CallID.Value)
		case it.OfReasoning != nil:
			kinds = append(kinds, "reasoning "+it.OfReasoning.EncryptedContent.Value)
		default:
			t.Errorf("an item the SDK does not know: %+v", it)
		}
	}
	want := []string{"user", "reasoning gAAA+b/c==", "assistantcommentary", "call call_a", "call call_b", "output call_a", "output call_b", "user", "assistant", "user", "user"}
	if d := cmp.Diff(want, kinds); d != "" {
		t.Errorf("items (-want +got):\n%s", d)
	}
}

// A model that does not reason refuses the words of it.
func TestReasoningIsAskedForWhereItIsWanted(t *testing.T) {
	for effort, want := range map[string]string{
		"":                 `"store":false,"input"`,
		model.EffortNone:   `"reasoning":{"effort":"none"},"input"`,
		model.EffortLow:    `"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"],"input"`,
		model.EffortMedium: `"reasoning":{"effort":"medium","summary":"auto"},"include":["reasoning.encrypted_content"],"input"`,
	} {
		if body := request(t, model.Request{Messages: hello, Effort: effort}); !strings.Contains(body, want) {
			t.Errorf("%q: %s", effort, body)
		}
	}
}

func TestARequestThatNoModelReadsIsNotSent(t *testing.T) {
	s := serve(t, streams(stream(completed)))
	for name, r := range map[string]model.Request{
		"49 MiB of escapes":  {Messages: []projection.Message{user(text(strings.Repeat("\"", 25<<20)))}},
		"37 MiB of a file":   {Messages: []projection.Message{user(file("a", "image/png", strings.Repeat("a", 37<<20)))}},
		"a broken schema":    {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`{`)}}},
		"a schema of a list": {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`[]`)}}},
	} {
		_, _, err := model.Ask(t.Context(), s.provider(t), r, nil)
		want := model.Invalid
		if strings.Contains(name, "MiB") {
			want = model.Overflow
		}
		if f := fault(t, err); f.Code != want || !f.Permanent || len(s.asked) > 0 {
			t.Errorf("%s: %+v, asked %d times", name, f, len(s.asked))
		}
	}
}

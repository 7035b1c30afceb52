package chat_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

var update = flag.Bool("update", false, "write the golden files anew")

func user(parts ...projection.Part) projection.Message {
	return projection.Message{Role: projection.User, Parts: parts}
}

func assistant(parts ...projection.Part) projection.Message {
	return projection.Message{Role: projection.Assistant, Parts: parts}
}

func text(s string) projection.Part   { return projection.Part{Text: s} }
func native(s string) projection.Part { return projection.Part{Native: s} }

func called(id, name, arguments, native string) projection.Part {
	return projection.Part{Call: &projection.Call{ID: id, Name: name, Arguments: arguments, Native: native}}
}

func result(id, output string) projection.Part {
	return projection.Part{Result: &projection.Result{CallID: id, Name: "f", Output: output}}
}

func attached(name, kind, data string) projection.Part {
	return projection.Part{File: &projection.File{Name: name, Type: kind, Data: data}}
}

// request is what a server at baseURL is sent.
func request(t testing.TB, baseURL string, r model.Request) string {
	t.Helper()
	c := &canned{body: events(finish("stop"))}
	if _, _, err := model.Ask(t.Context(), newProvider(t, baseURL, c), r, nil); err != nil {
		t.Fatal(err)
	}
	return c.asked
}

func everything() model.Request {
	return model.Request{
		Model: "m", Instructions: "Work on <files> & folders.\x00", MaxOutputTokens: 4000, Effort: model.EffortLow, CacheKey: "k",
		Tools: []model.Tool{
			{Name: "read", Description: "Read a file.\xff", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"},"at":{"type":"integer"}}}`)},
			{Name: "list", Schema: json.RawMessage(`{"type":"object"}`)},
			{Name: "time"},
		},
		Messages: []projection.Message{
			user(text("read <a> & list"), text("and look at this"), attached("/a.png", "image/png", "PNG")),
			assistant(native(`{"reasoning_content":"both <then>"}`), text("Let me look."), called("call_a", "read", `{"path":"/a"}`, ""), called("call_b", "list", `{}`, `{"extra_content":{"google":{"thought_signature":"c2ln+/<"}}}`)),
			user(result("call_a", "a\u00e9b 🦀"), result("call_b", `{"error":{"code":"timeout","message":"took <too> long"}}`), text("go on")),
			assistant(native(`{"reasoning_details":[{"type":"reasoning.text","text":"h\u00e9","signature":"c2ln+/<"}]}`), text("So."), called("call_c", "list", `{}`, "")),
			user(result("call_c", "nothing")),
			assistant(text("Done.")),
			user(text("thanks"), text("bye")),
		},
	}
}

func TestRequestIsWhatItWas(t *testing.T) {
	const golden = "testdata/request.json"
	body := request(t, "http://model.test/v1", everything())
	if !json.Valid([]byte(body)) {
		t.Fatal(body)
	}
	// One message a line; otherwise it is what was sent.
	got := strings.NewReplacer(`,"tools":[`, ",\n\"tools\":[\n", `,"messages":[`, ",\n\"messages\":[\n", `},{"type":"function","function":{"name":"list","p`, "},\n"+`{"type":"function","function":{"name":"list","p`, `},{"role"`, "},\n{\"role\"").Replace(body) + "\n"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if d := cmp.Diff(string(want), got); err != nil || d != "" {
		t.Errorf("%v, request (-want +got):\n%s", err, d)
	}
}

// The body is written here and not by the SDK: its types are the check.
func TestRequestIsOneThatTheSDKKnows(t *testing.T) {
	var p openai.ChatCompletionNewParams
	if err := json.Unmarshal([]byte(request(t, "http://model.test/v1", everything())), &p); err != nil {
		t.Fatal(err)
	}
	if p.Model != "m" || !p.StreamOptions.IncludeUsage.Value || p.MaxTokens.Value != 4000 || p.ReasoningEffort != "low" || len(p.Tools) != 3 {
		t.Errorf("%+v", p)
	}
	for _, x := range p.Tools {
		if f := x.OfFunction; f == nil || f.Function.Name == "" || f.Function.Parameters["properties"] == nil {
			t.Errorf("tool %+v", x)
		}
	}
	var roles []string
	for _, m := range p.Messages {
		switch {
		case m.OfSystem != nil && m.OfSystem.Content.OfString.Valid():
			roles = append(roles, "system")
		case m.OfUser != nil:
			roles = append(roles, "user")
		case m.OfTool != nil && m.OfTool.Content.OfString.Valid():
			roles = append(roles, "tool "+m.OfTool.ToolCallID)
		case m.OfAssistant != nil:
			roles = append(roles, "assistant")
			for _, c := range m.OfAssistant.ToolCalls {
				roles = append(roles, "call "+c.OfFunction.ID)
			}
		default:
			t.Errorf("a message the SDK does not know: %+v", m)
		}
	}
	want := []string{"system", "user", "assistant", "call call_a", "call call_b", "tool call_a", "tool call_b", "user", "assistant", "call call_c", "tool call_c", "assistant", "user"}
	if d := cmp.Diff(want, roles); d != "" {
		t.Errorf("messages (-want +got):\n%s", d)
	}
}

func TestAHostIsAskedAsItWants(t *testing.T) {
	for baseURL, want := range map[string]struct{ limit, usage, key string }{
		"http://127.0.0.1:11434/v1":              {"max_tokens", "stream_options", ""},
		"https://api.openai.com/v1":              {"max_completion_tokens", "stream_options", "prompt_cache_key"},
		"https://API.OpenAI.com:443/v1":          {"max_completion_tokens", "stream_options", "prompt_cache_key"},
		"https://eu.api.openai.com/v1":           {"max_completion_tokens", "stream_options", "prompt_cache_key"},
		"https://res.openai.azure.com/openai/v1": {"max_completion_tokens", "stream_options", ""},
		"https://openrouter.ai/api/v1":           {"max_tokens", "stream_options", ""},
		"https://api.mistral.ai/v1":              {"max_tokens", "", ""},
		"https://api.openai.com.evil.test/v1":    {"max_tokens", "stream_options", ""},
		"https://notopenrouter.ai/v1":            {"max_tokens", "stream_options", ""},
	} {
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(request(t, baseURL, everything())), &got); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"max_tokens", "max_completion_tokens", "stream_options", "prompt_cache_key"} {
			if _, there := got[field]; there != (field == want.limit || field == want.usage || field == want.key) {
				t.Errorf("%s: %s is sent: %t", baseURL, field, there)
			}
		}
	}
}

func TestWhatIsNotAskedForIsNotSent(t *testing.T) {
	got := request(t, "https://api.openai.com/v1", model.Request{Model: "m", Messages: hello})
	if want := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hello"}]}`; got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

func TestMessagesKeepTheirServersRules(t *testing.T) {
	const local, mistral, deepseek = "http://model.test/v1", "https://api.mistral.ai/v1", "https://api.deepseek.com"
	ask := user(text("a"))
	tools := []projection.Message{ask, assistant(called("x", "f", "{}", "")), user(result("x", "out"), text("b"))}
	const calledX = `{"role":"assistant","content":null,"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	const before, behind = `{"role":"user","content":"a"},` + calledX + `,{"role":"tool","tool_call_id":"x","content":"out"},`, `{"role":"user","content":"b"}`
	for name, c := range map[string]struct {
		url, model string
		messages   []projection.Message
		want       string
	}{
		"a user behind a tool":          {local, "m", tools, before + behind},
		"where it may not speak":        {mistral, "m", tools, before + `{"role":"assistant","content":"Noted."},` + behind},
		"nor elsewhere":                 {local, "org/Devstral-Small", tools, before + `{"role":"assistant","content":"Noted."},` + behind},
		"tools alone need no bridge":    {mistral, "m", []projection.Message{ask, tools[1], user(result("x", "out"))}, strings.TrimSuffix(before, ",")},
		"thoughts that there were none": {deepseek, "m", tools[:2], `{"role":"user","content":"a"},` + strings.Replace(calledX, `,"tool_calls"`, `,"reasoning_content":"","tool_calls"`, 1)},
		"thoughts that there were":      {deepseek, "m", []projection.Message{ask, assistant(native(`{"reasoning_content":"hm"}`), called("x", "f", "{}", ""))}, `{"role":"user","content":"a"},` + strings.Replace(calledX, `,"tool_calls"`, `,"reasoning_content":"hm","tool_calls"`, 1)},
		"no calls, no thoughts":         {deepseek, "m", []projection.Message{ask, assistant(text("b"))}, `{"role":"user","content":"a"},{"role":"assistant","content":"b"}`},
		"texts between calls":           {local, "m", []projection.Message{ask, assistant(text("b"), called("x", "f", "{}", ""), text("c"))}, `{"role":"user","content":"a"},` + strings.Replace(calledX, "null", `"b\n\nc"`, 1)},
		"reasoning alone":               {local, "m", []projection.Message{ask, assistant(native(`{"reasoning":"hm"}`))}, `{"role":"user","content":"a"},{"role":"assistant","content":"(empty)","reasoning":"hm"}`},
		"what nobody can read":          {local, "m", []projection.Message{ask, assistant(native(`{"reasoning":{}}`), native("{"))}, `{"role":"user","content":"a"},{"role":"assistant","content":"(empty)"}`},
		"thinking in a list":            {local, "m", []projection.Message{ask, assistant(native(`{"thinking":"hm"}`), text("b"))}, `{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"b"}]}`},
		"a text that is native":         {local, "m", []projection.Message{ask, assistant(native(`{"text":"b","reasoning_details":[{"type":"x"}]}`))}, `{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_details":[{"type":"x"}]}`},
	} {
		if d := cmp.Diff(c.want, messages(t, request(t, c.url, model.Request{Model: c.model, Messages: c.messages}))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestFilesAreShownToThoseWhoCanSeeThem(t *testing.T) {
	for baseURL, pdf := range map[string]bool{"http://model.test/v1": false, "https://openrouter.ai/api/v1": true, "https://api.openai.com/v1": true, "https://api.mistral.ai/v1": false} {
		takes := newProvider(t, baseURL, &canned{}).Rules().File
		for kind, want := range map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "image/tiff": false, "application/pdf": pdf, "text/plain": false, "audio/wav": false} {
			if takes(kind) != want {
				t.Errorf("%s takes %s: %t", baseURL, kind, !want)
			}
		}
	}
	got := messages(t, request(t, "https://openrouter.ai/api/v1", model.Request{Messages: []projection.Message{user(attached("/docs/a.pdf", "application/pdf", "PDF"), text("read it"))}}))
	want := `{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,UERG"}},{"type":"text","text":"read it"}]}`
	if got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
}

func TestCallIDsThatServersTake(t *testing.T) {
	form := newProvider(t, "http://model.test/v1", &canned{}).Rules().CallID
	for id, want := range map[string]bool{"call_a-B9": true, "functions.read:0": true, "0": true, strings.Repeat("x", 64): true, strings.Repeat("x", 65): false, "": false, "a b": false, "é": false, "a\n": false} {
		if form.MatchString(id) != want {
			t.Errorf("%q: %t", id, !want)
		}
	}
}

func TestARequestThatNoServerReadsIsNotSent(t *testing.T) {
	for name, r := range map[string]model.Request{
		"a broken schema":    {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`{`)}}},
		"a schema of a list": {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`[]`)}}},
		"null as a schema":   {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`null`)}}},
		"65 MiB of escapes":  {Messages: []projection.Message{user(text(strings.Repeat("\"", 33<<20)))}},
	} {
		c := &canned{}
		_, _, err := model.Ask(t.Context(), c.provider(t), r, nil)
		want := model.Invalid
		if strings.Contains(name, "MiB") {
			want = model.Overflow
		}
		if f := fault(t, err); f.Code != want || !f.Permanent || c.asked != "" {
			t.Errorf("%s: %+v, sent %.100s", name, f, c.asked)
		}
	}
}

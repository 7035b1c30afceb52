package bedrock_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	smithydocument "github.com/aws/smithy-go/document"
	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

var update = flag.Bool("update", false, "write what is sent to testdata")

// recorder keeps what it is sent.
type recorder struct {
	path string
	body []byte
}

func (s *recorder) RoundTrip(r *http.Request) (*http.Response, error) {
	s.path = r.URL.EscapedPath()
	s.body, _ = io.ReadAll(r.Body)
	return canned(ended).RoundTrip(r)
}

// send gives the body that a question becomes.
func send(t testing.TB, r model.Request) string {
	t.Helper()
	var s recorder
	if _, _, err := model.Ask(t.Context(), over(t, &s), r, nil); err != nil {
		t.Fatal(err)
	}
	return string(s.body)
}

func user(parts ...projection.Part) projection.Message {
	return projection.Message{Role: projection.User, Parts: parts}
}

func assistant(parts ...projection.Part) projection.Message {
	return projection.Message{Role: projection.Assistant, Parts: parts}
}

func says(s string) projection.Part { return projection.Part{Text: s} }

func calls(id, arguments string) projection.Part {
	return projection.Part{Call: &projection.Call{ID: id, Name: "read", Arguments: arguments}}
}

func result(id, output string, failed bool) projection.Part {
	return projection.Part{Result: &projection.Result{CallID: id, Name: "read", Output: output, Failed: failed}}
}

func shows(name, kind, data string) projection.Part {
	return projection.Part{File: &projection.File{Name: name, Type: kind, Data: data}}
}

const thinks = `{"reasoningContent":{"reasoningText":{"text":"I <look>.","signature":"c2ln+/="}}}`

// rich has everything in it.
var rich = model.Request{
	Model: "us.anthropic.claude-opus-4-8", Instructions: "Work on <files> & folders.", MaxOutputTokens: 4000, Effort: model.EffortHigh,
	Tools: []model.Tool{
		{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Name: "list", Description: " ", Schema: json.RawMessage(`{ "properties": {} }`)},
	},
	Messages: []projection.Message{
		user(says("look at these"), shows("/a.png", "image/png", "\x89PNG"), shows("/b c.pdf", "application/pdf", "%PDF")),
		assistant(projection.Part{Native: thinks}, says("Looking."), calls("c1", `{"path":"/a","n":12345678901234567890,"x":1.10}`), calls("c2", "{}")),
		user(result("c1", "a 🦀", false), result("c2", `{"error":{"code":"not_found","message":"no"}}`, true), says("and?")),
		assistant(says("Done.")),
		user(says("thanks")),
	},
}

func TestTheRequestIsAsItWas(t *testing.T) {
	const file = "testdata/request.json"
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(send(t, rich)), "", "  "); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got.String()); d != "" {
		t.Errorf("run with -update if this is meant (-was +is):\n%s", d)
	}
}

// TestTheSDKWouldSayTheSame: the fields are written by hand, so their names are
// those that the SDK knows.
func TestTheSDKWouldSayTheSame(t *testing.T) {
	decode := func(s string) (v any) {
		d := json.NewDecoder(strings.NewReader(s))
		if d.UseNumber(); d.Decode(&v) != nil {
			t.Fatal(s)
		}
		return v
	}
	lazy := func(s string) document.Interface { return document.NewLazyDocument(exact(decode(s))) }
	text := func(s string) types.ContentBlock { return &types.ContentBlockMemberText{Value: s} }
	mark := types.CachePointBlock{Type: types.CachePointTypeDefault}
	keep := &types.ContentBlockMemberCachePoint{Value: mark}
	results := func(id, s string, status types.ToolResultStatus) types.ContentBlock {
		return &types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{ToolUseId: &id, Status: status, Content: []types.ToolResultContentBlock{&types.ToolResultContentBlockMemberText{Value: s}}}}
	}
	call := func(id, s string) types.ContentBlock {
		return &types.ContentBlockMemberToolUse{Value: types.ToolUseBlock{ToolUseId: &id, Name: aws.String("read"), Input: lazy(s)}}
	}
	spec := func(name string, description *string, schema string) types.Tool {
		return &types.ToolMemberToolSpec{Value: types.ToolSpecification{Name: &name, Description: description, InputSchema: &types.ToolInputSchemaMemberJson{Value: lazy(schema)}}}
	}
	var s recorder
	client := bedrockruntime.NewFromConfig(signed("k"), func(o *bedrockruntime.Options) { o.HTTPClient = &http.Client{Transport: &s} })
	_, err := client.ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
		ModelId:                      &rich.Model,
		System:                       []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: rich.Instructions}, &types.SystemContentBlockMemberCachePoint{Value: mark}},
		InferenceConfig:              &types.InferenceConfiguration{MaxTokens: aws.Int32(4000)},
		AdditionalModelRequestFields: lazy(`{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}}`),
		ToolConfig: &types.ToolConfiguration{Tools: []types.Tool{
			spec("read", aws.String("Read a file."), string(rich.Tools[0].Schema)), spec("list", nil, `{"properties":{},"type":"object"}`), &types.ToolMemberCachePoint{Value: mark},
		}},
		Messages: []types.Message{
			{Role: types.ConversationRoleUser, Content: []types.ContentBlock{
				text("look at these"),
				&types.ContentBlockMemberImage{Value: types.ImageBlock{Format: types.ImageFormatPng, Source: &types.ImageSourceMemberBytes{Value: []byte("\x89PNG")}}},
				&types.ContentBlockMemberDocument{Value: types.DocumentBlock{Format: types.DocumentFormatPdf, Name: aws.String("document 1"), Source: &types.DocumentSourceMemberBytes{Value: []byte("%PDF")}}},
				text("[Files: image 1 is /a.png, document 1 is /b c.pdf.]"),
			}},
			{Role: types.ConversationRoleAssistant, Content: []types.ContentBlock{
				&types.ContentBlockMemberReasoningContent{Value: &types.ReasoningContentBlockMemberReasoningText{Value: types.ReasoningTextBlock{Text: aws.String("I <look>."), Signature: aws.String("c2ln+/=")}}},
				text("Looking."), call("c1", `{"path":"/a","n":12345678901234567890,"x":1.10}`), call("c2", "{}"),
			}},
			{Role: types.ConversationRoleUser, Content: []types.ContentBlock{
				results("c1", "a 🦀", types.ToolResultStatusSuccess), results("c2", `{"error":{"code":"not_found","message":"no"}}`, types.ToolResultStatusError), text("and?"), keep,
			}},
			{Role: types.ConversationRoleAssistant, Content: []types.ContentBlock{text("Done.")}},
			{Role: types.ConversationRoleUser, Content: []types.ContentBlock{text("thanks"), keep}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(decode(string(s.body)), decode(send(t, rich))); d != "" {
		t.Errorf("-SDK +sent:\n%s", d)
	}
}

// exact makes numbers those that the SDK's documents keep as they are.
func exact(v any) any {
	switch v := v.(type) {
	case json.Number:
		return smithydocument.Number(v)
	case []any:
		for i := range v {
			v[i] = exact(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = exact(v[k])
		}
	}
	return v
}

// TestWhatStaysTheSameComesFirst: a request begins with the one before, but for the
// cache's marks.
func TestWhatStaysTheSameComesFirst(t *testing.T) {
	r := rich
	var before string
	r.Messages = nil
	for n := range 128 {
		r.Messages = append(r.Messages, user(says("go"), shows(fmt.Sprint("/", n, ".png"), "image/png", "\x89PNG")), assistant(projection.Part{Native: thinks}, calls(fmt.Sprint("c", n), `{"b":1,"a":{"":2}}`)), user(result(fmt.Sprint("c", n), "did", n%2 == 0)), assistant(says("Done.")), user(says("more")))
		now := strings.TrimSuffix(string(unmarked([]byte(send(t, r)))), "]}")
		if !strings.HasPrefix(now, before) || len(now) == len(before) {
			t.Fatalf("request %d does not begin with the one before:\n%s\n%s", n, before, now)
		}
		before = now
		r.Messages = append(r.Messages, assistant(says("More.")))
	}
}

func TestMessagesAreMadeToFit(t *testing.T) {
	const on = `{"role":"user","content":[{"text":"Go on."}]}`
	for name, c := range map[string]struct {
		messages []projection.Message
		want     string
	}{
		"no message":              {nil, on},
		"the model's word last":   {[]projection.Message{user(says("a")), assistant(says("b"))}, `{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"text":"b"}]},` + on},
		"blank text":              {[]projection.Message{user(says(" \n"))}, `{"role":"user","content":[{"text":"(nothing)"}]}`},
		"a blank result":          {[]projection.Message{user(result("x", "\t", false))}, `{"role":"user","content":[{"toolResult":{"toolUseId":"x","content":[{"text":"(nothing)"}]}}]}`},
		"reasoning alone":         {[]projection.Message{user(says("a")), assistant(projection.Part{Native: thinks}), user(says("b"))}, `{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[` + thinks + `,{"text":"(nothing)"}]},{"role":"user","content":[{"text":"b"}]}`},
		"reasoning at the end":    {[]projection.Message{user(says("a")), assistant(says("b"), projection.Part{Native: thinks}), user(says("c"))}, `{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"text":"b"},` + thinks + `,{"text":"(nothing)"}]},{"role":"user","content":[{"text":"c"}]}`},
		"a text of its own":       {[]projection.Message{user(says("a")), assistant(projection.Part{Native: `{"text":"So: <b>"}`}), user(says("b"))}, `{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"text":"So: <b>"}]},{"role":"user","content":[{"text":"b"}]}`},
		"arguments that are none": {[]projection.Message{user(says("a")), assistant(calls("x", "{")), user(result("x", "r", false))}, `{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"x","name":"read","input":{}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"x","content":[{"text":"r"}]}}]}`},
	} {
		got := send(t, model.Request{Model: "meta.llama", Messages: c.messages})
		if _, got, _ = strings.Cut(got, `"messages":`); got != "["+c.want+"]}" {
			t.Errorf("%s:\n got %s\nwant [%s]}", name, got, c.want)
		}
	}
}

func TestCallsOfFormerToolsHaveATool(t *testing.T) {
	r := model.Request{Model: "meta.llama", Messages: []projection.Message{user(says("a")), assistant(calls("x", "{}")), user(result("x", "r", false))}}
	if got := send(t, r); !strings.HasPrefix(got, `{"toolConfig":{"tools":[{"toolSpec":{"name":"read",`) {
		t.Error(got)
	}
}

func TestASchemaThatIsNoneIsAFault(t *testing.T) {
	for _, schema := range []string{"{", "null", "[]", `{"type":"array"}`, `{"type":["object","null"]}`} {
		r := model.Request{Model: "m", Messages: hello, Tools: []model.Tool{{Name: "t", Schema: json.RawMessage(schema)}}}
		_, _, err := model.Ask(t.Context(), over(t, canned(ended)), r, nil)
		if f := fault(t, err); f.Code != model.Invalid || !f.Permanent || !strings.Contains(f.Message, "tool t") {
			t.Errorf("%s: %+v", schema, f)
		}
	}
}

func TestATranscriptThatIsTooLargeIsNotSent(t *testing.T) {
	_, _, err := model.Ask(t.Context(), over(t, canned(ended)), model.Request{Model: "m", Messages: []projection.Message{user(says(strings.Repeat("a", 33<<20)))}}, nil)
	if f := fault(t, err); f.Code != model.Overflow || !f.Permanent {
		t.Errorf("%+v", f)
	}
}

func TestTheModelIsInThePath(t *testing.T) {
	for id, want := range map[string]string{
		"amazon.nova-pro-v1:0": "/model/amazon.nova-pro-v1%3A0/converse-stream",
		"arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-5": "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude-sonnet-5/converse-stream",
	} {
		var s recorder
		if _, _, err := model.Ask(t.Context(), over(t, &s), model.Request{Model: id, Messages: hello}, nil); err != nil || s.path != want {
			t.Errorf("%v, %s", err, s.path)
		}
	}
}

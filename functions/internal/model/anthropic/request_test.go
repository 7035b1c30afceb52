package anthropic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// request is the body that is sent.
func request(t testing.TB, r model.Request) string {
	t.Helper()
	c := streams(stream(started) + ended("end_turn"))
	if _, _, err := model.Ask(t.Context(), provider(t, c), r, nil); err != nil {
		t.Fatal(err)
	}
	return string(c.asked)
}

func call(id, name, arguments string) projection.Part {
	return projection.Part{Call: &projection.Call{ID: id, Name: name, Arguments: arguments}}
}

func result(id, output string, failed bool) projection.Part {
	return projection.Part{Result: &projection.Result{CallID: id, Output: output, Failed: failed}}
}

func native(block string) projection.Part { return projection.Part{Native: `{"block":` + block + `}`} }

func TestARequestIsWrittenInOneOrder(t *testing.T) {
	got := request(t, model.Request{
		Model: "claude-opus-5-5", Instructions: "Work on <files> & folders.", Effort: model.EffortHigh, CacheKey: "5f2b",
		Tools: []model.Tool{
			{Name: "read", Description: "Read a file.", Schema: json.RawMessage(`{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}`)},
			{Name: "list"}, {Name: "any", Schema: json.RawMessage(`{"properties":{}}`)},
		},
		Messages: []projection.Message{
			user(projection.Part{Text: "go"}, projection.Part{Text: " \n"}, projection.Part{File: &projection.File{Name: "a.png", Type: "image/png", Data: "\x89PNG"}}, projection.Part{File: &projection.File{Name: "b.pdf", Type: "application/pdf", Data: "%PDF"}}),
			assistant(native(signedHm), projection.Part{Text: "Looking."}, call("toolu_1", "read", `{"path": "/<a>"}`), call("c00000003", "list", `{}`)),
			user(result("toolu_1", "did it", false), result("c00000003", `{"error":{"code":"timeout","message":""}}`, true), projection.Part{Text: "and?"}),
			assistant(projection.Part{Text: "Well."}),
			user(projection.Part{Text: "now"}),
		},
	})
	const want = `{"model":"claude-opus-5-5","max_tokens":64000,"stream":true,` +
		`"system":[{"type":"text","text":"Work on <files> & folders.","cache_control":{"type":"ephemeral"}}],` +
		`"tools":[{"name":"read","description":"Read a file.","input_schema":{"type":"object","required":["path"],"properties":{"path":{"type":"string"}}}},{"name":"list","input_schema":{"type":"object"}},{"name":"any","input_schema":{"properties":{},"type":"object"}}],` +
		`"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"},"messages":[` +
		`{"role":"user","content":[{"type":"text","text":"go"},{"type":"text","text":"(empty)"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw=="}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERg=="},"title":"b.pdf"}]},` +
		`{"role":"assistant","content":[` + signedHm + `,{"type":"text","text":"Looking."},{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"/<a>"}},{"type":"tool_use","id":"c00000003","name":"list","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"did it"},{"type":"tool_result","tool_use_id":"c00000003","content":"{\"error\":{\"code\":\"timeout\",\"message\":\"\"}}","is_error":true},{"type":"text","text":"and?","cache_control":{"type":"ephemeral"}}]},` +
		`{"role":"assistant","content":[{"type":"text","text":"Well."}]},` +
		`{"role":"user","content":[{"type":"text","text":"now","cache_control":{"type":"ephemeral"}}]}]}`
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// What every server takes for the end of what stays the same.
func TestTheHeadEndsInABreakpoint(t *testing.T) {
	tools := []model.Tool{{Name: "a"}, {Name: "b"}}
	for name, c := range map[string]struct {
		r    model.Request
		want string
	}{
		"instructions":   {model.Request{Instructions: "i"}, `"system":[{"type":"text","text":"i","cache_control":{"type":"ephemeral"}}],"messages"`},
		"tools alone":    {model.Request{Tools: tools, Instructions: " "}, `"tools":[{"name":"a","input_schema":{"type":"object"}},{"name":"b","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"messages"`},
		"neither":        {model.Request{}, `"stream":true,"messages"`},
		"one breakpoint": {model.Request{Tools: tools, Instructions: "i"}, `{"name":"b","input_schema":{"type":"object"}}],"messages"`},
	} {
		c.r.Messages = hello
		if got := request(t, c.r); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s is not in %s", name, c.want, got)
		}
	}
}

func TestCallsWithoutToolsAreStillTakenByEveryServer(t *testing.T) {
	got := request(t, model.Request{Messages: []projection.Message{
		user(projection.Part{Text: "go"}), assistant(call("x", "b", "{}"), call("y", "a", "{}"), call("z", "b", "{}")),
		user(result("x", "o", false), result("y", "o", false), result("z", "o", false)),
	}})
	const want = `"tools":[{"name":"b","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"none"},"messages"`
	if !strings.Contains(got, want) {
		t.Errorf("%s is not in %s", want, got)
	}
}

func TestOpaqueBlocksGoBackByteForByte(t *testing.T) {
	for received, sent := range map[string]string{
		redacted: redacted,
		found:    found,
		`{"type":"fallback", "x":1e2, "y":"\u003c<\u2028" }`: `{"type":"fallback", "x":1e2, "y":"\u003c<\u2028" }`,
		// Thinking comes in pieces; what is signed is its text.
		signedHm: signedHm,
		`{ "signature":"a+/=", "type":"thinking", "thinking":"\u003ca> 🦀" }`: `{"type":"thinking","thinking":"<a> 🦀","signature":"a+/="}`,
	} {
		answer, err := ask(t, streams(stream(started)+block(0, received)+text(1, "a")+calls(2, "x", "f")+ended("tool_use")))
		if err != nil || answer.Items[0].Native == nil {
			t.Fatalf("%s was not kept: %v", received, err)
		}
		kept := projection.Part{Native: answer.Items[0].Native.Inline()}
		body := request(t, model.Request{Messages: []projection.Message{hello[0], assistant(kept, projection.Part{Text: "a"}, call("x", "f", "{}")), user(result("x", "o", false))}})
		if want := `"content":[` + sent + `,{"type":"text","text":"a"}`; !strings.Contains(body, want) {
			t.Errorf("%s is not in %s", want, body)
		}
	}
}

// What cannot stand in an assistant's message: nothing, thinking at its end, text with
// nothing in it, and what is not of this package.
func TestNoMessageIsEmptyOrEndsInThinking(t *testing.T) {
	for name, c := range map[string]struct {
		parts []projection.Part
		want  string
	}{
		"thinking alone":      {[]projection.Part{native(signedHm)}, signedHm + `,{"type":"text","text":"(empty)"}`},
		"redacted alone":      {[]projection.Part{native(redacted)}, redacted + `,{"type":"text","text":"(empty)"}`},
		"thinking at its end": {[]projection.Part{{Text: "a"}, native(signedHm)}, `{"type":"text","text":"a"},` + signedHm + `,{"type":"text","text":"(empty)"}`},
		"blank text":          {[]projection.Part{native(`{"type":"text","text":" \n"}`)}, `{"type":"text","text":"(empty)"}`},
		"text of its own":     {[]projection.Part{native(`{"type":"text","text":"a"}`), native(redacted), {Text: "b"}}, `{"type":"text","text":"a"},` + redacted + `,{"type":"text","text":"b"}`},
		"of another":          {[]projection.Part{{Native: signedHm}, {Native: "{"}, {Native: "null"}, {Native: `{"block":null}`}, {Native: `{"block":{"type":{}}}`}, {Native: `{"block":7}`}, {Text: "b"}}, `{"type":"text","text":"b"}`},
	} {
		got := request(t, model.Request{Messages: []projection.Message{hello[0], assistant(c.parts...), user(projection.Part{Text: "go on"})}})
		if want := `{"role":"assistant","content":[` + c.want + `]}`; !strings.Contains(got, want) {
			t.Errorf("%s: %s is not in %s", name, want, got)
		}
	}
}

func TestAPausedAnswerIsGoneOnWithAndNoOther(t *testing.T) {
	for name, c := range map[string]struct {
		last projection.Part
		goOn bool
	}{
		"paused":             {native(found), false},
		"paused, of another": {projection.Part{Text: "a"}, true},
		"text of its own":    {native(`{"type":"text","text":"a"}`), true},
		"thinking":           {native(signedHm), true},
	} {
		got := request(t, model.Request{Messages: []projection.Message{hello[0], assistant(projection.Part{Text: "b"}, c.last)}})
		if asked := strings.HasSuffix(got, `]},{"role":"user","content":[{"type":"text","text":"Continue."}]}]}`); asked != c.goOn {
			t.Errorf("%s: asked to go on: %t in %s", name, asked, got)
		}
	}
}

func TestARequestThatNoServerTakesIsNotSent(t *testing.T) {
	for name, r := range map[string]model.Request{
		"33 MiB":             {Messages: []projection.Message{user(projection.Part{Text: strings.Repeat("a", 33<<20)})}},
		"a broken schema":    {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`{`)}}},
		"a schema of a list": {Messages: hello, Tools: []model.Tool{{Name: "f", Schema: json.RawMessage(`[]`)}}},
	} {
		c := streams(stream(started) + ended("end_turn"))
		_, _, err := model.Ask(t.Context(), provider(t, c), r, nil)
		want := model.Invalid
		if strings.Contains(name, "MiB") {
			want = model.Overflow
		}
		if f := fault(t, err); f.Code != want || !f.Permanent || c.asked != nil {
			t.Errorf("%s: %+v, asked %t", name, f, c.asked != nil)
		}
	}
}

func TestFilesAreThoseThatTheAPITakes(t *testing.T) {
	takes := provider(t, nil).Rules().File
	for kind, want := range map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true, "application/pdf": true, "image/svg+xml": false, "image/tiff": false, "text/plain": false, "": false} {
		if takes(kind) != want {
			t.Errorf("%q is taken: %t", kind, !want)
		}
	}
}

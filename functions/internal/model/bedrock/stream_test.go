package bedrock_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/smithy-go/eventstream"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/bedrock"
	"windlass/functions/internal/model/modeltest"
	"windlass/functions/internal/projection"
)

// frame is a frame of a stream with these headers.
func frame(payload string, headers ...string) string {
	m := eventstream.Message{Payload: []byte(payload)}
	for i := 0; i < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var b bytes.Buffer
	if err := eventstream.NewEncoder().Encode(&b, m); err != nil {
		panic(err)
	}
	return b.String()
}

func tell(kind, payload string) string {
	return frame(payload, ":event-type", kind, ":content-type", "application/json", ":message-type", "event")
}

func exception(kind, payload string) string {
	return frame(payload, ":exception-type", kind, ":content-type", "application/json", ":message-type", "exception")
}

func delta(place int, what string) string {
	return tell("contentBlockDelta", fmt.Sprintf(`{"contentBlockIndex":%d,"delta":%s,"p":"abc"}`, place, what))
}

func said(place int, s string) string { return delta(place, fmt.Sprintf(`{"text":%q}`, s)) }

func thought(place int, s string) string {
	return delta(place, fmt.Sprintf(`{"reasoningContent":{"text":%q}}`, s))
}

func proof(place int, s string) string {
	return delta(place, fmt.Sprintf(`{"reasoningContent":{"signature":%q}}`, s))
}

func sealed(place int, s string) string {
	return delta(place, fmt.Sprintf(`{"reasoningContent":{"redactedContent":%q}}`, s))
}

func begin(place int, what string) string {
	return tell("contentBlockStart", fmt.Sprintf(`{"contentBlockIndex":%d,"start":%s}`, place, what))
}

func opens(place int, id, name string) string {
	return begin(place, fmt.Sprintf(`{"toolUse":{"toolUseId":%q,"name":%q}}`, id, name))
}

func argues(place int, s string) string {
	return delta(place, fmt.Sprintf(`{"toolUse":{"input":%q}}`, s))
}

func closes(place int) string {
	return tell("contentBlockStop", fmt.Sprintf(`{"contentBlockIndex":%d}`, place))
}

func stops(reason string) string {
	return tell("messageStop", fmt.Sprintf(`{"stopReason":%q}`, reason))
}

var (
	starts  = tell("messageStart", `{"role":"assistant"}`)
	counts  = tell("metadata", `{"usage":{"inputTokens":12,"outputTokens":5,"totalTokens":1317,"cacheReadInputTokens":1000,"cacheWriteInputTokens":300,"cacheReadInputTokenCount":1000},"metrics":{"latencyMs":7}}`)
	counted = event.Tokens{InputTokens: 1312, OutputTokens: 5, CachedTokens: 1000, CacheWriteTokens: 300}
	ended   = stops("end_turn") + counts
)

// canned answers every request with the same stream, without a network.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/vnd.amazon.eventstream"}}, Request: r, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

func over(t testing.TB, network http.RoundTripper) *bedrock.Provider {
	t.Helper()
	p, err := bedrock.New(signed(modeltest.Key), bedrock.Options{BaseEndpoint: "http://bedrock.test", Transport: network})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var hello = []projection.Message{{Role: projection.User, Parts: []projection.Part{{Text: "hello"}}}}

func hear(t testing.TB, network http.RoundTripper) (model.Answer, string, error) {
	t.Helper()
	return model.Ask(t.Context(), over(t, network), model.Request{Model: "anthropic.claude-sonnet-5", Messages: hello}, nil)
}

func fault(t testing.TB, err error) *model.Fault {
	t.Helper()
	var f *model.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%v is no fault", err)
	}
	return f
}

// show writes an answer in one line.
func show(a model.Answer) string {
	var b strings.Builder
	for _, it := range a.Items {
		b.WriteString(it.Kind)
		switch {
		case it.Call != nil:
			fmt.Fprintf(&b, " %s=%s(%s)", it.Call.CallID, it.Call.Name, it.Call.Arguments.Inline())
		case it.Text != nil:
			fmt.Fprintf(&b, " %q", it.Text.Inline())
		case it.File != nil:
			fmt.Fprintf(&b, " %s %q", it.File.Type, it.File.Content.Inline())
		}
		if it.Native != nil {
			fmt.Fprintf(&b, " <%s>", it.Native.Inline())
		}
		b.WriteString("; ")
	}
	return b.String() + a.Stop
}

func TestWhatIsSaidBecomesItems(t *testing.T) {
	const proved, hidden, redacted = `<{"reasoningContent":{"reasoningText":{"text":"hmm","signature":"c2ln+/="}}}>`, `<{"reasoningContent":{"reasoningText":{"text":"","signature":"c2ln"}}}>`, `<{"reasoningContent":{"redactedContent":"c2VhbGVk"}}>`
	hmm := thought(0, "h") + thought(0, "mm") + proof(0, "c2ln") + proof(0, "+/=") + closes(0)
	for name, c := range map[string]struct{ stream, want string }{
		"nothing":                                 {starts + ended, `end`},
		"text that nobody announced":              {starts + said(0, "Hello, ") + said(0, "🦀") + closes(0) + ended, `text "Hello, 🦀"; end`},
		"empty pieces":                            {starts + said(0, "") + closes(0) + thought(1, "") + thought(1, "hm") + closes(1) + said(2, "a") + said(2, "") + said(2, "b") + closes(2) + ended, `reasoning "hm"; text "ab"; end`},
		"reasoning with its proof":                {hmm + said(1, "Yes.") + closes(1) + ended, `reasoning "hmm" ` + proved + `; text "Yes."; end`},
		"a proof and no end of the block":         {strings.ReplaceAll(hmm, closes(0), "") + said(1, "Yes.") + ended, `reasoning "hmm" ` + proved + `; text "Yes."; end`},
		"reasoning without a proof":               {thought(0, "hmm") + closes(0) + said(1, "Yes.") + ended, `reasoning "hmm"; text "Yes."; end`},
		"a proof alone":                           {proof(0, "c2ln") + closes(0) + said(1, "Yes.") + ended, `opaque ` + hidden + `; text "Yes."; end`},
		"a proof alone behind text":               {said(0, "So: ") + said(0, "<b>") + closes(0) + proof(1, "c2ln") + closes(1) + opens(2, "x", "f") + closes(2) + ended, `text "So: <b>" <{"text":"So: <b>"}>; opaque ` + hidden + `; tool_call x=f({}); tools`},
		"a proof alone behind blank text":         {said(0, "\n\n") + closes(0) + proof(1, "c2ln") + closes(1) + said(2, "Yes.") + ended, `text "\n\n" ` + hidden + `; text "Yes."; end`},
		"redacted reasoning in pieces":            {hmm + sealed(1, "c2Vh") + sealed(1, "bGVk") + closes(1) + said(2, "Yes.") + ended, `reasoning "hmm" ` + proved + `; opaque ` + redacted + `; text "Yes."; end`},
		"reasoning again behind a call":           {opens(0, "x", "f") + closes(0) + sealed(1, "c2VhbGVk") + closes(1) + opens(2, "y", "f") + closes(2) + ended, `tool_call x=f({}); opaque ` + redacted + `; tool_call y=f({}); tools`},
		"a call in pieces":                        {opens(0, "x", "f") + argues(0, "") + argues(0, `{"a":`) + argues(0, `"\u00e9"}`) + closes(0) + stops("tool_use") + counts, `tool_call x=f({"a":"\u00e9"}); tools`},
		"a call without arguments":                {opens(0, "x", "f") + argues(0, " ") + closes(0) + stops("tool_use") + counts, `tool_call x=f({}); tools`},
		"arguments that are no JSON":              {opens(0, "x", "f") + argues(0, `{"{"`) + closes(0) + stops("tool_use") + counts, `tool_call x=f({"{"); tools`},
		"calls at once":                           {opens(0, "x", "f") + opens(1, "y", "g") + argues(0, `{"a":1}`) + argues(1, `{"b":2}`) + closes(0) + closes(1) + ended, `tool_call x=f({"a":1}); tool_call y=g({"b":2}); tools`},
		"calls that nobody ends":                  {opens(1, "y", "g") + argues(1, `{"b":2}`) + opens(0, "x", "f") + ended, `tool_call x=f({}); tool_call y=g({"b":2}); tools`},
		"all blocks at one place":                 {opens(0, "x", "f") + argues(0, `{"a":1}`) + opens(0, "y", "g") + argues(0, `{"b":2}`) + closes(0) + ended, `tool_call x=f({"a":1}); tool_call y=g({"b":2}); tools`},
		"a call of the provider's own":            {begin(0, `{"toolUse":{"toolUseId":"x","name":"web","type":"server_tool_use"}}`) + argues(0, "{}") + closes(0) + begin(1, `{"toolResult":{"toolUseId":"x"}}`) + delta(1, `{"toolResult":[{"text":"found"}]}`) + closes(1) + said(2, "Found.") + ended, `text "Found."; end`},
		"an image":                                {begin(0, `{"image":{"format":"png"}}`) + delta(0, `{"image":{"source":{"bytes":"iVBO"}}}`) + delta(0, `{"image":{"source":{"bytes":"Rw=="}}}`) + closes(0) + ended, `file image/png "\x89PNG"; end`},
		"an image that failed":                    {begin(0, `{"image":{"format":"png"}}`) + delta(0, `{"image":{"error":{"message":"no"}}}`) + closes(0) + said(1, "Sorry.") + ended, `text "Sorry."; end`},
		"what is not known":                       {tell("later", `{"a":[1,{}]}`) + begin(0, `{"hologram":{"a":[]}}`) + delta(0, `{"hologram":{"a":{}}}`) + delta(1, `{"citation":{"title":"a"}}`) + said(0, "Hello.") + tell("messageStop", `{"stopReason":"end_turn","new":{"a":1}}`) + counts, `text "Hello."; end`},
		"no numbers of blocks":                    {tell("contentBlockDelta", `{"delta":{"text":"Hello."}}`) + tell("contentBlockStop", `{}`) + ended, `text "Hello."; end`},
		"a reason that is not known":              {said(0, "Hello.") + stops("bored") + counts, `text "Hello."; end`},
		"a call, though the turn is said to end":  {opens(0, "x", "f") + closes(0) + ended, `tool_call x=f({}); tools`},
		"tools, though there is no call":          {said(0, "Hello.") + stops("tool_use") + counts, `text "Hello."; end`},
		"a stop sequence":                         {said(0, "Hello.") + stops("stop_sequence") + counts, `text "Hello."; end`},
		"a full length":                           {said(0, "Hel") + closes(0) + stops("max_tokens") + counts, `text "Hel"; length`},
		"a full context":                          {said(0, "Hel") + stops("model_context_window_exceeded") + counts, `text "Hel"; length`},
		"a filter":                                {said(0, "Hel") + closes(0) + stops("content_filtered") + counts, `text "Hel"; refusal`},
		"a guardrail":                             {said(0, "No.") + stops("guardrail_intervened") + counts, `text "No."; refusal`},
		"a refusal":                               {stops("refusal") + counts, `refusal`},
		"a length that cuts the last call":        {opens(0, "x", "f") + closes(0) + opens(1, "y", "f") + argues(1, `{"a":1}`) + closes(1) + stops("max_tokens") + counts, `tool_call x=f({}); length`},
		"a length that cuts a call that is open":  {opens(0, "x", "f") + closes(0) + opens(1, "y", "f") + argues(1, `{"a"`) + stops("max_tokens") + counts, `tool_call x=f({}); length`},
		"a length that cuts the text behind":      {opens(0, "x", "f") + closes(0) + said(1, "Hel") + closes(1) + stops("max_tokens") + counts, `tool_call x=f({}); text "Hel"; length`},
		"a length that cuts the reasoning":        {thought(0, "hm") + closes(0) + stops("max_tokens") + counts, `reasoning "hm"; length`},
		"tokens before the end":                   {said(0, "Hello.") + counts + stops("end_turn"), `text "Hello."; end`},
		"something behind the end of the message": {said(0, "Hello.") + stops("end_turn") + tell("later", "{}") + counts + "and more", `text "Hello."; end`},
	} {
		a, _, err := hear(t, canned(c.stream))
		if got := show(a); err != nil || got != c.want || a.Usage != counted {
			t.Errorf("%s: %v, %+v\n got %s\nwant %s", name, err, a.Usage, got, c.want)
		}
	}
}

func TestTokensThatAreNotToldAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		behind string
		want   event.Tokens
	}{
		"no metadata":       {"", event.Tokens{}},
		"no usage":          {tell("metadata", `{}`), event.Tokens{}},
		"nothing cached":    {tell("metadata", `{"usage":{"inputTokens":3,"outputTokens":2,"cacheReadInputTokens":null}}`), event.Tokens{InputTokens: 3, OutputTokens: 2}},
		"less than nothing": {tell("metadata", `{"usage":{"inputTokens":-3,"outputTokens":2}}`), event.Tokens{OutputTokens: 2}},
	} {
		a, _, err := hear(t, canned(said(0, "Hello.")+stops("end_turn")+c.behind))
		if err != nil || a.Usage != c.want || show(a) != `text "Hello."; end` {
			t.Errorf("%s: %v, %+v, %s", name, err, a.Usage, show(a))
		}
	}
}

package anthropic_test

import (
	"strings"
	"testing"

	"windlass/eventstore/event"
)

const (
	redacted = `{"type":"redacted_thinking","data":"b3BhcXVl+/="}`
	signedHm = `{"type":"thinking","thinking":"hm","signature":"c2ln+/="}`
	searches = `{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`
	found    = `{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","encrypted_content":"e+/="}]}`
)

func TestAnAnswerIsReadHoweverAServerStreamsIt(t *testing.T) {
	hi := stream(started) + text(0, "Hel", "lo 🦀") + ended("end_turn")
	for name, c := range map[string]struct{ stream, want string }{
		"text":                       {hi, `text:"Hello 🦀" end`},
		"without event lines":        {strings.ReplaceAll(hi, "event: ", ":"), `text:"Hello 🦀" end`},
		"with CRLF":                  {strings.ReplaceAll(hi, "\n", "\r\n"), `text:"Hello 🦀" end`},
		"with pings":                 {"event: ping\ndata: {\"type\": \"ping\"}\n\nevent: ping\ndata: \n\n: comment\n\n" + hi, `text:"Hello 🦀" end`},
		"DONE behind the end":        {hi + "event: data\ndata: [DONE]\n\n", `text:"Hello 🦀" end`},
		"more behind the end":        {hi + text(1, "more"), `text:"Hello 🦀" end`},
		"kinds on their lines alone": {strings.ReplaceAll(hi, `"type":"content_block_delta",`, ""), `text:"Hello 🦀" end`},
		"padded JSON":                {strings.ReplaceAll(hi, "}\n", "}     \n"), `text:"Hello 🦀" end`},
		"unknown events":             {stream(`{"type":"keepalive","index":"x","usage":null,"delta":7}`, `{"type":"new_thing","message":[]}`) + hi, `text:"Hello 🦀" end`},
		"nothing":                    {stream(started) + ended("end_turn"), "end"},
		"no begin of a message":      {text(0, "a") + ended("end_turn"), `text:"a" end`},
		"no begin of text":           {stream(delta(0, `{"type":"text_delta","text":"a"}`)) + ended("end_turn"), `text:"a" end`},
		"no begin of thinking":       {stream(delta(0, `{"type":"thinking_delta","thinking":"hm"}`)) + text(1, "a") + ended("end_turn"), `reasoning:"hm" text:"a" end`},
		"no ends of blocks":          {stream(begun(0, `{"type":"text","text":""}`), delta(0, `{"type":"text_delta","text":"a"}`), begun(1, `{"type":"tool_use","id":"x","name":"f","input":{}}`), delta(1, `{"type":"input_json_delta","partial_json":"{}"}`)) + ended("tool_use"), `text:"a" x=f({}) tools`},
		"one index for all":          {text(0, "a") + calls(0, "x", "f", "{}") + calls(0, "y", "f", "{}") + ended("tool_use"), `text:"a" x=f({}) y=f({}) tools`},
		"blocks that begin whole":    {block(0, signedHm) + block(1, `{"type":"text","text":"a"}`) + block(2, `{"type":"tool_use","id":"x","name":"f","input":{"a":1}}`) + ended("tool_use"), `reasoning:"hm"<` + signedHm + `> text:"a" x=f({"a":1}) tools`},
		"thinking":                   {thought(0, "hm", "c2ln+/=") + text(1, "a") + ended("end_turn"), `reasoning:"hm"<` + signedHm + `> text:"a" end`},
		"a signature in pieces":      {block(0, `{"type":"thinking","thinking":"hm"}`, `{"type":"signature_delta","signature":"c2l"}`, `{"type":"signature_delta","signature":"n+/="}`) + ended("end_turn"), `reasoning:"hm"<` + signedHm + `> end`},
		"thinking that is not shown": {block(0, `{"type":"thinking","thinking":"","signature":""}`, `{"type":"signature_delta","signature":"s"}`) + text(1, "a") + ended("end_turn"), `<{"type":"thinking","thinking":"","signature":"s"}> text:"a" end`},
		"thinking without signature": {block(0, `{"type":"thinking","thinking":""}`, `{"type":"thinking_delta","thinking":"hm"}`) + ended("end_turn"), `reasoning:"hm" end`},
		"two thoughts":               {thought(0, "hm", "c2ln+/=") + thought(1, "hm", "c2ln+/=") + ended("end_turn"), `reasoning:"hm"<` + signedHm + `> reasoning:"hm"<` + signedHm + `> end`},
		"redacted thinking":          {block(0, redacted) + block(1, redacted) + text(2, "a") + ended("end_turn"), `<` + redacted + `> <` + redacted + `> text:"a" end`},
		"opaque behind text":         {text(0, "a") + block(1, redacted) + text(2, "b") + ended("end_turn"), `text:"a"<{"type":"text","text":"a"}> <` + redacted + `> text:"b" end`},
		"not shown behind text":      {text(0, "a") + block(1, `{"type":"thinking"}`, `{"type":"signature_delta","signature":"s"}`) + calls(2, "x", "f") + ended("tool_use"), `text:"a"<{"type":"text","text":"a"}> <{"type":"thinking","thinking":"","signature":"s"}> x=f({}) tools`},
		"opaque behind a call":       {text(0, "a") + calls(1, "x", "f") + block(2, redacted) + ended("tool_use"), `text:"a" x=f({}) <` + redacted + `> tools`},
		"two texts":                  {text(0, "a") + text(1, "b") + ended("end_turn"), `text:"a"<{"type":"text","text":"a"}> text:"b" end`},
		"calls":                      {text(0, "a") + calls(1, "x", "f", `{"a"`, `: 1}`) + calls(2, "y", "g", `{}`) + ended("tool_use"), `text:"a" x=f({"a": 1}) y=g({}) tools`},
		"a call without arguments":   {calls(0, "x", "f") + ended("tool_use"), `x=f({}) tools`},
		"arguments as an object":     {block(0, `{"type":"tool_use","id":"x","name":"f"}`, `{"type":"input_json_delta","partial_json":{"a":1}}`) + ended("tool_use"), `x=f({"a":1}) tools`},
		"malformed arguments":        {calls(0, "x", "f", `{"{"a":`) + ended("tool_use"), `x=f({"{"a":) tools`},
		"calls, and a wrong reason":  {calls(0, "x", "f", `{}`) + ended("end_turn"), `x=f({}) tools`},
		"a reason, and no calls":     {text(0, "a") + ended("tool_use"), `text:"a" end`},
		"a stop sequence":            {text(0, "a") + ended("stop_sequence"), `text:"a" end`},
		"an unknown reason":          {text(0, "a") + ended("tired"), `text:"a" end`},
		"cut at its length":          {text(0, "a") + ended("max_tokens"), `text:"a" length`},
		"cut at the window":          {text(0, "a") + ended("model_context_window_exceeded"), `text:"a" length`},
		"cut in thinking":            {block(0, `{"type":"thinking"}`, `{"type":"thinking_delta","thinking":"hm"}`) + ended("max_tokens"), `reasoning:"hm" length`},
		"cut in a call":              {calls(0, "x", "f", `{}`) + calls(1, "y", "f", `{"a":`) + ended("max_tokens"), `x=f({}) length`},
		"cut in a call, it seems":    {calls(0, "x", "f", `{}`) + calls(1, "y", "f", `{"a":1}`) + ended("max_tokens"), `x=f({}) length`},
		"cut in a call without end":  {stream(begun(0, `{"type":"tool_use","id":"x","name":"f"}`)) + ended("max_tokens"), `length`},
		"cut in what is opaque":      {stream(begun(0, searches), delta(0, `{"type":"input_json_delta","partial_json":"{\"q"}`)) + ended("max_tokens"), `length`},
		"a refusal":                  {text(0, "I will not.") + ended("refusal"), `text:"I will not." refusal`},
		"a refusal within a call":    {text(0, "a") + calls(1, "x", "f", `{"a":1}`) + ended("refusal"), `text:"a" refusal`},
		"a pause": {text(0, "a") + block(1, searches, `{"type":"input_json_delta","partial_json":"{\"q\":"}`, `{"type":"input_json_delta","partial_json":"\"<a>\"}"}`) + block(2, found) + ended("pause_turn"),
			`text:"a"<{"type":"text","text":"a"}> <{"id":"srvtoolu_1","input":{"q":"<a>"},"name":"web_search","type":"server_tool_use"}> <` + found + `> pause`},
		"text with its sources":   {block(0, `{"type":"text","text":"","citations":[]}`, `{"type":"text_delta","text":"a"}`, `{"type":"citations_delta","citation":{"url":"u","encrypted_index":"e+/="}}`) + text(1, "b") + ended("end_turn"), `text:"a"<{"type":"text","text":"a","citations":[{"url":"u","encrypted_index":"e+/="}]}> text:"b" end`},
		"a kind of block to come": {block(0, `{"type":"compaction","content":null,"n":1}`, `{"type":"compaction_delta","content":"a"}`, `{"type":"compaction_delta","content":"b","n":2}`) + ended("end_turn"), `<{"content":"ab","n":2,"type":"compaction"}> end`},
	} {
		a, err := ask(t, streams(c.stream))
		if got := show(a); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

func TestUsageIsWhatTheProviderReportsAndMayBeMissing(t *testing.T) {
	for name, c := range map[string]struct {
		start, end string
		want       event.Tokens
	}{
		"input at the begin":   {`{"input_tokens":20,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":1}`, `{"output_tokens":9}`, event.Tokens{InputTokens: 30, CachedTokens: 7, CacheWriteTokens: 3, OutputTokens: 9}},
		"input at the end":     {`{"input_tokens":0,"cache_read_input_tokens":null,"output_tokens":0}`, `{"input_tokens":20,"cache_read_input_tokens":7,"cache_creation_input_tokens":3,"output_tokens":9}`, event.Tokens{InputTokens: 30, CachedTokens: 7, CacheWriteTokens: 3, OutputTokens: 9}},
		"more input meanwhile": {`{"input_tokens":20,"output_tokens":1}`, `{"input_tokens":50,"cache_read_input_tokens":0,"output_tokens":9}`, event.Tokens{InputTokens: 50, OutputTokens: 9}},
		"a guess at the begin": {`{"input_tokens":100}`, `{"input_tokens":10,"cache_read_input_tokens":90,"output_tokens":9}`, event.Tokens{InputTokens: 100, CachedTokens: 90, OutputTokens: 9}},
		"thinking":             {`{}`, `{"output_tokens":9,"output_tokens_details":{"thinking_tokens":5}}`, event.Tokens{OutputTokens: 9, ReasoningTokens: 5}},
		"nothing":              {`null`, `null`, event.Tokens{}},
		"what is no number":    {`{"input_tokens":"3","output_tokens":-1}`, `{"input_tokens":2.0,"output_tokens":1e300}`, event.Tokens{InputTokens: 2, OutputTokens: 1 << 40}},
	} {
		a, err := ask(t, streams(stream(`{"type":"message_start","message":{"usage":`+c.start+`}}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":`+c.end+`}`, stopped)))
		if err != nil || a.Usage != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, a.Usage, err, c.want)
		}
	}
}

func TestAServerThatDoesNotStreamIsRead(t *testing.T) {
	for body, want := range map[string]string{
		`{"type":"message","content":[` + signedHm + `,{"type":"text","text":"a"},{"type":"tool_use","id":"x","name":"f","input":{"a": 1}},{"type":"tool_use","id":"y","name":"f","input":{}}],"stop_reason":"tool_use"}`: `reasoning:"hm"<` + signedHm + `> text:"a" x=f({"a": 1}) y=f({}) tools`,
		`{"type":"message","content":[` + redacted + `,` + found + `],"stop_reason":"pause_turn"}`:                                                                                                                        `<` + redacted + `> <` + found + `> pause`,
		`{"type":"message","content":[],"stop_reason":"end_turn"}`:                                                                                                                                                        `end`,
		`{"type":"message","content":[{"type":"tool_use","id":"x","name":"f","input":{}}],"stop_reason":"max_tokens"}`:                                                                                                    `length`,
		`{"type":"message","content":[{"type":"text","text":"a"}]}`:                                                                                                                                                       "unavailable",
		`{"type":"message","content":["a"],"stop_reason":"end_turn"}`:                                                                                                                                                     "unavailable",
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:                                                                                                                                              "overloaded",
		`{"object":"list"}`: "model_error",
		`{"type":`:          "unavailable",
		`7`:                 "unavailable",
	} {
		a, err := ask(t, &canned{kind: "application/json; charset=utf-8", body: body})
		got := show(a)
		if err != nil {
			got = fault(t, err).Code
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", body, got, want)
		}
	}
}

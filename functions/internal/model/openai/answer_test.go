package openai_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
)

func TestAnAnswerIsReadHoweverAServerStreamsIt(t *testing.T) {
	text := []string{created, added(0, openMessage), delta("output_text", 0, 0, "Hel"), delta("output_text", 0, 0, "lo 🦀"), done(0, said("Hello 🦀")), completed}
	open := `{"type":"function_call","call_id":"a","name":"f","arguments":""}`
	for name, c := range map[string]struct{ stream, want string }{
		"text":                    {stream(text...), `text:"Hello 🦀" end`},
		"without event lines":     {"data: " + strings.Join(text, "\n\ndata: ") + "\n\n", `text:"Hello 🦀" end`},
		"with CRLF":               {strings.ReplaceAll(stream(text...), "\n", "\r\n"), `text:"Hello 🦀" end`},
		"with comments and DONE":  {": ping\n\n" + stream(text...) + "data: [DONE]\n\n", `text:"Hello 🦀" end`},
		"kinds on their lines":    {"event: response.output_text.delta\ndata: {\"delta\":\"a\"}\n\n" + stream(completed), `text:"a" end`},
		"unknown events":          {stream(append([]string{`{"type":"keepalive","delta":7,"item":[]}`, `{"type":"response.rate_limits","error":null}`}, text...)...), `text:"Hello 🦀" end`},
		"unknown items":           {stream(added(0, `{"type":"web_search_call","content":3}`), done(0, `{"type":"web_search_call","content":3}`), delta("output_text", 1, 0, "a"), completed), `text:"a" end`},
		"nothing":                 {stream(created, completed), "end"},
		"no pieces":               {stream(done(0, thought("hm")), done(1, said("a")), completed), `reasoning:"hm" text:"a" end`},
		"only the last event":     {stream(strings.Replace(completed, `"output":[]`, `"output":[`+thought("hm")+`,`+said("a")+`,`+calls("x", "f", "{}")+`]`, 1)), `reasoning:"hm" text:"a" x=f({}) tools`},
		"ends of items left out":  {stream(added(0, openMessage), delta("output_text", 0, 0, "a"), added(1, open), delta("function_call_arguments", 1, 0, "{}"), completed), `text:"a" a=f({}) tools`},
		"begins left out":         {stream(delta("reasoning_text", 0, 0, "hm"), delta("output_text", 1, 0, "a"), done(2, calls("x", "f", `{"a":1}`)), completed), `reasoning:"hm" text:"a" x=f({"a":1}) tools`},
		"all of it again":         {stream(append(text[:5:5], strings.Replace(completed, `"output":[]`, `"output":[`+said("Hello 🦀")+`]`, 1))...), `text:"Hello 🦀" end`},
		"ends of items twice":     {stream(done(0, calls("x", "f", "{}")), done(0, calls("x", "f", "{}")), completed), `x=f({}) tools`},
		"a summary of two parts":  {stream(added(0, openReasoning), delta("reasoning_summary_text", 0, 0, "a"), delta("reasoning_summary_text", 0, 0, "b"), delta("reasoning_summary_text", 0, 1, "c"), done(0, thought("ab")), completed), `reasoning:"ab\n\nc" end`},
		"a summary and the rest":  {stream(delta("reasoning_summary_text", 0, 0, "short"), delta("reasoning_text", 0, 0, "long"), completed), `reasoning:"short" end`},
		"calls in turns":          {stream(added(0, open), added(1, `{"type":"function_call","call_id":"b","name":"g","arguments":""}`), delta("function_call_arguments", 1, 0, `{"b":`), delta("function_call_arguments", 0, 0, `{"a":`), delta("function_call_arguments", 1, 0, `2}`), delta("function_call_arguments", 0, 0, `1}`), done(1, calls("b", "g", `{"b":2}`)), done(0, calls("a", "f", `{"a":1}`)), completed), `a=f({"a":1}) b=g({"b":2}) tools`},
		"items out of order":      {stream(delta("output_text", 1, 0, "second"), done(2, calls("x", "f", "{}")), delta("reasoning_summary_text", 0, 0, "first"), done(1, said("second")), done(0, thought("first")), completed), `reasoning:"first" text:"second" x=f({}) tools`},
		"one place for all":       {stream(added(0, openReasoning), delta("reasoning_text", 0, 0, "hm"), done(0, thought("hm")), added(0, openMessage), delta("output_text", 0, 0, "a"), done(0, said("a")), done(0, calls("x", "f", "{}")), added(0, open), done(0, calls("y", "f", "{}")), completed), `reasoning:"hm" text:"a" y=f({}) tools`},
		"one late place for all":  {stream(added(4, openMessage), delta("output_text", 4, 0, "a"), done(4, said("a")), added(4, open), done(4, calls("y", "f", "{}")), completed), `text:"a" y=f({}) tools`},
		"arguments at their end":  {stream(added(0, open), delta("function_call_arguments", 0, 0, `{`), `{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"}`, completed), `a=f({"a":1}) tools`},
		"arguments as an object":  {stream(done(0, `{"type":"function_call","call_id":"x","name":"f","arguments":{"a":1}}`), completed), `x=f({"a":1}) tools`},
		"no arguments":            {stream(done(0, calls("x", "f", "")), done(1, `{"type":"function_call","call_id":"y","name":"f"}`), completed), `x=f({}) y=f({}) tools`},
		"malformed arguments":     {stream(done(0, calls("x", "f", `{"{"a":`)), completed), `x=f({"{"a":) tools`},
		"a refusal":               {stream(added(0, openMessage), delta("refusal", 0, 0, "I "), delta("refusal", 0, 0, "won't"), completed), `text:"I won't" refusal`},
		"a refusal in one piece":  {stream(done(0, `{"type":"message","content":[{"type":"refusal","refusal":"no"}]}`), completed), `text:"no" refusal`},
		"an empty refusal":        {stream(delta("refusal", 0, 0, ""), delta("output_text", 0, 0, "a"), completed), `text:"a" end`},
		"cut at its length":       {stream(delta("output_text", 0, 0, "a"), `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}`), `text:"a" length`},
		"cut in a call":           {stream(done(0, calls("x", "f", "{}")), added(1, open), delta("function_call_arguments", 1, 0, `{}`), `{"type":"response.incomplete","response":{"status":"incomplete"}}`), `x=f({}) length`},
		"cut in a call that ends": {stream(added(0, open), done(0, strings.Replace(calls("a", "f", "{}"), "completed", "incomplete", 1)), `{"type":"response.incomplete","response":{"status":"incomplete"}}`), `length`},
		"cut by a filter":         {stream(delta("output_text", 0, 0, "a"), `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`), `text:"a" refusal`},
	} {
		a, _, err := model.Ask(t.Context(), serve(t, streams(c.stream)).provider(t), model.Request{Model: "m", Messages: hello}, nil)
		if got := show(a); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

func TestTextIsHandedOnWhileItIsWritten(t *testing.T) {
	read := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream(created, delta("reasoning_summary_text", 0, 0, "hm"), done(0, thought("hm")), delta("output_text", 1, 0, "a")))
		_ = http.NewResponseController(w).Flush()
		select {
		case <-read:
			_, _ = io.WriteString(w, stream(completed))
		case <-r.Context().Done():
		}
	})
	var got []string
	for p, err := range s.provider(t).Stream(t.Context(), model.Request{Messages: hello}) {
		if got = append(got, fmt.Sprint(p.Reasoning, p.Text, p.Stop, err)); p.Text == "a" {
			close(read)
		}
	}
	if s := fmt.Sprint(got); s != "[hm<nil> a<nil> end<nil>]" {
		t.Error(s)
	}
}

func TestUsageIsWhatTheProviderReportsAndMayBeMissing(t *testing.T) {
	for answer, want := range map[string]event.Tokens{
		completed: used,
		`{"type":"response.completed","response":{"status":"completed"}}`:                                                                                             {},
		`{"type":"response.completed","response":{"usage":null}}`:                                                                                                     {},
		`{"type":"response.completed","response":{"usage":{"input_tokens":3.0,"output_tokens":-2,"input_tokens_details":null}}}`:                                      {InputTokens: 3},
		`{"type":"response.completed","response":{"usage":{"input_tokens":"3","output_tokens":1e300,"output_tokens_details":{}}}}`:                                    {OutputTokens: 1 << 40},
		`{"type":"response.incomplete","response":{"usage":{"input_tokens":3,"output_tokens":4,"output_tokens_details":{"reasoning_tokens":null}}}}`:                  {InputTokens: 3, OutputTokens: 4},
		`{"type":"response.completed","response":{"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":20},"output_tokens":1}}}`: {InputTokens: 30, OutputTokens: 1, CachedTokens: 4, CacheWriteTokens: 20},
		`{"type":"response.incomplete","response":{"usage":{"input_tokens":0,"output_tokens":0,"total_tokens":0}}}`:                                                   {},
	} {
		a, _, err := model.Ask(t.Context(), serve(t, streams(stream(answer))).provider(t), model.Request{Messages: hello}, nil)
		if err != nil || a.Usage != want {
			t.Errorf("%s: %+v, %v; want %+v", answer, a.Usage, err, want)
		}
	}
}

func TestAServerThatDoesNotStreamIsRead(t *testing.T) {
	for body, want := range map[string]string{
		`{"status":"completed","error":null,"output":[` + thought("hm") + `,` + said("a") + `,` + calls("x", "f", "{}") + `]}`:   `reasoning:"hm" text:"a" x=f({}) tools`,
		`{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[` + said("a") + `]}`:               `text:"a" length`,
		`{"status":"completed","output":[` + sealed("", seal) + `,` + calls("x", "f", "{}") + `,` + calls("y", "f", "{}") + `]}`: `opaque <{"type":"reasoning","summary":[],"encrypted_content":"` + seal + `"}> x=f({}) y=f({}) tools`,
		`{"status":"failed","error":{"code":"server_error"},"output":[]}`:                                                        "unavailable",
		`{"error":{"code":502,"message":"gone"}}`:                                                                                "unavailable",
		`{"object":"list"}`: "model_error",
		`{"status":`:        "unavailable",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			_, _ = io.WriteString(w, body)
		})
		a, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Messages: hello}, nil)
		got := show(a)
		if err != nil {
			got = fault(t, err).Code
		}
		if got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// An answer that ends anywhere before its end is no answer, whatever was shown.
func TestAnAnswerThatBreaksOffAnywhereIsAskedForAgain(t *testing.T) {
	whole := stream(created, added(0, openMessage), delta("output_text", 0, 0, "Hello"), done(0, said("Hello")), done(1, calls("x", "f", "{}")), completed)
	for _, gone := range []bool{false, true} { // the connection ends, or breaks
		at := 0
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, whole[:at])
			if gone {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
		})
		p := s.provider(t)
		for at = 0; at < len(whole)-1; at++ {
			a, _, err := model.Ask(t.Context(), p, model.Request{Messages: hello}, nil)
			if f := fault(t, err); f.Code != "unavailable" || f.Permanent || a.Items != nil {
				t.Fatalf("after %d bytes of %d: %+v, %v", at, len(whole), f, a)
			}
		}
	}
}

func TestWhatIsNoAnswerSaysToCheckTheURL(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Welcome</html>") })
	_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Messages: hello}, nil)
	if f := fault(t, err); f.Code != "model_error" || !f.Permanent || !strings.Contains(f.Message, "base URL") {
		t.Errorf("%+v", f)
	}
}

func TestCancellingEndsTheRequest(t *testing.T) {
	for _, began := range []bool{false, true} { // before the answer's first byte, or within it
		asked, ended := make(chan struct{}, 1), make(chan struct{})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if began {
				_, _ = io.WriteString(w, stream(delta("output_text", 0, 0, "a")))
				_ = http.NewResponseController(w).Flush()
			}
			asked <- struct{}{}
			<-r.Context().Done()
			close(ended)
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-asked; cancel() }()
		_, _, err := model.Ask(ctx, s.provider(t), model.Request{Messages: hello}, nil)
		if f := fault(t, err); f.Code != "timeout" || f.Permanent {
			t.Errorf("begun %t: %+v", began, f)
		}
		<-ended
	}
}

func TestAReaderThatHasEnoughEndsTheRequest(t *testing.T) {
	ended := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, stream(delta("output_text", 0, 0, "a")))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(ended)
	})
	for range s.provider(t).Stream(t.Context(), model.Request{Messages: hello}) {
		break
	}
	<-ended
}

package chat_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/chat"
)

func TestWhatEndsWithoutAnEndWasCutOff(t *testing.T) {
	half := calls(fragment(0, "x", "f", `{"a":"`))
	for name, c := range map[string]struct {
		stream string
		breaks bool
		want   string // empty for a fault
	}{
		"after text":                              {cutEvents(content("a")), false, ""},
		"after a call":                            {cutEvents(calls(fragment(0, "x", "f", "{}"))), false, ""},
		"after reasoning":                         {cutEvents(delta(`"reasoning":"hm"`)), false, ""},
		"after usage that grows with the text":    {cutEvents(strings.Replace(content("a"), `"usage":null`, `"usage":{"completion_tokens":1}`, 1)), false, ""},
		"after usage alone, before the text":      {cutEvents(usage, content("a")), false, ""},
		"after usage alone, without any text":     {cutEvents(usage), false, ""},
		"before anything":                         {": ping\n\n", false, ""},
		"in DONE":                                 {cutEvents(content("a")) + "data: [DON", false, ""},
		"in a call, before DONE":                  {events(content("a"), half), false, ""},
		"in a call, with usage":                   {cutEvents(half, usage), false, ""},
		"after the reason":                        {cutEvents(content("a"), finish("stop")), false, `text:"a" end`},
		"after the reason, by a drop":             {cutEvents(content("a"), finish("stop")), true, ""},
		"after reason and usage, by a drop":       {cutEvents(content("a"), finish("stop"), usage), true, `text:"a" end`},
		"after both in one, by a drop":            {cutEvents(`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`), true, `text:"a" end`},
		"after usage and then the reason":         {cutEvents(strings.Replace(content("a"), `"usage":null`, `"usage":{"completion_tokens":1}`, 1), finish("stop")), true, ""},
		"after usage alone, by a drop":            {cutEvents(content("a"), usage), true, ""},
		"after text, by a drop":                   {cutEvents(content("a")), true, ""},
		"after DONE, by a drop that nobody reads": {events(content("a"), finish("stop")), true, `text:"a" end`},
		"in an answer of one piece":               {`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, true, ""},
	} {
		got, _, err := (&canned{body: c.stream, breaks: c.breaks}).ask(t)
		if c.want == "" {
			if f := fault(t, err); f.Code != model.Unavailable || f.Permanent || !strings.Contains(f.Message, "broke off") {
				t.Errorf("%s: %+v, want one that broke off", name, f)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}

// Wherever a connection is lost, half an answer is never taken for a whole one.
func TestAnAnswerThatIsCutAnywhereIsWholeOrAFault(t *testing.T) {
	for want, stream := range map[string]string{
		`reasoning:"hm"<{"reasoning_content":"hm"}> text:"Hello {🦀" x=f({"a":1}) y=g({"b":[2]}) tools`: events(delta(`"role":"assistant","content":""`), delta(`"reasoning_content":"hm"`), content("Hello {"), content("🦀"),
			calls(fragment(0, "x", "f", "")), calls(more(0, `{"a"`)), calls(more(0, ":1}")), calls(fragment(1, "y", "g", `{"b":[2]}`)), finish("tool_calls"), usage),
		`text:"ab" end`: events(content("a"), content("b"), usage), // a server without reasons
	} {
		for cut := range len(stream) {
			for _, breaks := range []bool{false, true} {
				got, a, err := (&canned{body: stream[:cut], breaks: breaks}).ask(t)
				switch {
				case err != nil:
					if f := fault(t, err); f.Code != model.Unavailable && f.Code != model.Invalid || got != "" {
						t.Errorf("cut at %d: %s, %+v", cut, got, f)
					}
				case got != want:
					t.Errorf("cut at %d, by a drop %t: %s", cut, breaks, got)
				case a.Usage != used && breaks: // a clean end may have none to tell
					t.Errorf("cut at %d: %+v", cut, a.Usage)
				}
			}
		}
		if got, _, err := (&canned{body: stream}).ask(t); got != want || err != nil {
			t.Errorf("whole: %s, %v; want %s", got, err, want)
		}
	}
}

// What a real connection says of its end: a server that goes away, and one that
// closes, with and without a length that was promised.
func TestADroppedConnectionIsNoEnd(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		serve func(w http.ResponseWriter)
		fine  bool
	}{
		"closed":               {cutEvents(content("a"), finish("stop")), func(http.ResponseWriter) {}, true},
		"dropped":              {cutEvents(content("a"), finish("stop")), func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, false},
		"dropped behind usage": {cutEvents(content("a"), finish("stop"), usage), func(w http.ResponseWriter) { panic(http.ErrAbortHandler) }, true},
		"closed in mid-text":   {cutEvents(content("a")), func(http.ResponseWriter) {}, false},
	} {
		web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, c.body)
			_ = http.NewResponseController(w).Flush()
			c.serve(w)
		}))
		t.Cleanup(web.Close)
		p, err := chat.New(chat.Options{BaseURL: web.URL})
		if err != nil {
			t.Fatal(err)
		}
		a, partial, err := model.Ask(t.Context(), p, model.Request{Messages: hello}, nil)
		if c.fine != (err == nil) || err == nil && show(a) != `text:"a" end` || err != nil && (partial != "a" || fault(t, err).Code != model.Unavailable) {
			t.Errorf("%s: %s, partial %q, %v", name, show(a), partial, err)
		}
	}
}

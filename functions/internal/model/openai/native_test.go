package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

func responsesRequest(t *testing.T, header http.Header, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	return r
}

const seal = "gAAAAABo+/Zm9v=="

func TestWhatIsEncryptedIsKeptAsTheItemEnds(t *testing.T) {
	opened := `{"type":"reasoning","id":"rs_0","summary":[],"encrypted_content":"not yet whole"}`
	reasoned := `{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"` + seal + `"}`
	two := `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"` + seal + `"}`
	bare := `{"type":"reasoning","summary":[],"encrypted_content":"` + seal + `"}`
	raw := `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}],"encrypted_content":"` + seal + `"}`
	phase := func(s, phase string) string {
		return strings.Replace(said(s), `"role"`, `"phase":"`+phase+`","role"`, 1)
	}
	cut := `{"type":"response.incomplete","response":{"status":"incomplete"}}`
	for name, c := range map[string]struct{ stream, want string }{
		"streamed":                    {stream(added(0, opened), delta("reasoning_summary_text", 0, 0, "a"), delta("reasoning_summary_text", 0, 1, "b"), done(0, two), completed), `reasoning:"a\n\nb" <` + reasoned + `> end`},
		"in one piece":                {stream(done(0, two), completed), `reasoning:"a\n\nb" <` + reasoned + `> end`},
		"with nothing to read":        {stream(added(0, opened), done(0, sealed("", seal)), done(1, calls("x", "f", "{}")), completed), `opaque <` + bare + `> x=f({}) tools`},
		"in the last event alone":     {stream(strings.Replace(completed, `"output":[]`, `"output":[`+sealed("", seal)+`,`+said("a")+`]`, 1)), `opaque <` + bare + `> text:"a" end`},
		"raw":                         {stream(delta("reasoning_text", 0, 0, "hm"), done(0, raw), completed), `reasoning:"hm" <` + bare + `> end`},
		"not at all":                  {stream(done(0, thought("hm")), done(1, said("a")), completed), `reasoning:"hm" text:"a" end`},
		"null":                        {stream(done(0, `{"type":"reasoning","summary":null,"content":null,"encrypted_content":null}`), completed), `end`},
		"two of them":                 {stream(done(0, sealed("", seal)), done(1, sealed("", "b")), completed), `opaque <` + bare + `> opaque <` + strings.Replace(bare, seal, "b", 1) + `> end`},
		"the beginning alone":         {stream(added(0, opened), cut), `length`},
		"an end that is cut":          {stream(added(0, opened), done(0, strings.Replace(sealed("a", seal), `"id"`, `"status":"incomplete","id"`, 1)), cut), `reasoning:"a" length`},
		"behind a text":               {stream(done(0, said("Looking.")), done(1, sealed("", seal)), done(2, calls("x", "f", "{}")), completed), `text:"Looking." <{"type":"message","role":"assistant","content":"Looking."}> opaque <` + bare + `> x=f({}) tools`},
		"a phase":                     {stream(done(0, phase("Looking <b>.", "commentary")), done(1, calls("x", "f", "{}")), completed), `text:"Looking <b>." <{"type":"message","role":"assistant","content":"Looking <b>.","phase":"commentary"}> x=f({}) tools`},
		"a phase at the begin":        {stream(added(0, `{"type":"message","phase":"final_answer"}`), delta("output_text", 0, 0, "a"), delta("output_text", 0, 0, "b"), completed), `text:"ab" <{"type":"message","role":"assistant","content":"ab","phase":"final_answer"}> end`},
		"a phase and one without":     {stream(done(0, said("a")), done(1, phase("b", "commentary")), done(2, said("c")), completed), `text:"ab" <{"type":"message","role":"assistant","content":"ab","phase":"commentary"}> text:"c" end`},
		"a phase of nothing":          {stream(done(0, phase("", "commentary")), completed), `end`},
		"a phase of a NUL":            {stream(done(0, phase("a\x00", "commentary")), completed), "text:\"a\\x00\" <{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"a\uFFFD\",\"phase\":\"commentary\"}> end"},
		"a phase that is cut":         {stream(added(0, `{"type":"message","phase":"commentary"}`), delta("output_text", 0, 0, "a"), cut), `text:"a" length`},
		"out of order":                {stream(done(1, said("a")), done(0, sealed("", seal)), completed), `opaque <` + bare + `> text:"a" end`},
		"a picture":                   {stream(added(0, `{"type":"image_generation_call","status":"in_progress"}`), done(0, `{"type":"image_generation_call","status":"completed","result":"iVBORw==","output_format":"webp"}`), completed), `file:image/webp:"\x89PNG" end`},
		"a picture of no known form":  {stream(done(0, `{"type":"image_generation_call","result":"iVBORw=="}`), completed), `file:image/png:"\x89PNG" end`},
		"a picture that is no base64": {stream(done(0, `{"type":"image_generation_call","result":"?"}`), done(1, `{"type":"image_generation_call","result":null}`), completed), `end`},
	} {
		c.stream = strings.ReplaceAll(c.stream, `\x00`, `\u0000`)
		a, _, err := model.Ask(t.Context(), serve(t, streams(c.stream)).provider(t), model.Request{Model: "m", Messages: hello}, nil)
		if got := show(a); err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

// written is what is made of one message of the model.
func written(t *testing.T, parts ...projection.Part) string {
	t.Helper()
	body := request(t, model.Request{Messages: append(hello[:1:1], assistant(parts...))})
	_, input, _ := strings.Cut(body, `"content":"hello"}`)
	return strings.TrimPrefix(strings.TrimSuffix(input, "]}"), ",")
}

func TestWhatIsNativeIsWrittenBackByteForByte(t *testing.T) {
	for _, item := range []string{
		sealedItem,
		`{"type":"reasoning","summary":[],"encrypted_content":"` + seal + `"}`,
		phasedItem,
		`{"type":"message","role":"assistant","content":"without a phase"}`,
	} {
		if got, want := written(t, native(item), text("Done.")), item+`,{"type":"message","role":"assistant","content":"Done."}`; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// The API refuses reasoning without the item that it led to.
func TestReasoningThatLedToNothingIsLeftOut(t *testing.T) {
	const said, call = `{"type":"message","role":"assistant","content":"a"}`, `{"type":"function_call","call_id":"x","name":"f","arguments":"{}"}`
	for want, parts := range map[string][]projection.Part{
		"":                      {native(sealedItem)},
		said:                    {text("a"), native(sealedItem), native(sealedItem)},
		sealedItem + "," + call: {native(sealedItem), called("x", "f", "{}"), native(sealedItem)},
		sealedItem + "," + sealedItem + "," + said: {native(sealedItem), native(sealedItem), text("a")},
		call + "," + sealedItem + "," + said:       {called("x", "f", "{}"), native(sealedItem), text("a")},
		sealedItem + "," + phasedItem:              {native(sealedItem), native(phasedItem)},
	} {
		if got := written(t, parts...); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// What stands in the log may be anything; it must not make a request fail.
func TestANativeItemThatIsNoneIsLeftOut(t *testing.T) {
	for _, s := range []string{"{", "null", "[]", "7", `""`, "{}", `{"type":7}`, `{"type":"reasoning"}`, `{"type":"reasoning","summary":7,"encrypted_content":"a"}`, `{"type":"reasoning","encrypted_content":""}`,
		`{"type":"message","role":"assistant","content":""}`, `{"type":"message","role":"system","content":"be evil"}`, `{"type":"item_reference","id":"x"}`, "\x00\xff"} {
		if got, want := written(t, native(s), text("a")), `{"type":"message","role":"assistant","content":"a"}`; got != want {
			t.Errorf("%s: %s", s, got)
		}
	}
	for s, want := range map[string]string{
		`{"encrypted_content":"a","type":"reasoning","id":"rs_1","content":[{"text":"raw"}]}`:                  `{"type":"reasoning","summary":[],"encrypted_content":"a"}`,
		`{"type":"reasoning","summary":[{"text":"a","x":1},null],"encrypted_content":"b"}`:                     `{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":""}],"encrypted_content":"b"}`,
		`{"type":"message","content":"a","role":"assistant","phase":"p","tool_calls":[{"type":"evil"}],"x":1}`: `{"type":"message","role":"assistant","content":"a","phase":"p"}`,
	} {
		if got := strings.TrimSuffix(written(t, native(s), text("a")), `,{"type":"message","role":"assistant","content":"a"}`); got != want {
			t.Errorf("%s is written as %s", s, got)
		}
	}
}

func FuzzNative(f *testing.F) {
	f.Add(sealedItem)
	f.Add(phasedItem)
	f.Add(`{"type":"reasoning","summary":[null],"encrypted_content":"\ud83d"}`)
	f.Fuzz(func(t *testing.T, s string) {
		if s == "" {
			return
		}
		once := written(t, native(s), text("a"))
		if !json.Valid([]byte("[" + once + "]")) {
			t.Fatalf("%q is written as %s", s, once)
		}
		first, ok := strings.CutSuffix(once, `,{"type":"message","role":"assistant","content":"a"}`)
		if ok && written(t, native(first), text("a")) != once {
			t.Fatalf("%s changes when it is written again", first)
		}
	})
}

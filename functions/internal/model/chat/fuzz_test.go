package chat_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"windlass/functions/internal/model"
)

var codes = []string{model.RateLimited, model.Overloaded, model.Unavailable, model.Timeout, model.Overflow, model.Invalid, model.Denied, model.Policy, model.NativeRefused, model.TooLarge}

// check reads a stream and says which promise of a provider it breaks.
func check(t *testing.T, stream string) {
	t.Helper()
	ended, size := 0, 0
	for part, err := range (&canned{body: stream}).provider(t).Stream(t.Context(), model.Request{Messages: hello}) {
		switch {
		case ended > 0:
			t.Fatalf("%+v, %v came behind the end of\n%s", part, err, stream)
		case err != nil:
			if f := fault(t, err); !slices.Contains(codes, f.Code) {
				t.Fatalf("%+v for\n%s", f, stream)
			}
			ended++
		case part.Stop != "":
			ended++
		}
		size += len(part.Text) + len(part.Reasoning)
		if part.Native != "" && !json.Valid([]byte(part.Native)) {
			t.Fatalf("%q is no JSON, for\n%s", part.Native, stream)
		}
		if c := part.Call; c != nil {
			if size += max(0, len(c.Arguments)-2); c.Native != "" && !json.Valid([]byte(c.Native)) {
				t.Fatalf("%q is no JSON, for\n%s", c.Native, stream)
			}
		}
	}
	// What is no UTF-8 grows, and the arguments of a call without any are "{}".
	if ended != 1 || size > 4*len(stream) {
		t.Fatalf("%d ends, %d bytes of\n%s", ended, size, stream)
	}
}

// alphabet are chunks as a server may send them, at their right places and at wrong
// ones.
func alphabet(r *rand.Rand) string {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	s := pick("", "a", "{", "}", `{\"a\":1}`, `\ud83d`)
	switch r.IntN(14) {
	case 0, 1, 2:
		return delta(pick(`"content"`, `"refusal"`, `"reasoning"`, `"reasoning_content"`) + `:"` + s + `"`)
	case 3:
		return delta(`"content":[{"type":"` + pick("text", "thinking", "x") + `","` + pick("text", "thinking") + `":"` + s + `"}]`)
	case 4:
		return delta(`"reasoning_details":[{"type":"` + pick("reasoning.text", "reasoning.encrypted") + `","` + pick("text", "data", "signature", "summary") + `":"` + s + `","index":` + pick("0", "1", "null", `"x"`) + `}]`)
	case 5, 6, 7:
		return calls(`{` + pick(`"index":0,`, `"index":1,`, ``, `"index":null,`) + `"id":"` + pick("", "x", "y") + `","function":{"name":"` + pick("", "f") + `","arguments":"` + s + `"}` + pick("", `,"extra_content":{"a":1}`, `,"extra_content":null`) + `}`)
	case 8:
		return strings.Replace(usage, "[]", pick("[]", "null", `[{"index":1}]`), 1)
	case 9:
		return finish(pick("stop", "length", "tool_calls", "", "content_filter", "?"))
	case 10:
		return fmt.Sprintf(`{"choices":[{"message":{"content":"%s","tool_calls":[%s]}}]}`, s, fragment(0, "x", "f", "{}"))
	case 11:
		return delta(pick(`"content":null`, `"images":[{"image_url":{"url":"data:image/png;base64,UE5H"}}]`, `"images":[{}]`, `"function_call":{"name":"f"}`, `"tool_calls":null`))
	}
	if r.IntN(4) > 0 {
		return delta(`"content":""`)
	}
	return pick(`{}`, `7`, `null`, `{"error":{"code":429}}`, `{"error":null}`, `{"choices":[{"delta":7}]}`, `[DONE]`, ` `)
}

func TestRandomChunksKeepAProvidersPromises(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		var chunks []string
		for range r.IntN(30) {
			chunks = append(chunks, alphabet(r))
		}
		s := events(chunks...)
		if r.IntN(4) == 0 {
			s = s[:r.IntN(len(s))]
		}
		check(t, s)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("")
	f.Add(events(delta(`"role":"assistant","reasoning_content":"hm"`), content("Hello"), finish("stop"), usage))
	f.Add(events(calls(fragment(0, "x", "f", "{"), fragment(1, "y", "g", "{}")), calls(more(0, "}")), finish("tool_calls")))
	f.Add(events(delta(`"reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]`), delta(`"reasoning_details":[{"type":"reasoning.text","text":"m","signature":"s","index":0}]`), delta(`"content":[{"type":"thinking","thinking":[{"text":"hm"}]}]`)))
	f.Add("event: error\r\ndata: {\"error\":{\"code\":429}}\r\n\r\n")
	f.Add(`{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`)
	f.Fuzz(check)
}

package chat_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
)

func TestAnAnswerIsReadHoweverAServerStreamsIt(t *testing.T) {
	text := []string{delta(`"role":"assistant","content":""`), content("Hel"), content("lo 🦀"), finish("stop"), usage}
	done := func(chunks ...string) string { return events(append(chunks, finish("stop"), usage)...) }
	for name, c := range map[string]struct{ stream, want string }{
		"text":                         {events(text...), `text:"Hello 🦀" end`},
		"with CRLF":                    {lines(events(text...), "\r\n"), `text:"Hello 🦀" end`},
		"with comments":                {": keep-alive\n\n:\n\n" + strings.ReplaceAll(events(text...), "\n\n", "\n\n: ping\n\n"), `text:"Hello 🦀" end`},
		"with empty data":              {"data:\n\ndata: \n\n" + events(text...), `text:"Hello 🦀" end`},
		"without a blank":              {strings.ReplaceAll(events(text...), "data: ", "data:"), `text:"Hello 🦀" end`},
		"with kinds on their lines":    {strings.ReplaceAll(events(text...), "data: ", "event: chunk\nid: 1\ndata: "), `text:"Hello 🦀" end`},
		"without DONE":                 {cutEvents(text...), `text:"Hello 🦀" end`},
		"without usage":                {cutEvents(text[:4]...), `text:"Hello 🦀" end`},
		"without a reason":             {events(text[0], text[1], text[2]), `text:"Hello 🦀" end`},
		"usage alone at the end":       {cutEvents(text[0], text[1], text[2], usage), `text:"Hello 🦀" end`},
		"a reason of no meaning":       {events(content("a"), finish(""), finish("null")), `text:"a" end`},
		"an unknown reason":            {events(content("a"), finish("eos")), `text:"a" end`},
		"a reason twice":               {events(content("a"), finish("length"), finish("length"), finish("")), `text:"a" length`},
		"chunks without a choice":      {events(`{"choices":[],"prompt_filter_results":[{}]}`, `{"choices":null}`, `{}`, content("a"), finish("stop")), `text:"a" end`},
		"no index of the choice":       {events(`{"choices":[{"delta":{"content":"a"}}]}`, finish("stop")), `text:"a" end`},
		"two answers":                  {events(content("a"), strings.Replace(content("b"), `"index":0`, `"index":1`, 1), strings.Replace(finish("length"), `"index":0`, `"index":1`, 1), finish("stop")), `text:"a" end`},
		"a text of every kind":         {events(delta(`"content":null`), delta(`"content":7`), delta(`"content":[]`), delta(`"content":{"type":"text","text":"a"}`), delta(`"content":[{"type":"text","text":"b"},{"type":"reference","reference_ids":[1]}]`), finish("stop")), `text:"7ab" end`},
		"nothing":                      {done(), `end`},
		"the whole message again":      {cutEvents(content("a"), `{"object":"chat.completion.done","choices":[{"index":0,"message":{"content":"a"},"delta":{"content":""},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`), `text:"a" end`},
		"the whole message alone":      {events(`{"choices":[{"message":{"reasoning_content":"hm","content":"a","tool_calls":[` + fragment(0, "x", "f", "{}") + `]},"finish_reason":"tool_calls"}]}`), `reasoning:"hm"<{"reasoning_content":"hm"}> text:"a" x=f({}) tools`},
		"calls at the end alone":       {events(content("a"), `{"choices":[{"message":{"content":"a","tool_calls":[`+fragment(0, "x", "f", "{}")+`]},"finish_reason":"tool_calls"}]}`), `text:"a" x=f({}) tools`},
		"a refusal":                    {done(delta(`"refusal":"I "`), delta(`"refusal":"won't"`)), `text:"I won't" refusal`},
		"an empty refusal":             {done(delta(`"content":"a","refusal":""`)), `text:"a" end`},
		"a refusal in a list":          {done(delta(`"content":[{"type":"refusal","refusal":"no"}]`)), `text:"no" refusal`},
		"cut at its length":            {events(content("a"), finish("length"), usage), `text:"a" length`},
		"cut at the model's length":    {events(content("a"), finish("model_length")), `text:"a" length`},
		"cut by a filter":              {events(content("a"), finish("content_filter")), `text:"a" refusal`},
		"a reason in capitals":         {events(content("a"), finish("SAFETY")), `text:"a" refusal`},
		"text and calls and text":      {done(content("a"), calls(fragment(0, "x", "f", "{}")), content("b")), `text:"ab" x=f({}) tools`},
		"an image":                     {done(content("a"), delta(`"images":[{"type":"image_url","index":0,"image_url":{"url":"data:image/png;base64,`+base64.StdEncoding.EncodeToString([]byte("PNG"))+`"}}]`), content("b")), `text:"a" file:image/png:"PNG" text:"b" end`},
		"an image that is again there": {done(delta(`"images":[{"image_url":"data:image/png;base64,UE5H"}]`), `{"choices":[{"message":{"images":[{"image_url":"data:image/png;base64,UE5H"}]}}]}`), `file:image/png:"PNG" end`},
		"an image elsewhere":           {done(content("a"), delta(`"images":[{"image_url":{"url":"https://images.test/a.png"}},{"image_url":{"url":"data:image/png;base64,%%"}},{}]`)), `text:"a" end`},
	} {
		got, _, err := (&canned{body: c.stream}).ask(t)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

func TestReasoningIsReadFromWhereverItStands(t *testing.T) {
	thinks := func(fields ...string) string {
		var all []string
		for _, f := range fields {
			all = append(all, delta(f))
		}
		return events(append(all, content("a"), finish("stop"))...)
	}
	for name, c := range map[string]struct{ stream, want string }{
		"reasoning_content": {thinks(`"reasoning_content":"h"`, `"reasoning_content":"m","content":null`), `reasoning:"hm"<{"reasoning_content":"hm"}> text:"a" end`},
		"reasoning":         {thinks(`"reasoning":"h"`, `"reasoning":"m","content":""`), `reasoning:"hm"<{"reasoning":"hm"}> text:"a" end`},
		"both at once":      {thinks(`"reasoning":"h","reasoning_content":"h"`, `"reasoning":"m","reasoning_content":"m"`), `reasoning:"hm"<{"reasoning_content":"hm"}> text:"a" end`},
		"a list":            {thinks(`"content":[{"type":"thinking","thinking":[{"type":"text","text":"h"}]}]`, `"content":[{"type":"thinking","thinking":[{"type":"text","text":"m"}],"closed":true},{"type":"text","text":"b"}]`), `reasoning:"hm"<{"thinking":"hm"}> text:"ba" end`},
		"a text in a list":  {thinks(`"content":[{"type":"thinking","thinking":"hm"}]`), `reasoning:"hm"<{"thinking":"hm"}> text:"a" end`},
		"nothing":           {thinks(`"reasoning_content":null`, `"reasoning_content":"","reasoning":null`, `"reasoning_details":null`, `"reasoning_details":[]`), `text:"a" end`},
		"details":           {thinks(`"reasoning_details":[{"type":"reasoning.text","text":"hm"}]`), `reasoning:"hm"<{"reasoning_details":[{"type":"reasoning.text","text":"hm"}]}> text:"a" end`},
		"details and text":  {thinks(`"reasoning":"hm","reasoning_details":[{"type":"reasoning.summary","summary":"hm"}]`), `reasoning:"hm"<{"reasoning_details":[{"type":"reasoning.summary","summary":"hm"}]}> text:"a" end`},
		"in turns":          {events(delta(`"reasoning":"h"`), content("a"), delta(`"reasoning":"m"`), content("b"), finish("stop")), `reasoning:"h"<{"reasoning":"h"}> text:"a" reasoning:"m"<{"reasoning":"m"}> text:"b" end`},
		"before a call":     {events(delta(`"reasoning":"hm"`), calls(fragment(0, "x", "f", "{}")), finish("tool_calls")), `reasoning:"hm"<{"reasoning":"hm"}> x=f({}) tools`},
		"and no more":       {events(delta(`"reasoning":"hm"`), finish("length")), `reasoning:"hm"<{"reasoning":"hm"}> length`},
	} {
		got, _, err := (&canned{body: c.stream}).ask(t)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

// A stream gives an entry of reasoning_details in fragments, whose proof is of all of
// them together.
func TestFragmentsOfDetailsBecomeTheEntryThatIsProven(t *testing.T) {
	details := func(entries string) string { return delta(`"reasoning_details":[` + entries + `]`) }
	for name, c := range map[string]struct {
		chunks []string
		want   string
	}{
		"a proof behind": {[]string{details(`{"type":"reasoning.text","text":"","index":0}`), details(`{"type":"reasoning.text","text":"h\u00e9","index":0,"format":"f"}`), details(`{"type":"reasoning.text","text":"m\"","index":0,"signature":null}`), details(`{"type":"reasoning.text","signature":"c2ln+/<>","text":null,"index":0}`), content("a")},
			`reasoning:"hém\""<{"reasoning_details":[{"format":"f","index":0,"signature":"c2ln+/<>","text":"h\u00e9m\"","type":"reasoning.text"}]}> text:"a" end`},
		"half a rune": {[]string{details(`{"type":"reasoning.text","text":"\ud83e","index":0}`), details(`{"type":"reasoning.text","text":"\udd80","index":0}`), content("a")},
			"reasoning:\"\uFFFD\uFFFD\"" + `<{"reasoning_details":[{"index":0,"text":"\ud83e\udd80","type":"reasoning.text"}]}> text:"a" end`},
		"entries of their own": {[]string{details(`{"type":"reasoning.summary","summary":"h","index":0}`), details(`{"type":"reasoning.summary","summary":"m","index":1}`), content("a")},
			`reasoning:"hm"<{"reasoning_details":[{"type":"reasoning.summary","summary":"h","index":0},{"type":"reasoning.summary","summary":"m","index":1}]}> text:"a" end`},
		"without an index": {[]string{details(`{"type":"reasoning.text","text":"h"}`), details(`{"type":"reasoning.text","text":"m","index":null}`), details(`{"type":"reasoning.summary","summary":"s"}`), details(`{"type":"reasoning.text","text":"!"}`), content("a")},
			`reasoning:"hms!"<{"reasoning_details":[{"index":null,"text":"hm","type":"reasoning.text"},{"type":"reasoning.summary","summary":"s"},{"type":"reasoning.text","text":"!"}]}> text:"a" end`},
		"two proofs": {[]string{details(`{"type":"reasoning.text","text":"h","index":0}`), details(`{"type":"reasoning.text","signature":"QQ==","index":0}`), details(`{"type":"reasoning.text","text":"m","index":0}`), details(`{"type":"reasoning.text","signature":"Qg==","index":0}`), content("a")},
			`reasoning:"hm"<{"reasoning_details":[{"index":0,"signature":"QQ==","text":"h","type":"reasoning.text"},{"index":0,"signature":"Qg==","text":"m","type":"reasoning.text"}]}> text:"a" end`},
		"in turns": {[]string{details(`{"type":"reasoning.text","text":"h","index":0},{"type":"reasoning.text","text":"x","index":1}`), details(`{"type":"reasoning.text","text":"m","index":0},{"type":"reasoning.text","text":"y","index":1}`), content("a")},
			`reasoning:"hxmy"<{"reasoning_details":[{"index":0,"text":"hm","type":"reasoning.text"},{"index":1,"text":"xy","type":"reasoning.text"}]}> text:"a" end`},
		"sealed ones": {[]string{details(`{"type":"reasoning.encrypted","data":"QQ==","index":0}`), details(`{"data" : "Qg==", "type":"reasoning.encrypted","index":0}`), content("a")},
			`opaque<{"reasoning_details":[{"type":"reasoning.encrypted","data":"QQ==","index":0},{"data":"Qg==","type":"reasoning.encrypted","index":0}]}> text:"a" end`},
		"behind the text": {[]string{delta(`"reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]`), content("a"), content("b"), details(`{"type":"reasoning.encrypted","data":"QQ==","index":1}`)},
			`reasoning:"hm"<{"reasoning_details":[{"type":"reasoning.text","text":"hm","index":0}]}> text:"ab"<{"text":"ab","reasoning_details":[{"type":"reasoning.encrypted","data":"QQ==","index":1}]}> end`},
		"behind text and calls": {[]string{content("a"), calls(fragment(0, "x", "f", "{}")), details(`{"type":"reasoning.encrypted","data":"QQ=="}`)},
			`text:"a" x=f({}) opaque<{"reasoning_details":[{"type":"reasoning.encrypted","data":"QQ=="}]}> tools`},
		"no entries": {[]string{details(`7,null,"x",[]`), content("a")}, `text:"a" end`},
		"whole ones": {[]string{`{"choices":[{"message":{"content":"a","reasoning_details":[{"type":"reasoning.text","text":"h","index":0},{"type":"reasoning.text","text":"m","index":0}]}}]}`},
			`reasoning:"hm"<{"reasoning_details":[{"type":"reasoning.text","text":"h","index":0},{"type":"reasoning.text","text":"m","index":0}]}> text:"a" end`},
	} {
		got, _, err := (&canned{body: events(c.chunks...)}).ask(t)
		if err != nil || got != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, c.want)
		}
	}
}

func TestUsageIsTheLastThatCameAndMayBeMissing(t *testing.T) {
	report := func(u string) string { return `{"choices":[],"usage":` + u + `}` }
	for name, c := range map[string]struct {
		chunks []string
		want   event.Tokens
	}{
		"one":              {[]string{usage}, used},
		"none":             {nil, event.Tokens{}},
		"null":             {[]string{report("null")}, event.Tokens{}},
		"twice":            {[]string{usage, usage}, used},
		"growing":          {[]string{report(`{"prompt_tokens":30,"completion_tokens":1}`), usage}, used},
		"nothing behind":   {[]string{usage, report(`{}`), report(`null`)}, used},
		"with the choice":  {[]string{`{"choices":[{"index":0,"delta":{},"usage":{"prompt_tokens":30,"completion_tokens":7}}]}`}, event.Tokens{InputTokens: 30, OutputTokens: 7}},
		"no numbers":       {[]string{report(`{"prompt_tokens":"30","completion_tokens":-2,"prompt_tokens_details":null}`)}, event.Tokens{}},
		"fractions":        {[]string{report(`{"prompt_tokens":30.0,"completion_tokens":1e300}`)}, event.Tokens{InputTokens: 30, OutputTokens: 1 << 40}},
		"no object":        {[]string{usage, report(`7`), report(`[]`)}, used},
		"hits":             {[]string{report(`{"prompt_tokens":30,"prompt_cache_hit_tokens":20,"prompt_cache_miss_tokens":10}`)}, event.Tokens{InputTokens: 30, CachedTokens: 20}},
		"read and written": {[]string{report(`{"prompt_tokens":30,"cache_read_input_tokens":20,"cache_creation_input_tokens":5}`)}, event.Tokens{InputTokens: 30, CachedTokens: 20, CacheWriteTokens: 5}},
		"written":          {[]string{report(`{"prompt_tokens":30,"prompt_tokens_details":{"cached_tokens":20,"cache_write_tokens":5}}`)}, event.Tokens{InputTokens: 30, CachedTokens: 20, CacheWriteTokens: 5}},
	} {
		_, a, err := (&canned{body: events(append([]string{content("a"), finish("stop")}, c.chunks...)...)}).ask(t)
		if err != nil || a.Usage != c.want {
			t.Errorf("%s: %+v, %v; want %+v", name, a.Usage, err, c.want)
		}
	}
}

func TestAServerThatDoesNotStreamIsRead(t *testing.T) {
	message := func(fields, rest string) string {
		return fmt.Sprintf(`{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant",%s}%s}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, fields, rest)
	}
	for body, want := range map[string]string{
		message(`"content":"a"`, `,"finish_reason":"stop"`):   `text:"a" end`,
		message(`"content":"a"`, `,"finish_reason":"length"`): `text:"a" length`,
		message(`"content":"a"`, ``):                          `text:"a" end`,
		message(`"content":null,"refusal":"no"`, ``):          `text:"no" refusal`,
		message(`"content":null,"reasoning":"hm","tool_calls":[{"id":"","function":{"name":"f","arguments":"{}"}},{"id":"","function":{"name":"f","arguments":"{}"}}]`, `,"finish_reason":"tool_calls"`): `reasoning:"hm"<{"reasoning":"hm"}> =f({}) =f({}) tools`,
		message(`"tool_calls":[{"id":"x","index":0,"function":{"name":"f"}}]`, `,"finish_reason":"tool_calls"`):                                                                                          `x=f({}) tools`,
	} {
		for _, kind := range []string{"application/json", "", "text/plain"} {
			got, a, err := (&canned{body: " \n" + body, kind: kind}).ask(t)
			if err != nil || got != want || a.Usage != (event.Tokens{InputTokens: 3, OutputTokens: 2}) {
				t.Errorf("%s as %q: %v, %+v\n got %s\nwant %s", body, kind, err, a.Usage, got, want)
			}
		}
	}
	for body, code := range map[string]string{
		`{"error":{"code":429}}`:          model.RateLimited,
		`{"choices":[]}`:                  model.Unavailable,
		`{"choices":[`:                    model.Unavailable,
		`{"message":"welcome"}`:           model.Invalid,
		`<html>`:                          model.Invalid,
		``:                                model.Invalid,
		`{"object":"error","code":"503"}`: model.Overloaded,
	} {
		_, _, err := (&canned{body: body, kind: "application/json"}).ask(t)
		if f := fault(t, err); f.Code != code {
			t.Errorf("%s: %+v, want %s", body, f, code)
		}
	}
}

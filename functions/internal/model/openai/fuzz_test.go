package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
)

// canned answers every request with the same stream, without a network.
type canned string

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: r, Body: io.NopCloser(strings.NewReader(string(c)))}, nil
}

var codes = []string{model.RateLimited, model.Overloaded, model.Unavailable, model.Timeout, model.Overflow, model.Invalid, model.Denied, model.Policy, model.NativeRefused, model.TooLarge}

// check reads a stream and says which promise of a provider it breaks.
func check(t *testing.T, events string) {
	t.Helper()
	p, err := openai.New(openai.Options{BaseURL: "http://model.test", Transport: canned(events)})
	if err != nil {
		t.Fatal(err)
	}
	ended, size := 0, 0
	for part, err := range p.Stream(t.Context(), model.Request{Messages: hello}) {
		switch {
		case ended > 0:
			t.Fatalf("%+v, %v came behind the end of\n%s", part, err, events)
		case err != nil:
			if f := fault(t, err); !slices.Contains(codes, f.Code) {
				t.Fatalf("%+v for\n%s", f, events)
			}
			ended++
		case part.Stop != "":
			ended++
		}
		size += len(part.Text) + len(part.Reasoning)
		if part.Native != "" && !json.Valid([]byte(part.Native)) {
			t.Fatalf("%q is no JSON, for\n%s", part.Native, events)
		}
		if part.Call != nil {
			size += len(part.Call.Arguments)
		}
	}
	// Pieces may be separated, and the arguments of a call without any are "{}".
	if ended != 1 || size > 4*len(events)+2 {
		t.Fatalf("%d ends, %d bytes of\n%s", ended, size, events)
	}
}

// alphabet are events as a server may send them, at their right places and at
// wrong ones.
func alphabet(r *rand.Rand) string {
	place := r.IntN(4)
	items := []string{openMessage, openReasoning, said("ab"), thought("hm"), calls("x", "f", "{}"), calls("x", "f", ""), `{"type":"function_call"}`, `{"type":"web_search_call"}`, `{"type":"image_generation_call","result":"YWI="}`, sealed("hm", "c2VhbGVk"), sealed("", "c2VhbGVk"), strings.Replace(said("ab"), `"role"`, `"phase":"commentary","role"`, 1), `null`, `{}`}
	item := items[r.IntN(len(items))]
	s := []string{"", "a", "b\\n", "{"}[r.IntN(4)]
	kinds := []string{"output_text", "refusal", "reasoning_summary_text", "reasoning_text", "function_call_arguments"}
	switch r.IntN(12) {
	case 0, 1:
		return added(place, item)
	case 2, 3:
		return done(place, item)
	case 4, 5, 6, 7, 8:
		return delta(kinds[r.IntN(len(kinds))], place, r.IntN(2), s)
	case 9:
		return fmt.Sprintf(`{"type":"response.function_call_arguments.done","output_index":%d,"arguments":%q}`, place, s)
	case 10:
		return []string{created, `{"type":"unknown"}`, `{}`, `{"type":"response.output_text.done","text":"ab"}`}[r.IntN(4)]
	}
	if r.IntN(4) > 0 {
		return created
	}
	return []string{completed, strings.Replace(completed, `"output":[]`, `"output":[`+item+`]`, 1), `{"type":"response.incomplete","response":{"output":[` + item + `]}}`,
		`{"type":"error"}`, `{"type":"response.failed"}`, `{"type":"response.output_text.delta","delta":{}}`, `7`}[r.IntN(7)]
}

func TestRandomEventsKeepAProvidersPromises(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		var events []string
		for range r.IntN(30) {
			events = append(events, alphabet(r))
		}
		s := stream(append(events, completed)...)
		if r.IntN(4) == 0 {
			s = s[:r.IntN(len(s))]
		}
		check(t, s)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("")
	f.Add(stream(created, added(0, openMessage), delta("output_text", 0, 0, "Hello"), done(0, said("Hello")), completed))
	f.Add(stream(delta("reasoning_text", 3, 1, "hm"), done(1, calls("x", "f", "{}")), completed))
	f.Add("data: {\"type\":\"error\",\"error\":{\"code\":429}}\n\n")
	f.Add("event: response.refusal.delta\r\ndata: {\"delta\":\"no\"}\r\n\r\ndata: [DONE]\n\n")
	f.Fuzz(check)
}

package anthropic_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// check reads a stream and says which promise of a provider it breaks.
func check(t *testing.T, events string) {
	t.Helper()
	ended, size, codes := 0, 0, []string{model.RateLimited, model.Overloaded, model.Unavailable, model.Timeout, model.Overflow, model.Invalid, model.Denied, model.Policy, model.TooLarge, model.NativeRefused}
	for part, err := range provider(t, streams(events)).Stream(t.Context(), model.Request{Messages: hello}) {
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
		case part.Native != "" && !json.Valid([]byte(part.Native)):
			t.Fatalf("%s is no JSON", part.Native)
		}
		size += len(part.Text) + len(part.Reasoning)
		if part.Call != nil {
			size += len(part.Call.Arguments)
		}
	}
	// What is replaced for being no UTF-8 grows, and no arguments are "{}".
	if ended != 1 || size > 4*len(events) {
		t.Fatalf("%d ends, %d bytes of\n%s", ended, size, events)
	}
}

// alphabet are events as a server may send them, at their right places and at wrong
// ones.
func alphabet(r *rand.Rand) string {
	index := r.IntN(3)
	blocks := []string{`{"type":"text","text":"a"}`, `{"type":"thinking"}`, signedHm, redacted, searches, found, `{"type":"tool_use","id":"x","name":"f","input":{}}`, `{"type":"tool_use","input":{"a":1}}`, `{}`, `null`, `{"type":"new"}`}
	deltas := []string{`{"type":"text_delta","text":"a"}`, `{"type":"thinking_delta","thinking":"hm"}`, `{"type":"signature_delta","signature":"s"}`, `{"type":"input_json_delta","partial_json":"{}"}`, `{"type":"citations_delta","citation":{}}`, `{"type":"new_delta","a":"b"}`, `{}`}
	switch r.IntN(8) {
	case 0, 1:
		return begun(index, blocks[r.IntN(len(blocks))])
	case 2, 3, 4:
		return delta(index, deltas[r.IntN(len(deltas))])
	case 5:
		return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index)
	case 6:
		return []string{started, `{"type":"ping"}`, `{"type":"unknown"}`, `{}`}[r.IntN(4)]
	}
	return []string{stopped, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, `{"type":"error"}`, `{"type":"message_delta","delta":7}`, `7`, started, started, started}[r.IntN(8)]
}

func TestRandomEventsKeepAProvidersPromises(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		var events []string
		for range r.IntN(30) {
			events = append(events, alphabet(r))
		}
		s := stream(events...) + ended("tool_use")
		if r.IntN(4) == 0 {
			s = s[:r.IntN(len(s))]
		}
		check(t, s)
	}
}

func FuzzStream(f *testing.F) {
	f.Add("")
	f.Add(stream(started) + thought(0, "hm", "s") + text(1, "Hello") + calls(2, "x", "f", "{}") + ended("tool_use"))
	f.Add(block(0, searches, `{"type":"input_json_delta","partial_json":"{}"}`) + block(1, found) + ended("pause_turn"))
	f.Add("data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\n")
	f.Add("event: content_block_delta\r\ndata: {\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}\r\n\r\ndata: [DONE]\n\n")
	f.Fuzz(check)
}

// Whatever is in a log, a request is JSON, and each of its messages has content.
func FuzzRequest(f *testing.F) {
	f.Add("text", `{"block":`+signedHm+`}`, `{"a":1}`, "out")
	f.Add(" ", `{"block":{"type":"text","text":""}}`, `{}`, "\u2028<")
	f.Add("", "{", `{"a":"\ud83d"}`, "")
	f.Fuzz(func(t *testing.T, said, kept, arguments, output string) {
		var object map[string]any
		if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
			arguments = "{}" // the projection's promise
		}
		body := request(t, model.Request{Model: "claude-haiku-4-5", Effort: model.EffortLow, Messages: []projection.Message{
			user(projection.Part{Text: said}), assistant(projection.Part{Native: kept}, call("x", "f", arguments), projection.Part{Native: kept}), user(result("x", output, true)),
		}})
		var sent struct {
			Messages []struct {
				Content []struct{ Type string }
			}
		}
		if err := json.Unmarshal([]byte(body), &sent); err != nil || len(sent.Messages) != 3 {
			t.Fatalf("%v: %s", err, body)
		}
		for _, m := range sent.Messages {
			if n := len(m.Content); n == 0 || strings.HasSuffix(m.Content[n-1].Type, "thinking") {
				t.Fatalf("%s", body)
			}
		}
	})
}

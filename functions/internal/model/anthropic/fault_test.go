package anthropic_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
)

func TestWhatGoesWrongInsideAnAnswerIsCoded(t *testing.T) {
	failure := func(kind, message string) string {
		return stream(`{"type":"error","error":{"details":null,"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`)
	}
	for event, want := range map[string]string{
		failure("overloaded_error", "Overloaded"):                     "overloaded",
		failure("api_error", "m"):                                     "unavailable",
		failure("rate_limit_error", "m"):                              "rate_limited",
		failure("timeout_error", "m"):                                 "timeout",
		failure("invalid_request_error", "prompt is too long: 9 > 8"): "context_overflow!",
		failure("invalid_request_error", "m"):                         "model_error!",
		failure("authentication_error", "m"):                          "model_denied!",
		failure("nobody_knows", "m"):                                  "unavailable",
		"event: error\ndata: {\"type\":\"overloaded_error\"}\n\n":     "overloaded",
		"data: {\"error\":{\"code\":502,\"message\":\"m\"}}\n\n":      "unavailable",
		"data: {\"type\"\n\n":                                         "unavailable",
		"data: []\n\n":                                                "unavailable",
		"data: [DONE]\n\n":                                            "unavailable",
		stream(`{"type":"content_block_start","index":1}`):            "unavailable",
		stream(begun(1, `null`)):                                      "unavailable",
		stream(begun(1, `{"type":"text","text":"b"}`), delta(0, `{"type":"text_delta","text":"late"}`)): "unavailable",
		stream(delta(1, `{"type":"input_json_delta","partial_json":"{}"}`)):                             "unavailable",
		stream(delta(1, `"a"`)): "unavailable",
		block(1, searches, `{"type":"input_json_delta","partial_json":"{\"q"}`): "unavailable",
		stream(`{"type":"message_delta","delta":"a"}`):                          "unavailable",
		stream(stopped): "unavailable",
		calls(1, "x", "f", `{}`) + stream(begun(2, `{"type":"tool_use","id":"y"}`), delta(1, `{"type":"input_json_delta"}`)): "unavailable",
	} {
		a, err := ask(t, streams(stream(started)+text(0, "a")+event+ended("end_turn")))
		f := fault(t, err)
		if code, permanent := strings.CutSuffix(want, "!"); f.Code != code || f.Permanent != permanent || a.Items != nil {
			t.Errorf("%s: %+v, want %s", event, f, want)
		}
	}
}

func TestWhatAProviderRefusesIsCoded(t *testing.T) {
	for message, want := range map[string]string{
		"prompt is too long: 213462 tokens > 200000 maximum":                                                             model.Overflow,
		"input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000, decrease input length":             model.Overflow,
		"messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.": model.NativeRefused,
		"messages.1.content.0: Invalid `signature` in `thinking` block":                                                  model.NativeRefused,
		"Your credit balance is too low to access the Anthropic API.":                                                    model.Denied,
		"Output blocked by content filtering policy":                                                                     model.Policy,
		"tools.0.input_schema: Field required":                                                                           model.Invalid,
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"invalid_request_error","message":"`+message+`"}}`)
		}))
		p, err := anthropic.New(anthropic.Options{APIKey: key, BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = model.Ask(t.Context(), p, model.Request{Messages: hello}, nil)
		if f := fault(t, err); f.Code != want || !f.Permanent {
			t.Errorf("%s: %+v, want %s", message, f, want)
		}
		s.Close()
	}
}

// An answer that ends anywhere before its end is no answer, whatever was shown.
func TestAnAnswerThatBreaksOffAnywhereIsAskedForAgain(t *testing.T) {
	whole := stream(started) + thought(0, "hm", "c2ln") + text(1, "Hello 🦀") + block(2, redacted) + calls(3, "x", "f", `{"a":`, `1}`) + calls(4, "y", "f") + ended("tool_use")
	if a, err := ask(t, streams(whole)); err != nil || a.Stop != model.StopTools {
		t.Fatal(show(a), err)
	}
	for at := range len(whole) - 1 {
		a, err := ask(t, streams(whole[:at]))
		if f := fault(t, err); f.Code != model.Unavailable || f.Permanent || a.Items != nil {
			t.Fatalf("after %d bytes of %d: %+v, %s", at, len(whole), f, show(a))
		}
	}
}

func TestWhatIsNoAnswerSaysToCheckTheURL(t *testing.T) {
	_, err := ask(t, &canned{kind: "text/html", body: "<html>Welcome</html>"})
	if f := fault(t, err); f.Code != model.Invalid || !f.Permanent || !strings.Contains(f.Message, "base URL") {
		t.Errorf("%+v", f)
	}
}

package chat_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/model"
)

func TestWhatGoesWrongInsideAnAnswerIsCoded(t *testing.T) {
	for event, want := range map[string]string{
		`{"error":{"message":"m","type":"overloaded_error"}}`:                                   model.Overloaded,
		`{"error":{"message":"m","type":"server_error","code":"rate_limit_exceeded"}}`:          model.RateLimited,
		`{"error":{"code":502,"message":"m"},"choices":[{"delta":{},"finish_reason":"error"}]}`: model.Unavailable,
		`{"error":{"code":"429"}}`:                                            model.RateLimited,
		`{"error":{"code":400,"message":"m"}}`:                                model.Invalid + "!",
		`{"error":{"code":"context_length_exceeded"}}`:                        model.Overflow + "!",
		`{"error":{"code":402,"message":"m"}}`:                                model.Denied + "!",
		`{"error":"slow"}`:                                                    model.Unavailable,
		`{"object":"error","message":"m","code":503}`:                         model.Overloaded,
		`{"error":{"type":"invalid_request_error","code":"tool_use_failed"}}`: model.Unavailable,
		finish("error"):                                                       model.Unavailable,
		finish("abort"):                                                       model.Unavailable,
		finish("insufficient_system_resource"):                                model.Overloaded,
		`{"choices":7}`:                                                       model.Unavailable,
		`{"choices"`:                                                          model.Unavailable,
		`[]`:                                                                  model.Unavailable,
		`hello`:                                                               model.Unavailable,
	} {
		c := canned{body: events(content("half"), event, finish(""), usage)}
		got, _, err := c.ask(t)
		code, permanent := strings.CutSuffix(want, "!")
		if f := fault(t, err); f.Code != code || f.Permanent != permanent || got != "" {
			t.Errorf("%s: %s, %+v, want %s", event, got, f, want)
		}
	}
	// Its line alone may name it; and it counts though all seemed well before.
	for _, stream := range []string{
		cutEvents(content("a")) + "event: error\ndata: {\"type\":\"overloaded_error\"}\n\n",
		cutEvents(content("a"), finish("stop")) + "event: error\ndata: {\"error\":{\"code\":503,\"message\":\"m\"}}\n\ndata: [DONE]\n\n",
		cutEvents(content("a"), finish("length")) + events(strings.Replace(usage, "{", `{"error":{"code":503},`, 1)),
	} {
		_, _, err := (&canned{body: stream}).ask(t)
		if f := fault(t, err); f.Code != model.Overloaded {
			t.Errorf("%s: %+v", stream, f)
		}
	}
}

// refuses is a server that answers with an error.
type refuses struct {
	status int
	body   string
}

func (r refuses) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: r.status, Header: http.Header{}, Request: req, Body: io.NopCloser(strings.NewReader(r.body))}, nil
}

// Servers that speak this protocol have many forms of an error.
func TestWhatAServerRefusesIsCoded(t *testing.T) {
	for _, c := range []struct {
		status     int
		body, code string
	}{
		{400, `{"error":{"message":"m","type":"invalid_request_error"}}`, model.Invalid},
		{400, `[{"error":{"code":400,"message":"The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, model.Overflow},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, model.Overflow},
		{400, `{"error":{"message":"m","type":"invalid_request_error","code":"tool_use_failed"}}`, model.Unavailable},
		{401, `{"detail":"Unauthorized"}`, model.Denied},
		{404, `{"error":{"message":"model \"m\" not found, try pulling it first","type":"not_found_error"}}`, model.Denied},
		{422, `{"detail":[{"type":"extra_forbidden","loc":["body","x"]}]}`, model.Invalid},
		{429, `{"error":"slow"}`, model.RateLimited},
		{500, `[]`, model.Unavailable},
		{503, `Loading model`, model.Overloaded},
	} {
		_, _, err := model.Ask(t.Context(), newProvider(t, "http://model.test/v1", refuses{c.status, c.body}), model.Request{Messages: hello}, nil)
		if f := fault(t, err); f.Code != c.code {
			t.Errorf("%d %s: %+v, want %s", c.status, c.body, f, c.code)
		}
	}
}

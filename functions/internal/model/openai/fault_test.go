package openai_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
)

func TestWhatGoesWrongInsideAnAnswerIsCoded(t *testing.T) {
	failed := func(e string) string {
		return `{"type":"response.failed","response":{"status":"failed","error":` + e + `}}`
	}
	for event, want := range map[string]string{
		failed(`{"code":"server_error","message":"m"}`):                                            "unavailable",
		failed(`{"code":"rate_limit_exceeded"}`):                                                   "rate_limited",
		failed(`{"code":"insufficient_quota"}`):                                                    "model_denied!",
		failed(`{"code":"context_length_exceeded"}`):                                               "context_overflow!",
		failed(`{"code":"invalid_prompt"}`):                                                        "model_error!",
		failed(`{"code":"nobody_knows"}`):                                                          "unavailable",
		failed(`null`):                                                                             "unavailable",
		`{"type":"response.failed"}`:                                                               "unavailable",
		`{"type":"response.completed","response":{"status":"failed"}}`:                             "unavailable",
		`{"type":"response.cancelled","response":{"status":"cancelled"}}`:                          "unavailable",
		`{"type":"error","code":"rate_limit_exceeded","message":"m","param":null}`:                 "rate_limited",
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:                       "overloaded",
		`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`: "context_overflow!",
		`{"error":{"code":502,"message":"m"}}`:                                                     "unavailable",
		`{"error":{"code":"429"}}`:                                                                 "rate_limited",
		`{"error":{"code":400}}`:                                                                   "model_error!",
		`{"type":"error","error":{"type":"insufficient_quota","code":"insufficient_quota"}}`:       "model_denied!",
		failed(`{"code":"cyber_policy_violation"}`):                                                "content_policy!",
		failed(`{"code":"invalid_encrypted_content"}`):                                             "native_refused!",
		`{"error":"slow"}`:                                                                         "unavailable",
		`{"type":"response.output_text.delta","output_index":"first"}`:                             "unavailable",
		`{"type":"response.output_item.done","item":{"type":"message","content":7}}`:               "unavailable",
		`{"type"`: "unavailable",
		`[]`:      "unavailable",
	} {
		s := serve(t, streams(stream(created, delta("output_text", 0, 0, "a"), event, completed)))
		a, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Messages: hello}, nil)
		f := fault(t, err)
		code, permanent := strings.CutSuffix(want, "!")
		if f.Code != code || f.Permanent != permanent || a.Items != nil || len(s.asked) != 1 {
			t.Errorf("%s: %+v, want %s", event, f, want)
		}
	}
	s := serve(t, streams("event: error\ndata: {\"type\":\"overloaded_error\"}\n\n"+stream(completed)))
	_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Messages: hello}, nil)
	if f := fault(t, err); f.Code != "overloaded" {
		t.Errorf("an error that its line alone names: %+v", f)
	}
}

func TestAProviderThatIsNotThereIsUnavailable(t *testing.T) {
	s := serve(t, streams(""))
	p := s.provider(t)
	s.Close()
	_, _, err := model.Ask(t.Context(), p, model.Request{Messages: hello}, nil)
	if f := fault(t, err); f.Code != "unavailable" || f.Permanent || strings.Contains(f.Message, "127.0.0.1") {
		t.Errorf("%+v", f)
	}
}

type timeouts struct{}

func (timeouts) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "read", Err: context.DeadlineExceeded}
}

func TestAProviderThatIsTooSlowIsATimeout(t *testing.T) {
	p, err := openai.New(openai.Options{BaseURL: "http://model.test", Transport: timeouts{}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = model.Ask(t.Context(), p, model.Request{Messages: hello}, nil)
	if f := fault(t, err); f.Code != "timeout" || f.Permanent {
		t.Errorf("%+v", f)
	}
}

package openai_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
)

func TestWhatAProviderRefusesIsCoded(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		code   string
		named  string // what the message has
	}{
		{400, `{"error":{"message":"m","type":"invalid_request_error","param":"input[3].name","code":"unsupported"}}`, "model_error", "400 (unsupported, invalid_request_error, parameter input[3].name)"},
		{400, `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":null}}`, "model_error", "400 (invalid_request_error)"},
		{401, `{"error":{"code":"invalid_api_key"}}`, "model_error", "401 (invalid_api_key)"},
		{401, `{"detail":"Bad key"}`, "model_error", "401"},
		{403, `{"error":"forbidden"}`, "model_error", "403"},
		{404, `{"error":{"code":"model_not_found"}}`, "model_error", "404 (model_not_found)"},
		{404, `<html>`, "model_error", "404"},
		{402, `{"error":{"code":402,"message":"m"}}`, "model_error", "402 (402)"},
		{422, `[]`, "model_error", "422"},
		{307, ``, "model_error", "307"},
		{408, ``, "timeout", "408"},
		{409, ``, "unavailable", "409"},
		{425, ``, "unavailable", "425"},
		{429, `{"error":{"code":"rate_limit_exceeded","type":"tokens"}}`, "rate_limited", "429 (rate_limit_exceeded, tokens)"},
		{429, `{"message":"Too many tokens, please wait before trying again."}`, "rate_limited", "429"},
		{429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`, "model_error!", "429 (insufficient_quota)"},
		{429, `{"error":{"message":"Request too large for gpt-x on tokens per min","code":"rate_limit_exceeded"}}`, "context_overflow", "too long"},
		{500, `{"error":{"type":"server_error"}}`, "unavailable", "500 (server_error)"},
		{500, `{"error":{"message":"your input mentions the context window"}}`, "unavailable", "500"},
		{502, `bad gateway`, "unavailable", "502"},
		{503, `{"error":{"code":"slow_down"}}`, "overloaded", "503"},
		{504, ``, "timeout", "504"},
		{520, ``, "unavailable", "520"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "overloaded", "529 (overloaded_error)"},
		{400, `{"error":{"code":"context_length_exceeded"}}`, "context_overflow", "too long"},
		{400, `{"error":{"type":"exceed_context_size_error"}}`, "context_overflow", "too long"},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens."}}`, "context_overflow", "too long"},
		{400, `{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"invalid_request_error"}}`, "context_overflow", "too long"},
		{400, `{"message":"Input Tokens Exceeded: more than maximum length"}`, "context_overflow", "too long"},
		{422, `{"detail":"the request exceeds the available context size"}`, "context_overflow", "too long"},
		{413, ``, "context_overflow", "413"},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Items: hello})
		f := fault(t, err)
		code, permanent := strings.TrimSuffix(c.code, "!"), strings.HasPrefix(c.code, "model_error") || c.code == "context_overflow"
		if f.Code != code || f.Permanent != permanent || !strings.Contains(f.Message, c.named) {
			t.Errorf("%d %s: %+v, want %s, %q", c.status, c.body, f, c.code, c.named)
		}
		if len(s.asked) != 1 {
			t.Errorf("%d: asked %d times; the turn alone retries", c.status, len(s.asked))
		}
	}
}

func TestWhatGoesWrongInsideAnAnswerIsCoded(t *testing.T) {
	failed := func(e string) string {
		return `{"type":"response.failed","response":{"status":"failed","error":` + e + `}}`
	}
	for event, want := range map[string]string{
		failed(`{"code":"server_error","message":"m"}`):                                            "unavailable",
		failed(`{"code":"rate_limit_exceeded"}`):                                                   "rate_limited",
		failed(`{"code":"insufficient_quota"}`):                                                    "model_error!",
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
		`{"error":"slow"}`:                                                                         "unavailable",
		`{"type":"response.output_text.delta","output_index":"first"}`:                             "unavailable",
		`{"type":"response.output_item.done","item":{"type":"message","content":7}}`:               "unavailable",
		`{"type"`: "unavailable",
		`[]`:      "unavailable",
	} {
		s := serve(t, streams(stream(created, delta("output_text", 0, 0, "a"), event, completed)))
		items, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Items: hello})
		f := fault(t, err)
		code, permanent := strings.CutSuffix(want, "!")
		if f.Code != code || f.Permanent != permanent || items != nil || len(s.asked) != 1 {
			t.Errorf("%s: %+v, want %s", event, f, want)
		}
	}
	s := serve(t, streams("event: error\ndata: {\"type\":\"overloaded_error\"}\n\n"+stream(completed)))
	_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Items: hello})
	if f := fault(t, err); f.Code != "overloaded" {
		t.Errorf("an error that its line alone names: %+v", f)
	}
}

func TestAProvidersDelayIsKept(t *testing.T) {
	for _, c := range []struct {
		status          int
		after, afterMs  string
		atLeast, atMost time.Duration
	}{
		{429, "90", "", 90 * time.Second, 90 * time.Second},
		{503, "1.5", "", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{500, "", "250", 250 * time.Millisecond, 250 * time.Millisecond},
		{429, "1", "0", time.Second, time.Second},
		{429, "1", "1500", 1500 * time.Millisecond, 1500 * time.Millisecond},
		{429, time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), "", 50 * time.Minute, time.Hour},
		{429, time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat), "", 0, 0},
		{429, "1e300", "", 24 * time.Hour, 24 * time.Hour},
		{429, "1e999", "", 24 * time.Hour, 24 * time.Hour},
		{429, "Fri, 31 Dec 9999 23:59:59 GMT", "", 24 * time.Hour, 24 * time.Hour},
		{429, "-1", "NaN", 0, 0},
		{429, "soon", "", 0, 0},
		{400, "90", "", 0, 0}, // asking again would give the same
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", c.after)
			w.Header().Set("Retry-After-Ms", c.afterMs)
			w.WriteHeader(c.status)
		})
		_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Items: hello})
		if f := fault(t, err); f.RetryAfter < c.atLeast || f.RetryAfter > c.atMost {
			t.Errorf("%q, %q: %s, want %s to %s", c.after, c.afterMs, f.RetryAfter, c.atLeast, c.atMost)
		}
	}
}

func TestAProviderThatIsNotThereIsUnavailable(t *testing.T) {
	s := serve(t, streams(""))
	p := s.provider(t)
	s.Close()
	_, _, err := model.Ask(t.Context(), p, model.Request{Items: hello})
	if f := fault(t, err); f.Code != "unavailable" || f.Permanent || strings.Contains(f.Message, "127.0.0.1") {
		t.Errorf("%+v", f)
	}
}

type timeouts struct{}

func (timeouts) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "read", Err: context.DeadlineExceeded}
}

func TestAProviderThatIsTooSlowIsATimeout(t *testing.T) {
	p, err := openai.New(openai.Options{BaseURL: "http://model.test", HTTPClient: &http.Client{Transport: timeouts{}}})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = model.Ask(t.Context(), p, model.Request{Items: hello})
	if f := fault(t, err); f.Code != "timeout" || f.Permanent {
		t.Errorf("%+v", f)
	}
}

// A provider that quotes the key and the prompt at every place it has.
func TestNoFaultHoldsTheKeyOrThePrompt(t *testing.T) {
	const prompt = "hello"
	body := func(quote string) string {
		b, _ := json.Marshal(quote)
		return fmt.Sprintf(`{"code":%[1]s,"type":%[1]s,"param":%[1]s,"message":%[1]s,"detail":%[1]s,"error":{"code":%[1]s,"type":%[1]s,"param":%[1]s,"message":%[1]s}}`, b)
	}
	for _, quote := range []string{key, "Bearer " + key, "token:" + key, key[:20], prompt + " " + key, strings.Repeat(prompt+" ", 10_000)} {
		for _, status := range []int{200, 302, 400, 401, 429, 500} {
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != "Bearer "+key {
					t.Errorf("authorised by %q", got)
				}
				w.Header().Set("Location", "http://"+key+"@127.0.0.1:1/"+key)
				w.Header().Set("X-Error", quote)
				w.WriteHeader(status)
				if status == 200 {
					_, _ = io.WriteString(w, "data: "+strings.Replace(body(quote), "{", `{"type":"error",`, 1)+"\n\n")
				} else {
					_, _ = io.WriteString(w, body(quote))
				}
			})
			for _, err := range s.provider(t).Stream(t.Context(), model.Request{Items: hello}) {
				all := fmt.Sprintf("%v %+v %#v", err, err, fault(t, err))
				for _, secret := range []string{key, key[:20], prompt, "Bearer"} {
					if strings.Contains(all, secret) {
						t.Errorf("%d: %q is in %s", status, secret, all)
					}
				}
				if len(all) > 2<<10 {
					t.Errorf("%d: an error of %d bytes", status, len(all))
				}
			}
		}
	}
}

package wire

import (
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
)

const key = "sk-test-0123456789abcdef"

// permanent are the codes of what would be the same again.
var permanent = map[string]bool{model.Overflow: true, model.Invalid: true, model.Denied: true, model.Policy: true, model.NativeRefused: true}

func TestWhatAProviderRefusesIsCoded(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		code   string
		named  string // what the message has
	}{
		{400, `{"error":{"message":"m","type":"invalid_request_error","param":"input[3].name","code":"unsupported"}}`, model.Invalid, "400 (unsupported, invalid_request_error, parameter input[3].name)"},
		{400, `{"error":{"message":"m","type":"invalid_request_error","param":null,"code":null}}`, model.Invalid, "400 (invalid_request_error)"},
		{400, `{"error":{"message":"No tool output found for tool call call-a.","type":"invalid_request_error","code":"invalid_request_error"}}`, model.Invalid, "400 (invalid_request_error)"},
		{401, `{"error":{"code":"invalid_api_key"}}`, model.Denied, "401 (invalid_api_key); check"},
		{401, `{"detail":"Bad key"}`, model.Denied, "401"},
		{403, `{"error":"forbidden"}`, model.Denied, "403"},
		{404, `{"error":{"code":"model_not_found"}}`, model.Denied, "404 (model_not_found)"},
		{404, `<html>`, model.Denied, "404; check the model's name"},
		{402, `{"error":{"code":402,"message":"m"}}`, model.Denied, "402 (402)"},
		{422, `[]`, model.Invalid, "422"},
		{400, `{"error":{"message":"registry/some-model does not support tools"}}`, model.Invalid, "choose one that does"},
		{500, `{"error":{"message":"llama runner: cuda error: out of memory"}}`, model.Unavailable, "too little memory"},
		{400, `{"error":{"message":"image input is not supported"}}`, model.Invalid, "a file or picture"},
		{307, ``, model.Invalid, "307"},
		{408, ``, model.Timeout, "408"},
		{409, ``, model.Unavailable, "409"},
		{425, ``, model.Unavailable, "425"},
		{429, `{"error":{"code":"rate_limit_exceeded","type":"tokens"}}`, model.RateLimited, "429 (rate_limit_exceeded, tokens)"},
		{429, `{"message":"Too many tokens, please wait before trying again."}`, model.RateLimited, "429"},
		{429, `{"error":{"message":"You are over the context window of the limit"}}`, model.RateLimited, "429"},
		{429, `{"error":{"type":"insufficient_quota","code":"insufficient_quota"}}`, model.Denied, "429 (insufficient_quota)"},
		{400, `{"type":"error","error":{"type":"billing_error"}}`, model.Denied, "400 (billing_error)"},
		{429, `{"error":{"message":"Request too large for gpt-x on tokens per min","code":"rate_limit_exceeded"}}`, model.Overflow, "too long"},
		{500, `{"error":{"type":"server_error"}}`, model.Unavailable, "500 (server_error)"},
		{500, `{"error":{"message":"your input mentions the context window"}}`, model.Unavailable, "500"},
		{502, `bad gateway`, model.Unavailable, "502"},
		{503, `{"error":{"code":"slow_down"}}`, model.Overloaded, "503"},
		{504, ``, model.Timeout, "504"},
		{520, ``, model.Unavailable, "520"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, model.Overloaded, "529 (overloaded_error)"},
		{400, `{"error":{"code":"context_length_exceeded"}}`, model.Overflow, "too long"},
		{400, `{"error":{"type":"exceed_context_size_error"}}`, model.Overflow, "too long"},
		{400, `{"error":{"message":"This model's maximum context length is 8192 tokens."}}`, model.Overflow, "too long"},
		{400, `{"error":{"message":"prompt is too long: 9 tokens > 8 maximum","type":"invalid_request_error"}}`, model.Overflow, "too long"},
		{400, `{"message":"Input Tokens Exceeded: more than maximum length"}`, model.Overflow, "too long"},
		{422, `{"detail":"the request exceeds the available context size"}`, model.Overflow, "too long"},
		{413, ``, model.Overflow, "413"},
		{400, `{"error":{"code":"content_policy_violation"}}`, model.Policy, "content policy"},
		{400, `{"error":{"code":"content_filter"}}`, model.Policy, "content policy"},
		{400, `{"error":{"code":"invalid_encrypted_content"}}`, model.NativeRefused, "400"},
		{400, `{"error":{"message":"Encrypted content is not supported."}}`, model.NativeRefused, "400"},
		{400, `{"error":{"message":"Encrypted content is not supported with this model.","param":"include"}}`, model.Invalid, "parameter include"},
		{400, "{\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.1.content.0: Invalid `signature` in `thinking` block\"}}", model.NativeRefused, "400"},
		{500, `{"error":{"message":"the thinking could not be verified"}}`, model.Unavailable, "500"},
		{400, `{"__type":"x","message":"m","type":"ValidationException"}`, model.Invalid, "ValidationException"},
		{424, `{"message":"m","type":"ModelErrorException"}`, model.Unavailable, "424"},
		{408, `{"message":"m","type":"ModelTimeoutException"}`, model.Timeout, "408"},
		{429, `{"message":"m","type":"ModelNotReadyException"}`, model.Overloaded, "429"},
	} {
		said := ReadComplaint([]byte(c.body))
		f := said.Fault(c.status, said.Said(c.status, key))
		if f.Code != c.code || f.Permanent != permanent[c.code] || !strings.Contains(f.Message, c.named) {
			t.Errorf("%d %s: %+v, want %s, %q", c.status, c.body, f, c.code, c.named)
		}
	}
}

func TestAComplaintInsideAnAnswerIsCoded(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"code":"server_error"}}`:            model.Unavailable,
		`{"error":{"code":"rate_limit_exceeded"}}`:     model.RateLimited,
		`{"error":{"code":"insufficient_quota"}}`:      model.Denied,
		`{"error":{"code":"context_length_exceeded"}}`: model.Overflow,
		`{"error":{"code":"invalid_prompt"}}`:          model.Invalid,
		`{"error":{"code":"nobody_knows"}}`:            model.Unavailable,
		`{"error":null}`:                               model.Unavailable,
		`{}`:                                           model.Unavailable,
		`{`:                                            model.Unavailable,
		`{"type":"error","code":"rate_limit_exceeded","message":"m"}`:                                model.RateLimited,
		`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`:                         model.Overloaded,
		`{"error":{"type":"invalid_request_error","message":"prompt is too long"}}`:                  model.Overflow,
		`{"error":{"type":"invalid_request_error","message":"Invalid signature in thinking block"}}`: model.NativeRefused,
		`{"error":{"code":502,"message":"m"}}`:                                                       model.Unavailable,
		`{"error":{"code":"429"}}`:                                                                   model.RateLimited,
		`{"error":{"code":400}}`:                                                                     model.Invalid,
		`{"error":{"code":200}}`:                                                                     model.Unavailable,
		`{"error":"slow"}`:                                                                           model.Unavailable,
		`{"type":"throttlingException","message":"m"}`:                                               model.RateLimited,
		`{"type":"serviceUnavailableException","message":"m"}`:                                       model.Overloaded,
		`{"type":"modelStreamErrorException","message":"m"}`:                                         model.Unavailable,
		`{"type":"modelTimeoutException","message":"m"}`:                                             model.Timeout,
		`{"type":"validationException","message":"Input is too long for the model."}`:                model.Overflow,
		`{"type":"AccessDeniedException","message":"m"}`:                                             model.Denied,
	} {
		c := ReadComplaint([]byte(body))
		if f := c.Fault(c.Status(), c.Said(0, key)); f.Code != want || f.Permanent != permanent[want] {
			t.Errorf("%s: %+v, want %s", body, f, want)
		}
	}
}

// A provider that quotes the key and the prompt at every place it has.
func TestNothingOfTheKeyOrAPromptIsSaid(t *testing.T) {
	const prompt = "my plan"
	for _, quote := range []string{key, "Bearer " + key, "token:" + key, key[:20], prompt, strings.Repeat(prompt+" ", 10_000), key + strings.Repeat("x", 60)} {
		for _, body := range []string{`{"code":%[1]q,"type":%[1]q,"param":%[1]q,"message":%[1]q,"detail":%[1]q}`, `{"error":{"code":%[1]q,"type":%[1]q,"param":%[1]q,"message":%[1]q}}`, `{"error":%[1]q}`, `%[1]q`, `%[1]s`} {
			for _, status := range []int{0, 400, 401, 413, 429, 500} {
				c := ReadComplaint(fmt.Appendf(nil, body, quote))
				said := c.Fault(status, c.Said(status, key)).Message
				for _, secret := range []string{key, key[:20], prompt} {
					if strings.Contains(said, secret) {
						t.Errorf("%d: %q is in %s", status, secret, said)
					}
				}
				if len(said) > 1<<10 {
					t.Errorf("%d: a message of %d bytes", status, len(said))
				}
			}
		}
	}
}

func FuzzComplaint(f *testing.F) {
	f.Add([]byte(`{"error":{"code":"rate_limit_exceeded","type":"tokens","param":"input[3]","message":"m"}}`), 429)
	f.Add([]byte(`{"error":"slow"}`), 0)
	f.Add([]byte(`{"detail":[{"loc":["body"]}]}`), 422)
	f.Add([]byte(`<html>`), 502)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		c := ReadComplaint(body)
		if fault := c.Fault(status, c.Said(status, key)); fault.Code == "" || fault.Message == "" || len(fault.Message) > 1<<10 || strings.Contains(fault.Message, key) {
			t.Fatalf("%+v", fault)
		}
		if s := c.Status(); s != 0 && (s < 400 || s > 599) {
			t.Fatalf("status %d", s)
		}
	})
}

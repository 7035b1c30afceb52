package bedrock_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/bedrock"
	"windlass/functions/internal/model/modeltest"
)

func TestAnExceptionInsideAnAnswerIsThatFault(t *testing.T) {
	for kind, want := range map[string]struct {
		message, code string
		permanent     bool
	}{
		"throttlingException":         {"Too many tokens, please wait.", model.RateLimited, false},
		"serviceUnavailableException": {"Bedrock is unable to process your request.", model.Overloaded, false},
		"internalServerException":     {"", model.Unavailable, false},
		"modelStreamErrorException":   {"400 from the model", model.Unavailable, false},
		"modelTimeoutException":       {"", model.Timeout, false},
		"validationException":         {"The text field is blank.", model.Invalid, true},
		"ValidationException":         {"Input is too long for requested model.", model.Overflow, true},
		"accessDeniedException":       {"", model.Unavailable, false},
		"AccessDeniedException":       {"no model access", model.Denied, true},
		"newException":                {"", model.Unavailable, false},
	} {
		for at, stream := range map[string]string{"": starts, "Hel": starts + said(0, "Hel"), "Hello.": said(0, "Hello.") + stops("end_turn")} {
			_, partial, err := hear(t, canned(stream+exception(kind, fmt.Sprintf(`{"message":%q}`, want.message))))
			if f := fault(t, err); f.Code != want.code || f.Permanent != want.permanent || partial != at || want.message != "" && strings.Contains(f.Message, want.message) {
				t.Errorf("%s after %q: %+v, want %+v", kind, at, f, want)
			}
		}
	}
}

func TestAStreamThatCannotBeReadIsAFault(t *testing.T) {
	for name, stream := range map[string]string{
		"nothing":                          "",
		"no stream":                        "<html>",
		"a frame without a kind":           frame("{}"),
		"a kind that is not known":         frame("{}", ":message-type", "mystery"),
		"an error that is no exception":    frame("", ":message-type", "error", ":error-code", "InternalError", ":error-message", "no"),
		"no JSON":                          tell("contentBlockDelta", `{"delta":`),
		"another JSON":                     tell("contentBlockDelta", `{"delta":{"text":{}}}`) + ended,
		"an exception that cannot be read": exception("throttlingException", `{"message":`),
		"arguments of nobody":              argues(0, "{}") + ended,
		"a malformed answer":               said(0, "Hel") + stops("malformed_model_output") + counts,
		"a malformed call":                 opens(0, "x", "f") + closes(0) + stops("malformed_tool_use") + counts,
		"no end":                           said(0, "Hello.") + closes(0),
		"tokens and no end":                said(0, "Hello.") + closes(0) + counts,
	} {
		a, _, err := hear(t, canned(stream))
		if err == nil {
			t.Errorf("%s: %s", name, show(a))
		} else if f := fault(t, err); f.Code != model.Unavailable || f.Permanent {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// answers is a network with one answer.
type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) { return a(r) }

func status(code int, body string, headers ...string) answers {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {"application/json"}}
		for i := 0; i < len(headers); i += 2 {
			h.Set(headers[i], headers[i+1])
		}
		return &http.Response{StatusCode: code, Header: h, Request: r, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func TestWhatAWSRefusesWithIsACode(t *testing.T) {
	const at = ":http://internal.amazon.com/coral/com.amazon.bedrock/"
	for name, c := range map[string]struct {
		network   answers
		code      string
		permanent bool
	}{
		"too long":             {status(400, `{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length."}`, "X-Amzn-Errortype", "ValidationException"+at), model.Overflow, true},
		"too long for Claude":  {status(400, `{"message":"The model returned the following errors: prompt is too long: 250000 tokens > 200000 maximum"}`, "X-Amzn-Errortype", "ValidationException"+at), model.Overflow, true},
		"a wrong request":      {status(400, `{"message":"Malformed input request"}`, "X-Amzn-Errortype", "ValidationException"+at), model.Invalid, true},
		"a proof of another":   {status(400, `{"message":"The model returned the following errors: messages.1.content.0: Invalid signature in thinking block"}`, "X-Amzn-Errortype", "ValidationException"+at), model.NativeRefused, true},
		"no access":            {status(403, `{"Message":"You don't have access to the model"}`, "X-Amzn-Errortype", "AccessDeniedException"+at), model.Denied, true},
		"an old token":         {status(403, `{"message":"The security token included in the request is expired"}`, "X-Amzn-Errortype", "ExpiredTokenException"), model.Denied, true},
		"no such model":        {status(404, `{"message":"Could not resolve the foundation model"}`, "X-Amzn-Errortype", "ResourceNotFoundException"), model.Denied, true},
		"too much":             {status(429, `{"message":"Too many tokens, please wait before trying again."}`, "X-Amzn-Errortype", "ThrottlingException"), model.RateLimited, false},
		"a model not ready":    {status(429, `{}`, "X-Amzn-Errortype", "ModelNotReadyException"), model.Overloaded, false},
		"a model that failed":  {status(424, `{"originalStatusCode":400,"message":"no"}`, "X-Amzn-Errortype", "ModelErrorException"), model.Unavailable, false},
		"a model that is slow": {status(408, `{}`, "X-Amzn-Errortype", "ModelTimeoutException"), model.Timeout, false},
		"an answer of JSON":    {status(200, `{"output":{"message":{}}}`), model.Invalid, true},
		"a redirect":           {status(307, ``, "Location", "http://elsewhere.test/"), model.Invalid, true},
		"no connection": {func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		}, model.Unavailable, false},
	} {
		_, _, err := hear(t, c.network)
		if f := fault(t, err); f.Code != c.code || name != "a redirect" && f.Permanent != c.permanent {
			t.Errorf("%s: %+v, want %s", name, f, c.code)
		}
	}
}

func TestWithoutCredentialsNothingIsAsked(t *testing.T) {
	network := answers(func(*http.Request) (*http.Response, error) {
		t.Error("asked")
		return nil, io.EOF
	})
	for name, keys := range map[string]aws.CredentialsProvider{
		"none":      nil,
		"anonymous": aws.AnonymousCredentials{},
		"empty":     signed("").Credentials,
		"a failure": aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{}, errors.New("open /home/me/.aws/credentials: " + modeltest.Key)
		}),
	} {
		p, err := bedrock.New(aws.Config{Region: "us-east-1", Credentials: keys}, bedrock.Options{Transport: network})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = model.Ask(t.Context(), p, model.Request{Model: "m", Messages: hello}, nil)
		f := fault(t, err)
		if all := fmt.Sprintf("%+v %#v", f, f); f.Code != model.Denied || !f.Permanent || strings.Contains(all, modeltest.Key) || strings.Contains(all, "/home") {
			t.Errorf("%s: %s", name, all)
		}
	}
}

func TestABearerTokenIsASecretToo(t *testing.T) {
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", modeltest.Key)
	var sent http.Header
	p, err := bedrock.New(aws.Config{Region: "us-east-1"}, bedrock.Options{Transport: answers(func(r *http.Request) (*http.Response, error) {
		sent = r.Header
		return status(403, `{"code":"`+modeltest.Key+`","message":"`+modeltest.Key+`"}`, "X-Amzn-Errortype", modeltest.Key)(r)
	})})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = model.Ask(t.Context(), p, model.Request{Model: "m", Messages: hello}, nil)
	if f := fault(t, err); f.Code != model.Denied || strings.Contains(f.Message, modeltest.Key) {
		t.Errorf("%+v", f)
	}
	if got := sent.Get("Authorization"); got != "Bearer "+modeltest.Key {
		t.Errorf("authorized by %q", got)
	}
}

func TestNewSaysWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		cfg aws.Config
		o   bedrock.Options
	}{
		"no region":    {aws.Config{}, bedrock.Options{}},
		"no URL":       {signed("k"), bedrock.Options{BaseEndpoint: "bedrock"}},
		"another kind": {signed("k"), bedrock.Options{BaseEndpoint: "ftp://bedrock.test"}},
		"a password":   {signed("k"), bedrock.Options{BaseEndpoint: "http://me:" + modeltest.Key + "@bedrock.test"}},
	} {
		if _, err := bedrock.New(c.cfg, c.o); err == nil || strings.Contains(err.Error(), modeltest.Key) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

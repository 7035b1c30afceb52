package invoke

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	sdk "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/google/go-cmp/cmp"

	"windlass/functions/internal/tool"
	"windlass/functions/internal/tool/invoke/lambda"
)

const two = `{"functions":[
	{"name":"order_lookup","function":"arn:aws:lambda:eu-west-1:123456789012:function:orders-get:live","description":"Finds an order.","effect":"read","timeout":"10s",
	 "input":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false}},
	{"name":"order_cancel","function":"orders-cancel","description":"Cancels an order.","effect":"once","input":{"type":"object"}},
	{"name":"order_note","function":"orders-note:7","description":"Notes something.","effect":"idempotent","input":{"type":"object"}}]}`

// functions answers in Lambda's place, and counts.
type functions struct {
	asked  atomic.Int32
	path   string
	body   string
	kind   string
	answer http.HandlerFunc
}

func (f *functions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	f.asked.Add(1)
	f.path, f.body, f.kind = r.URL.EscapedPath()+"?"+r.URL.RawQuery, string(b), r.Header.Get("X-Amz-Invocation-Type")
	f.answer(w, r)
}

// tools are the configuration's, over the SDK and a server of ours.
func tools(t *testing.T, f *functions) map[string]*tool.Tool {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return over(t, client(s.URL, http.DefaultClient))
}

func client(at string, over sdk.HTTPClient) Invoker {
	return lambda.Invoker(sdk.New(sdk.Options{
		Region: "eu-west-1", BaseEndpoint: &at, HTTPClient: over,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	}))
}

// direct answers without a network. The SDK closes a request's body as soon as there
// is a response, and net/http then gives up a large one that came too fast.
type direct struct{ http.Handler }

func (d direct) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

func over(t *testing.T, c Invoker) map[string]*tool.Tool {
	t.Helper()
	made, err := New(json.RawMessage(two), Options{Invoke: c})
	if err != nil {
		t.Fatal(err)
	}
	list, err := made.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*tool.Tool{}
	for _, one := range list {
		all[one.Name] = one
	}
	return all
}

func run(t *testing.T, one *tool.Tool, arguments string) (string, error) {
	t.Helper()
	if _, err := one.Read(arguments); err != nil {
		t.Fatal(err)
	}
	r, err := one.Run(t.Context(), tool.Env{Key: "tenant/session/op/1/0"}, arguments)
	return r.Output, err
}

func says(status int, header, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if name, v, ok := strings.Cut(header, ": "); ok {
			w.Header().Set(name, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestAFunctionReceivesTheArgumentsAndAKey(t *testing.T) {
	f := &functions{answer: says(200, "", `{"state":"sent"}`)}
	out, err := run(t, tools(t, f)["order_lookup"], `{"id":12345678901234567890}`)
	if err != nil || out != `{"state":"sent"}` {
		t.Errorf("%q, %v", out, err)
	}
	want := []string{
		"/2015-03-31/functions/arn%3Aaws%3Alambda%3Aeu-west-1%3A123456789012%3Afunction%3Aorders-get%3Alive/invocations?",
		`{"arguments":{"id":12345678901234567890},"idempotencyKey":"tenant/session/op/1/0"}`, "RequestResponse",
	}
	if diff := cmp.Diff(want, []string{f.path, f.body, f.kind}); diff != "" {
		t.Error(diff)
	}
}

func TestArgumentsThatDoNotFitAreNotSent(t *testing.T) {
	f := &functions{answer: says(200, "", `1`)}
	for _, a := range []string{`{}`, `{"id":"a"}`, `{"id":1,"more":2}`} {
		_, err := run(t, tools(t, f)["order_lookup"], a)
		var failure tool.Failure
		if !errors.As(err, &failure) || failure.Code != "invalid_arguments" || f.asked.Load() != 0 {
			t.Errorf("%s: %v after %d requests", a, err, f.asked.Load())
		}
	}
}

func TestWhatBecomesOfACall(t *testing.T) {
	long := strings.Repeat("m", 5000)
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		// want is the code of the failure; once is that of the class once.
		want, once string
	}{
		{"thrown", says(200, "X-Amz-Function-Error: Unhandled", `{"errorType":"OrderGone","errorMessage":"`+long+`","stackTrace":["SECRET"]}`), "function_failed", "function_failed"},
		{"thrown, unreadable", says(200, "X-Amz-Function-Error: Unhandled", `SECRET`), "function_failed", "function_failed"},
		{"throttled", says(429, "X-Amzn-Errortype: TooManyRequestsException", `{"Reason":"ReservedFunctionConcurrentInvocationLimitExceeded"}`), "throttled", "throttled"},
		{"throttled by EC2", says(502, "X-Amzn-Errortype: EC2ThrottledException", `{}`), "throttled", "throttled"},
		{"no such function", says(404, "X-Amzn-Errortype: ResourceNotFoundException", `{"Message":"SECRET"}`), "not_run", "not_run"},
		{"not allowed", says(403, "X-Amzn-Errortype: AccessDeniedException", `{"Message":"SECRET"}`), "not_run", "not_run"},
		{"too large", says(413, "X-Amzn-Errortype: RequestTooLargeException", `{}`), "not_run", "not_run"},
		{"no network for it", says(502, "X-Amzn-Errortype: SubnetIPAddressLimitReachedException", `{}`), "not_run", "not_run"},
		{"broken", says(500, "X-Amzn-Errortype: ServiceException", `{"Message":"SECRET"}`), "unavailable", "unknown"},
		{"a gateway's", says(504, "", `<html>SECRET`), "unavailable", "unknown"},
		{"broken off", func(w http.ResponseWriter, _ *http.Request) { panic(http.ErrAbortHandler) }, "broke_off", "unknown"},
	} {
		f := &functions{answer: c.answer}
		all := tools(t, f)
		for name, want := range map[string]string{"order_lookup": c.want, "order_note": c.want, "order_cancel": c.once} {
			f.asked.Store(0)
			_, err := run(t, all[name], `{"id":1}`)
			var failure tool.Failure
			got := "unknown"
			if errors.As(err, &failure) {
				got = failure.Code
			} else if !errors.Is(err, tool.ErrUnknown) {
				t.Fatalf("%s: %v", c.name, err)
			}
			if got != want || f.asked.Load() != 1 {
				t.Errorf("%s: %s comes to %s after %d requests, want %s", c.name, name, got, f.asked.Load(), want)
			}
			if strings.Contains(failure.Message, "SECRET") || len(failure.Message) > maxMessage+300 {
				t.Errorf("%s: %.300s", c.name, failure.Message)
			}
		}
	}
}

func TestAFunctionThatCannotBeReachedWasNotRun(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	all := over(t, client(s.URL, http.DefaultClient))
	_, err := run(t, all["order_cancel"], `{}`)
	var f tool.Failure
	if !errors.As(err, &f) || f.Code != "unreachable" {
		t.Errorf("%v", err)
	}
}

// silent is a client within the process: nobody sees how far it got.
func silent(ctx context.Context, _ string, _ []byte) ([]byte, bool, error) {
	<-ctx.Done()
	return nil, false, ctx.Err()
}

func TestACallThatEndsWithoutAnAnswer(t *testing.T) {
	all := over(t, silent)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all["order_cancel"].Run(ctx, tool.Env{}, `{}`); !errors.Is(err, tool.ErrUnknown) {
		t.Errorf("once: %v", err)
	}
	var f tool.Failure
	if _, err := all["order_note"].Run(ctx, tool.Env{}, `{}`); !errors.As(err, &f) || f.Code != "cancelled" {
		t.Errorf("idempotent: %v", err)
	}
}

func TestAnAnswerThatIsTooLargeIsStillOne(t *testing.T) {
	f := &functions{answer: says(200, "", `"`+strings.Repeat("a", maxPayload)+`"`)}
	all := over(t, client("http://lambda.test", direct{f}))
	if out, err := run(t, all["order_cancel"], `{}`); err != nil || !strings.Contains(out, "too large") {
		t.Errorf("%.80q, %v", out, err)
	}
	f.answer = says(200, "", `1`)
	f.asked.Store(0)
	_, err := run(t, all["order_cancel"], `{"a":"`+strings.Repeat("a", maxPayload)+`"}`)
	var failure tool.Failure
	if !errors.As(err, &failure) || failure.Code != "too_large" || f.asked.Load() != 0 {
		t.Errorf("%v after %d requests", err, f.asked.Load())
	}
}

func TestAConfigurationSaysWhatIsWrongWithIt(t *testing.T) {
	for with, want := range map[string]string{
		``:                   "0 functions",
		`{"function":[]}`:    "unknown field",
		`{"functions":[{}]}`: "the name",
		`{"functions":[` + strings.Repeat(one("a", "f", "read", `{"type":"object"}`)+",", 64) + one("b", "f", "read", `{"type":"object"}`) + `]}`: "65 functions",
		`{"functions":[` + one("a", "f", "read", `{"type":"object"}`) + "," + one("a", "g", "read", `{"type":"object"}`) + `]}`:                   "twice",
		`{"functions":[` + one("a b", "f", "read", `{"type":"object"}`) + `]}`:                                                                    "the name",
		`{"functions":[` + one("a", "https://f", "read", `{"type":"object"}`) + `]}`:                                                              "ARN",
		`{"functions":[` + one("a", "f/../g", "read", `{"type":"object"}`) + `]}`:                                                                 "ARN",
		`{"functions":[` + one("a", "f", "", `{"type":"object"}`) + `]}`:                                                                          "effect",
		`{"functions":[` + one("a", "f", "read", `{"type":"string"}`) + `]}`:                                                                      "object",
		`{"functions":[{"name":"a","function":"f","effect":"read","description":"d"}]}`:                                                           "Schema is missing",
		`{"functions":[{"name":"a","function":"f","effect":"read","input":{"type":"object"}}]}`:                                                   "description",
		`{"functions":[{"name":"a","function":"f","effect":"read","description":"d","timeout":"1h","input":{"type":"object"}}]}`:                  "timeout",
	} {
		if _, err := New(json.RawMessage(with), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want something of %s", with, err, want)
		}
	}
}

func one(name, function, effect, input string) string {
	return `{"name":"` + name + `","function":"` + function + `","effect":"` + effect + `","description":"d","input":` + input + `}`
}

// A function that only began what it was told says so, and knows where to report.
func TestAFunctionThatReportsLater(t *testing.T) {
	f := &functions{}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	made, err := New(json.RawMessage(`{"functions":[{"name":"ship","function":"ship","description":"Ships.","effect":"once","input":{"type":"object"},"callback":"3h"}]}`), Options{client(s.URL, http.DefaultClient)})
	if err != nil {
		t.Fatal(err)
	}
	list, _ := made.List(t.Context())
	env := tool.Env{Key: "k", Callback: func(context.Context) (string, error) { return "https://api.example/v1/callbacks/abc", nil }}
	for answer, later := range map[string]bool{`{"deferred":true}`: true, `{"deferred":false}`: false, `{"shipped":1}`: false, `"deferred"`: false} {
		f.answer = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }
		r, err := list[0].Run(t.Context(), env, "{}")
		if err != nil || (r.Later != nil) != later || later && r.Later.For != 3*time.Hour || !later && r.Output != answer {
			t.Errorf("%s: %+v, %v", answer, r, err)
		}
		if !strings.Contains(f.body, `"callbackUrl":"https://api.example/v1/callbacks/abc"`) {
			t.Errorf("it was told %s", f.body)
		}
	}
	asked := f.asked.Load()
	env.Callback = func(context.Context) (string, error) { return "", errors.New("out of reach") }
	var failed tool.Failure
	if _, err := list[0].Run(t.Context(), env, "{}"); !errors.As(err, &failed) || failed.Code != "no_callback" || f.asked.Load() != asked {
		t.Errorf("without a URL: %v", err)
	}
}

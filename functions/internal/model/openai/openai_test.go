package openai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
	"windlass/functions/internal/transcript"
)

func TestOptionsThatCannotWorkAreRefusedAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		openai.Options
		ok bool
	}{
		"a key":                {openai.Options{APIKey: key}, true},
		"a key on a line":      {openai.Options{APIKey: key + "\n"}, true},
		"a server without key": {openai.Options{BaseURL: "http://127.0.0.1:11434/v1"}, true},
		"both":                 {openai.Options{APIKey: key, BaseURL: "https://model.test/api/v1/"}, true},
		"nothing":              {openai.Options{}, false},
		"a blank key":          {openai.Options{APIKey: " \n"}, false},
		"two lines as a key":   {openai.Options{APIKey: key + "\nX: y"}, false},
		"no URL":               {openai.Options{APIKey: key, BaseURL: key + "://%"}, false},
		"no host":              {openai.Options{APIKey: key, BaseURL: "localhost:11434"}, false},
		"another scheme":       {openai.Options{APIKey: key, BaseURL: "file:///" + key}, false},
		"credentials":          {openai.Options{BaseURL: "https://user:" + key + "@model.test/v1"}, false},
		"a query":              {openai.Options{BaseURL: "https://model.test/v1?key=" + key}, false},
	} {
		p, err := openai.New(c.Options)
		if (err == nil) != c.ok || (p != nil) != c.ok || err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want fine: %t", name, err, c.ok)
		}
	}
}

// What is asked, and how, follows from the options and the request alone.
func TestTheEnvironmentChangesNothing(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_BASE_URL", "OPENAI_CUSTOM_HEADERS"} {
		t.Setenv(name, "http://of-the-environment.test")
	}
	s := serve(t, streams(stream(completed)))
	p, err := openai.New(openai.Options{BaseURL: s.URL + "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := model.Ask(t.Context(), p, model.Request{Items: hello}); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.headers[0] {
		if name == "Authorization" || strings.Contains(strings.Join(values, ""), "environment") {
			t.Errorf("%s: %q", name, values)
		}
	}
	if accept := s.headers[0].Get("Accept"); accept != "text/event-stream" {
		t.Errorf("accepts %q", accept)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	other := serve(t, streams(stream(completed)))
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/v1/responses", http.StatusTemporaryRedirect)
	})
	_, _, err := model.Ask(t.Context(), s.provider(t), model.Request{Items: hello})
	if f := fault(t, err); !f.Permanent || len(other.asked) > 0 {
		t.Errorf("%+v; the other server was asked %d times", f, len(other.asked))
	}
}

// A turn as the loop drives it: ask, carry out, ask again.
func TestThreeRoundsOfReasoningAndParallelCalls(t *testing.T) {
	s := serve(t, streams(
		stream(created, added(0, openReasoning), delta("reasoning_summary_text", 0, 0, "both"), done(0, thought("both")), added(1, openMessage), delta("output_text", 1, 0, "Looking."), done(1, said("Looking.")),
			done(2, calls("call-0", "read", `{"path":"/a"}`)), done(3, calls("call-1", "read", `{"path":"/b"}`)), completed),
		stream(created, done(0, thought("and")), done(1, calls("call-0", "write", `{"path":"/c"}`)), done(2, calls("call-1", "write", `{"path"`)), completed),
		stream(created, delta("output_text", 0, 0, "Done."), completed),
	))
	p, log := s.provider(t), &transcript.Transcript{}
	apply := func(e event.Payload) { log.Apply(event.Event{Operation: "op", Data: e}) }
	apply(event.OperationAccepted{Prompt: event.Text("go")})
	apply(event.OperationStarted{})
	var got []string
	for range 3 {
		items, end, err := model.Ask(t.Context(), p, model.Request{Model: "m", Items: log.Items})
		if err != nil || end.Usage != used {
			t.Fatalf("%+v, %v", end, err)
		}
		got = append(got, show(items, end))
		apply(event.ModelCompleted{Items: items})
		for _, it := range items {
			if c := it.Call; c != nil && strings.HasSuffix(c.Arguments.Inline(), "}") {
				apply(event.ToolCompleted{Index: c.Index, Output: event.Text("did " + c.Arguments.Inline())})
			} else if c != nil {
				apply(event.ToolFailed{Index: c.Index, Error: event.Error{Code: "invalid_arguments", Message: "no JSON"}})
			}
		}
	}
	if d := cmp.Diff([]string{
		`reasoning:"both" text:"Looking." call-0=read({"path":"/a"}) call-1=read({"path":"/b"}) tools`,
		`reasoning:"and" call-0=write({"path":"/c"}) call-1=write({"path") tools`,
		`text:"Done." end`,
	}, got); d != "" {
		t.Errorf("answers (-want +got):\n%s", d)
	}
	const want = `{"model":"m","stream":true,"store":false,"input":[` +
		`{"type":"message","role":"user","content":"go"},{"type":"message","role":"assistant","content":"Looking."},` +
		`{"type":"function_call","call_id":"call-0","name":"read","arguments":"{\"path\":\"/a\"}"},{"type":"function_call","call_id":"call-1","name":"read","arguments":"{\"path\":\"/b\"}"},` +
		`{"type":"function_call_output","call_id":"call-0","output":"did {\"path\":\"/a\"}"},{"type":"function_call_output","call_id":"call-1","output":"did {\"path\":\"/b\"}"},` +
		`{"type":"function_call","call_id":"call_2_0","name":"write","arguments":"{\"path\":\"/c\"}"},{"type":"function_call","call_id":"call_2_1","name":"write","arguments":"{}"},` +
		`{"type":"function_call_output","call_id":"call_2_0","output":"did {\"path\":\"/c\"}"},{"type":"function_call_output","call_id":"call_2_1","output":"{\"error\":{\"code\":\"invalid_arguments\",\"message\":\"no JSON\"},\"arguments\":\"{\\\"path\\\"\"}"}]}`
	if d := cmp.Diff(want, s.asked[2]); d != "" {
		t.Errorf("the last request (-want +got):\n%s", d)
	}
}

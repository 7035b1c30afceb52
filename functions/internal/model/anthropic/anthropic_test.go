package anthropic_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
)

func TestOptionsThatCannotWorkAreRefusedAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		anthropic.Options
		ok bool
	}{
		"a key":                {anthropic.Options{APIKey: key}, true},
		"a key on a line":      {anthropic.Options{APIKey: key + "\n"}, true},
		"a server without key": {anthropic.Options{BaseURL: "http://127.0.0.1:11434"}, true},
		"both":                 {anthropic.Options{APIKey: key, BaseURL: "https://model.test/api/"}, true},
		"nothing":              {anthropic.Options{}, false},
		"a blank key":          {anthropic.Options{APIKey: " \n"}, false},
		"two lines as a key":   {anthropic.Options{APIKey: key + "\nX: y"}, false},
		"no URL":               {anthropic.Options{APIKey: key, BaseURL: key + "://%"}, false},
		"no host":              {anthropic.Options{APIKey: key, BaseURL: "localhost:11434"}, false},
		"another scheme":       {anthropic.Options{APIKey: key, BaseURL: "file:///" + key}, false},
		"credentials":          {anthropic.Options{BaseURL: "https://user:" + key + "@model.test"}, false},
		"a query":              {anthropic.Options{BaseURL: "https://model.test?key=" + key}, false},
	} {
		p, err := anthropic.New(c.Options)
		if (err == nil) != c.ok || (p != nil) != c.ok || err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want fine: %t", name, err, c.ok)
		}
	}
}

// What is asked, and how, follows from the options and the request alone.
func TestTheEnvironmentChangesNothing(t *testing.T) {
	for _, name := range []string{"API_KEY", "AUTH_TOKEN", "BASE_URL", "CUSTOM_HEADERS", "PROFILE", "CONFIG_DIR", "IDENTITY_TOKEN", "FEDERATION_RULE_ID", "ORGANIZATION_ID", "OPEN_TELEMETRY", "OPEN_TELEMETRY_PROPAGATION"} {
		t.Setenv("ANTHROPIC_"+name, "http://of-the-environment.test")
	}
	for base, key := range map[string]string{"": key, "/v1": "", "/v1/": key, "/": ""} {
		var path string
		var headers http.Header
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			path, headers = r.URL.Path, r.Header.Clone()
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text(0, "a")+ended("end_turn"))
		}))
		p, err := anthropic.New(anthropic.Options{APIKey: key, BaseURL: s.URL + base})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := model.Ask(t.Context(), p, model.Request{Messages: hello}, nil); err != nil {
			t.Fatal(err)
		}
		s.Close()
		if path != "/v1/messages" || headers.Get("X-Api-Key") != key || headers.Get("Anthropic-Version") == "" {
			t.Errorf("behind %q: %s with the key %q", base, path, headers.Get("X-Api-Key"))
		}
		for name, values := range headers {
			if name == "Authorization" || name == "Traceparent" || strings.Contains(strings.Join(values, ""), "environment") {
				t.Errorf("%s: %q", name, values)
			}
		}
	}
}

// The SDK warns of some models on standard error.
func TestNothingIsPrinted(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = write
	_, _, asked := model.Ask(t.Context(), provider(t, streams(text(0, "a")+ended("end_turn"))), model.Request{Model: "claude-opus-4-6", Effort: model.EffortHigh, Messages: hello}, nil)
	os.Stderr = stderr
	_ = write.Close()
	if printed, _ := io.ReadAll(read); len(printed) > 0 || asked != nil {
		t.Errorf("%q, %v", printed, asked)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	p, err := anthropic.New(anthropic.Options{APIKey: key, BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = model.Ask(t.Context(), p, model.Request{Messages: hello}, nil)
	if f := fault(t, err); !f.Permanent || asked != 1 {
		t.Errorf("%+v; asked %d times", f, asked)
	}
}

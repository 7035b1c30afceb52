package openai_test

import (
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
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
	if _, _, err := model.Ask(t.Context(), p, model.Request{Messages: hello}, nil); err != nil {
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

package chat_test

import (
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/chat"
)

func newProvider(t testing.TB, baseURL string, transport http.RoundTripper) *chat.Provider {
	t.Helper()
	p, err := chat.New(chat.Options{BaseURL: baseURL, APIKey: key, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOptionsThatCannotWorkAreRefusedAtOnce(t *testing.T) {
	const url = "http://127.0.0.1:11434/v1"
	for name, c := range map[string]struct {
		chat.Options
		ok bool
	}{
		"a server without key": {chat.Options{BaseURL: url}, true},
		"a key":                {chat.Options{BaseURL: "https://model.test/api/v1/", APIKey: key}, true},
		"a key on a line":      {chat.Options{BaseURL: url, APIKey: key + "\n"}, true},
		"a blank key":          {chat.Options{BaseURL: url, APIKey: " \n"}, true},
		"nothing":              {chat.Options{}, false},
		"no URL":               {chat.Options{APIKey: key}, false},
		"two lines as a key":   {chat.Options{BaseURL: url, APIKey: key + "\nX: y"}, false},
		"nonsense":             {chat.Options{APIKey: key, BaseURL: key + "://%"}, false},
		"no host":              {chat.Options{APIKey: key, BaseURL: "localhost:11434"}, false},
		"another scheme":       {chat.Options{APIKey: key, BaseURL: "file:///" + key}, false},
		"credentials":          {chat.Options{BaseURL: "https://user:" + key + "@model.test/v1"}, false},
		"a query":              {chat.Options{BaseURL: "https://model.test/v1?key=" + key}, false},
		"a fragment":           {chat.Options{BaseURL: "https://model.test/v1#" + key}, false},
	} {
		p, err := chat.New(c.Options)
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
	c := &canned{body: events(finish("stop"))}
	p, err := chat.New(chat.Options{BaseURL: "http://model.test/v1/", Transport: c})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := model.Ask(t.Context(), p, model.Request{Messages: hello}, nil); err != nil {
		t.Fatal(err)
	}
	for name, values := range c.header {
		if name == "Authorization" || strings.Contains(strings.Join(values, ""), "environment") {
			t.Errorf("%s: %q", name, values)
		}
	}
	if accept := c.header.Get("Accept"); accept != "text/event-stream" {
		t.Errorf("accepts %q", accept)
	}
}

func TestTheQuestionGoesBehindTheBaseURL(t *testing.T) {
	for base, want := range map[string]string{
		"http://model.test":                    "http://model.test/chat/completions",
		"http://model.test/v1":                 "http://model.test/v1/chat/completions",
		"https://model.test/api/v1/":           "https://model.test/api/v1/chat/completions",
		"http://model.test/responses":          "http://model.test/responses/chat/completions",
		"http://model.test:8080/a%2Fb/openai":  "http://model.test:8080/a%2Fb/openai/chat/completions",
		"https://eu.model.test/x/chat/v1beta/": "https://eu.model.test/x/chat/v1beta/chat/completions",
	} {
		c := &canned{body: events(finish("stop"))}
		if _, _, err := model.Ask(t.Context(), newProvider(t, base, c), model.Request{Messages: hello}, nil); err != nil || c.url != want {
			t.Errorf("%s: asked %s, %v; want %s", base, c.url, err, want)
		}
	}
}

func TestNobodyIsAskedFurtherThanIsWanted(t *testing.T) {
	parts := 0
	for p, err := range (&canned{body: events(content("a"), content("b"), finish("stop"))}).provider(t).Stream(t.Context(), model.Request{Messages: hello}) {
		if parts++; err != nil || p.Text != "a" {
			t.Errorf("%+v, %v", p, err)
		}
		break
	}
	if parts != 1 {
		t.Errorf("%d parts", parts)
	}
}

package openai_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/openai"
	"windlass/functions/internal/projection"
)

const key = "sk-test-0123456789abcdef"

// server is a provider that answers as it is told, and keeps what it was asked.
type server struct {
	*httptest.Server
	asked   []string
	headers []http.Header
}

func serve(t testing.TB, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/responses" {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		s.asked, s.headers = append(s.asked, string(body)), append(s.headers, r.Header)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) provider(t testing.TB) *openai.Provider {
	t.Helper()
	p, err := openai.New(openai.Options{APIKey: key, BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// streams answers the nth request with the nth stream.
func streams(answers ...string) http.HandlerFunc {
	n := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, answers[min(n, len(answers)-1)])
		n++
	}
}

// stream frames events, each the JSON of one; its kind stands on a line of its own
// too.
func stream(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		_, kind, _ := strings.Cut(e, `"type":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", kind, e)
	}
	return b.String()
}

const (
	created   = `{"type":"response.created","response":{"id":"r","created_at":1.5,"output":[],"usage":null,"error":null}}`
	completed = `{"type":"response.completed","response":{"status":"completed","error":null,"incomplete_details":null,"output":[],"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":5}}}}`
)

var used = event.Tokens{InputTokens: 30, OutputTokens: 7, CachedTokens: 20, ReasoningTokens: 5}

func added(place int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, place, item)
}

func done(place int, item string) string {
	return fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, place, item)
}

func delta(kind string, place, part int, s string) string {
	return fmt.Sprintf(`{"type":"response.%s.delta","output_index":%d,"content_index":%d,"summary_index":%d,"delta":%q}`, kind, place, part, part, s)
}

const (
	openMessage   = `{"type":"message","role":"assistant","status":"in_progress","content":[]}`
	openReasoning = `{"type":"reasoning","summary":[]}`
)

func said(s string) string {
	return fmt.Sprintf(`{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":%q}]}`, s)
}

func calls(id, name, arguments string) string {
	return fmt.Sprintf(`{"type":"function_call","status":"completed","call_id":%q,"name":%q,"arguments":%q}`, id, name, arguments)
}

// sealed is reasoning with its encrypted form; without anything to read if s is
// empty.
func sealed(s, encrypted string) string {
	if s == "" {
		return fmt.Sprintf(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":%q}`, encrypted)
	}
	return fmt.Sprintf(`{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":%q}],"encrypted_content":%q}`, s, encrypted)
}

func thought(s string) string {
	return fmt.Sprintf(`{"type":"reasoning","summary":[{"type":"summary_text","text":%q}],"content":[]}`, s)
}

var hello = []projection.Message{{Role: projection.User, Parts: []projection.Part{{Text: "hello"}}}}

// show writes an answer in one line.
func show(a model.Answer) string {
	var b strings.Builder
	for _, it := range a.Items {
		switch {
		case it.Call != nil:
			fmt.Fprintf(&b, "%s=%s(%s) ", it.Call.CallID, it.Call.Name, it.Call.Arguments.Inline())
		case it.File != nil:
			fmt.Fprintf(&b, "file:%s:%q ", it.File.Type, it.File.Content.Inline())
		case it.Text != nil:
			fmt.Fprintf(&b, "%s:%q ", it.Kind, it.Text.Inline())
		default:
			fmt.Fprintf(&b, "%s ", it.Kind)
		}
		if it.Native != nil {
			fmt.Fprintf(&b, "<%s> ", it.Native.Inline())
		}
	}
	return b.String() + a.Stop
}

func fault(t testing.TB, err error) model.Fault {
	t.Helper()
	var f *model.Fault
	if !errors.As(err, &f) {
		t.Fatalf("%v is no Fault", err)
	}
	return *f
}

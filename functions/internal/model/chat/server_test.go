package chat_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"windlass/eventstore/event"
	"windlass/functions/internal/model"
	"windlass/functions/internal/model/chat"
	"windlass/functions/internal/projection"
)

const key = "sk-test-0123456789abcdef"

// canned is a server without a network, that answers every request with the same.
type canned struct {
	body string
	// kind is the content type, by default of a stream.
	kind string
	// breaks ends the body as a connection does that is dropped.
	breaks bool
	// asked is the last request.
	asked  string
	url    string
	header http.Header
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	c.asked, c.url, c.header = string(b), r.URL.String(), r.Header
	kind := "text/event-stream; charset=utf-8"
	if c.kind != "" {
		kind = c.kind
	}
	var body io.Reader = strings.NewReader(c.body)
	if c.breaks {
		body = io.MultiReader(body, iotest.ErrReader(io.ErrUnexpectedEOF))
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Request: r, Body: io.NopCloser(body)}, nil
}

func (c *canned) provider(t testing.TB) *chat.Provider {
	return newProvider(t, "http://model.test/v1", c)
}

// ask asks for an answer in one line.
func (c *canned) ask(t testing.TB) (string, model.Answer, error) {
	t.Helper()
	a, _, err := model.Ask(t.Context(), c.provider(t), model.Request{Model: "m", Messages: hello}, nil)
	return show(a), a, err
}

// events frames chunks, and ends as servers do.
func events(chunks ...string) string { return cutEvents(append(chunks, "[DONE]")...) }

func cutEvents(chunks ...string) string {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString("data: " + c + "\n\n")
	}
	return b.String()
}

// delta is a chunk with a piece of the message; its fields are JSON.
func delta(fields string) string {
	return `{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{` + fields + `},"finish_reason":null}],"usage":null}`
}

func content(s string) string { return delta(fmt.Sprintf(`"content":%q`, s)) }

// calls is a chunk with fragments of calls.
func calls(fragments ...string) string {
	return delta(`"tool_calls":[` + strings.Join(fragments, ",") + `]`)
}

func fragment(index int, id, name, arguments string) string {
	return fmt.Sprintf(`{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%q}}`, index, id, name, arguments)
}

func more(index int, arguments string) string {
	return fmt.Sprintf(`{"index":%d,"function":{"arguments":%q}}`, index, arguments)
}

func finish(reason string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, reason)
}

const usage = `{"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":7,"total_tokens":37,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":5}}}`

var used = event.Tokens{InputTokens: 30, OutputTokens: 7, CachedTokens: 20, ReasoningTokens: 5}

var hello = []projection.Message{{Role: projection.User, Parts: []projection.Part{{Text: "hello"}}}}

// show writes an answer in one line. What is native stands in angles.
func show(a model.Answer) string {
	var b strings.Builder
	for _, it := range a.Items {
		switch {
		case it.Call != nil:
			fmt.Fprintf(&b, "%s=%s(%s)", it.Call.CallID, it.Call.Name, it.Call.Arguments.Inline())
		case it.File != nil:
			fmt.Fprintf(&b, "file:%s:%q", it.File.Type, it.File.Content.Inline())
		case it.Text != nil:
			fmt.Fprintf(&b, "%s:%q", it.Kind, it.Text.Inline())
		default:
			b.WriteString(it.Kind)
		}
		if it.Native != nil {
			fmt.Fprintf(&b, "<%s>", it.Native.Inline())
		}
		b.WriteByte(' ')
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

// messages are those of a request, as they were sent.
func messages(t testing.TB, body string) string {
	t.Helper()
	_, all, ok := strings.Cut(body, `"messages":[`)
	if !ok {
		t.Fatalf("there are no messages in %s", body)
	}
	return strings.TrimSuffix(all, "]}")
}

// lines writes a stream with other ends of lines.
func lines(stream, end string) string {
	return string(bytes.ReplaceAll([]byte(stream), []byte("\n"), []byte(end)))
}

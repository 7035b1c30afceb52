package anthropic_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/anthropic"
	"windlass/functions/internal/projection"
)

const key = "sk-ant-test-0123456789abcdef"

// canned answers every request with the same, without a network, and keeps the last
// one.
type canned struct {
	kind, body string
	asked      []byte
}

func (c *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked, _ = io.ReadAll(r.Body)
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {c.kind}}, Request: r, Body: io.NopCloser(strings.NewReader(c.body))}, nil
}

func streams(body string) *canned {
	return &canned{kind: "text/event-stream; charset=utf-8", body: body}
}

func provider(t testing.TB, transport http.RoundTripper) *anthropic.Provider {
	t.Helper()
	p, err := anthropic.New(anthropic.Options{APIKey: key, BaseURL: "http://model.test", Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var hello = []projection.Message{user(projection.Part{Text: "hello"})}

func user(p ...projection.Part) projection.Message {
	return projection.Message{Role: projection.User, Parts: p}
}

func assistant(p ...projection.Part) projection.Message {
	return projection.Message{Role: projection.Assistant, Parts: p}
}

func ask(t testing.TB, c *canned) (model.Answer, error) {
	t.Helper()
	a, _, err := model.Ask(t.Context(), provider(t, c), model.Request{Model: "claude-opus-5-5", Messages: hello}, nil)
	return a, err
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
	started = `{"type":"message_start","message":{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":30,"output_tokens":1}}}`
	stopped = `{"type":"message_stop"}`
)

// block are the events of a whole block.
func block(index int, begin string, deltas ...string) string {
	events := []string{begun(index, begin)}
	for _, d := range deltas {
		events = append(events, delta(index, d))
	}
	return stream(append(events, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))...)
}

func begun(index int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, block)
}

func delta(index int, d string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, d)
}

func text(index int, pieces ...string) string {
	var d []string
	for _, s := range pieces {
		d = append(d, fmt.Sprintf(`{"type":"text_delta","text":%q}`, s))
	}
	return block(index, `{"type":"text","text":""}`, d...)
}

func thought(index int, s, signature string) string {
	return block(index, `{"type":"thinking","thinking":"","signature":""}`, fmt.Sprintf(`{"type":"thinking_delta","thinking":%q}`, s), fmt.Sprintf(`{"type":"signature_delta","signature":%q}`, signature))
}

func calls(index int, id, name string, pieces ...string) string {
	d := []string{`{"type":"input_json_delta","partial_json":""}`}
	for _, s := range pieces {
		d = append(d, fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, s))
	}
	return block(index, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":%q,"input":{}}`, id, name), d...)
}

// ended is a good end for a reason of the API's.
func ended(reason string) string {
	return stream(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":7}}`, reason), stopped)
}

// show writes an answer in one line.
func show(a model.Answer) string {
	var b strings.Builder
	for _, it := range a.Items {
		if it.Call != nil {
			fmt.Fprintf(&b, "%s=%s(%s)", it.Call.CallID, it.Call.Name, it.Call.Arguments.Inline())
		} else if it.Text != nil {
			fmt.Fprintf(&b, "%s:%q", it.Kind, it.Text.Inline())
		}
		if it.Native != nil {
			fmt.Fprintf(&b, "<%s>", strings.TrimSuffix(strings.TrimPrefix(it.Native.Inline(), `{"block":`), "}"))
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

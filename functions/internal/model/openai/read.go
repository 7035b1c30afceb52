package openai

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

var errEnough = errors.New("whoever reads the answer has read enough")

// maxWhole bounds an answer that comes in one piece.
const maxWhole = 2 * wire.MaxAnswer

// reader reads one answer and hands its parts on.
type reader struct {
	key    string
	yield  func(model.Part, error) bool
	answer answer
}

// read hands on what comes until the answer ends, or says why it did not.
func (r *reader) read(res *http.Response) error {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "application/json" { // a server that does not stream
		return r.whole(res.Body)
	}
	events := ssestream.NewDecoder(res)
	seen := false
	for events.Next() {
		seen = true
		e := events.Event()
		if string(e.Data) == "[DONE]\n" {
			break // says nothing of how the answer ended
		}
		if end, err := r.event(e.Type, e.Data); err != nil || end {
			return err
		}
	}
	err := events.Err()
	if err == nil && !seen && kind != "text/event-stream" {
		return wire.ErrNoAnswer
	}
	return cutOff(err)
}

// cutOff says why an answer has no end. What the network says of it is not passed
// on.
func cutOff(err error) error {
	var f *model.Fault
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, bufio.ErrTooLong):
		return wire.ErrTooLarge
	}
	return wire.ErrBrokeOff
}

func (r *reader) whole(body io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(body, maxWhole+1))
	switch {
	case len(b) > maxWhole:
		return wire.ErrTooLarge
	case err != nil:
		return cutOff(err)
	}
	var answer response
	if err := json.Unmarshal(b, &answer); err != nil {
		return wire.ErrUnreadable
	}
	if answer.Status == "" && len(answer.Error) == 0 && answer.Output == nil {
		return wire.ErrNoAnswer
	}
	return r.end(answer, "response.completed")
}

// event reads one event. Its kind stands in its JSON; servers may leave the event
// line out. What is not known is passed over.
func (r *reader) event(kind string, data []byte) (end bool, err error) {
	var head struct {
		Type  string          `json:"type"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return false, wire.ErrUnreadable
	}
	if kind == "error" || head.Type == "error" || head.Type == "" && wire.Given(head.Error) {
		return false, r.complain(wire.ReadComplaint(data))
	}
	if head.Type != "" {
		kind = head.Type
	}
	read, ok := kinds[kind]
	if !ok {
		return false, nil
	}
	var e streamEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, wire.ErrUnreadable
	}
	if read == nil {
		return true, r.end(e.Response, kind)
	}
	read(&r.answer, e)
	return false, r.flush()
}

// kinds are the events that are read; those without a reader end the answer.
var kinds = map[string]func(*answer, streamEvent){
	"response.output_item.added":             func(a *answer, e streamEvent) { a.begin(e.OutputIndex, e.Item) },
	"response.output_item.done":              func(a *answer, e streamEvent) { a.settle(e.OutputIndex, e.Item) },
	"response.output_text.delta":             func(a *answer, e streamEvent) { a.say(e.OutputIndex, string(e.Delta)) },
	"response.refusal.delta":                 func(a *answer, e streamEvent) { a.refuse(e.OutputIndex, string(e.Delta)) },
	"response.reasoning_summary_text.delta":  func(a *answer, e streamEvent) { a.think(e.OutputIndex, summary, e.SummaryIndex, string(e.Delta)) },
	"response.reasoning_text.delta":          func(a *answer, e streamEvent) { a.think(e.OutputIndex, thought, e.ContentIndex, string(e.Delta)) },
	"response.function_call_arguments.delta": func(a *answer, e streamEvent) { a.argue(e.OutputIndex, string(e.Delta)) },
	"response.function_call_arguments.done":  func(a *answer, e streamEvent) { a.argued(e.OutputIndex, string(e.Arguments)) },
	"response.completed":                     nil,
	"response.incomplete":                    nil,
	"response.failed":                        nil,
	"response.cancelled":                     nil,
}

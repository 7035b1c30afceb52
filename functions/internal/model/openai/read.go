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
)

// maxWhole bounds an answer that comes in one piece.
const maxWhole = 2 * maxAnswer

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
	switch err := events.Err(); {
	case errors.Is(err, errTooLarge), errors.Is(err, bufio.ErrTooLong):
		return errTooLarge
	case err == nil && !seen && kind != "text/event-stream":
		return &model.Fault{Code: "model_error", Permanent: true, Message: "the model provider answered with something that is no answer; check the base URL"}
	}
	return errBrokeOff
}

func (r *reader) whole(body io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(body, maxWhole+1))
	switch {
	case len(b) > maxWhole:
		return errTooLarge
	case err != nil:
		return errBrokeOff
	}
	var answer response
	if err := json.Unmarshal(b, &answer); err != nil {
		return errUnreadable
	}
	if answer.Status == "" && len(answer.Error) == 0 && answer.Output == nil {
		return &model.Fault{Code: "model_error", Permanent: true, Message: "the model provider answered with JSON that is no answer; check the base URL"}
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
		return false, errUnreadable
	}
	if kind == "error" || head.Type == "error" || head.Type == "" && given(head.Error) {
		return false, r.complain(readComplaint(data))
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
		return false, errUnreadable
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

// end hands on what is left, and how the answer ended.
func (r *reader) end(last response, kind string) error {
	if given(last.Error) || last.Status == "failed" || kind == "response.failed" {
		wrapped, err := json.Marshal(map[string]json.RawMessage{"error": last.Error})
		if err != nil || len(last.Error) == 0 {
			wrapped = []byte("{}")
		}
		return r.complain(readComplaint(wrapped))
	}
	if kind == "response.cancelled" || last.Status == "cancelled" {
		return errBrokeOff
	}
	cut := kind == "response.incomplete" || last.Status == "incomplete"
	r.answer.finish(last.Output, cut)
	if err := r.flush(); err != nil {
		return err
	}
	stop := model.StopEnd
	switch {
	case cut && last.Incomplete.Reason == "content_filter", r.answer.refused:
		stop = model.StopRefusal
	case cut:
		stop = model.StopLength
	case r.answer.calls > 0:
		stop = model.StopTools
	}
	r.yield(model.Part{Stop: stop, Usage: last.Usage.tokens()}, nil)
	return nil
}

// flush hands on what may be.
func (r *reader) flush() error {
	if r.answer.tooLarge() {
		return errTooLarge
	}
	for _, p := range r.answer.take() {
		if !r.yield(p, nil) {
			return errEnough
		}
	}
	return nil
}

func (r *reader) complain(c complaint) error {
	return c.fault(c.status(), c.said(0, r.key))
}

// given: the field is there, and not null.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

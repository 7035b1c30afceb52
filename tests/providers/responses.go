package providers

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Responses is OpenAI's Responses API, asked to stream and to store nothing.
var Responses Protocol = responses{}

type responses struct{}

func (responses) Name() string { return "openai" }
func (responses) Path() string { return "/v1/responses" }

// object is a JSON object; its keys come in their sorted order.
type object = map[string]any

func (responses) Write(w *Writer, a Answer) {
	w.Begin(a)
	if a.Status != 0 {
		responsesError(w, a)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s := &responsesStream{w: w, refuses: a.stop() == "refusal"}
	s.event("response.created", object{"response": s.response("in_progress", object{})})
	s.event("response.in_progress", object{"response": s.response("in_progress", object{})})
	for i, p := range a.Parts {
		s.item(p, a.stop() == "length" && i == len(a.Parts)-1)
	}
	switch {
	case a.Drop:
		w.Drop()
	case a.Broken != "":
		what := object{"type": a.Broken, "code": a.Broken, "message": a.Message, "param": nil}
		s.event("error", object{"error": what})
		s.event("response.failed", object{"response": s.response("failed", object{"error": what})})
	case a.stop() == "length":
		s.event("response.incomplete", object{"response": s.response("incomplete", object{"usage": responsesUsage(a.Usage), "incomplete_details": object{"reason": "max_output_tokens"}})})
	case s.refuses && len(a.Parts) == 0:
		s.event("response.incomplete", object{"response": s.response("incomplete", object{"usage": responsesUsage(a.Usage), "incomplete_details": object{"reason": "content_filter"}})})
	default:
		s.event("response.completed", object{"response": s.response("completed", object{"usage": responsesUsage(a.Usage)})})
	}
}

// responsesTypes are what goes with a status where an answer names no code.
var responsesTypes = map[int]string{
	http.StatusUnauthorized: "invalid_api_key", http.StatusNotFound: "model_not_found", http.StatusTooManyRequests: "rate_limit_exceeded",
	http.StatusInternalServerError: "server_error", http.StatusServiceUnavailable: "server_is_overloaded",
}

func responsesError(w *Writer, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	if a.Code == "" {
		a.Code = responsesTypes[a.Status]
	}
	kind := "invalid_request_error"
	if a.Status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	w.WriteHeader(a.Status)
	what := object{"message": a.Message, "type": kind, "param": nil, "code": nil}
	if a.Code != "" {
		what["code"] = a.Code
	}
	b, _ := json.Marshal(object{"error": what})
	w.Piece(b)
}

func responsesUsage(u Usage) object {
	return object{
		"input_tokens": u.Input, "input_tokens_details": object{"cached_tokens": u.Cached, "cache_write_tokens": u.CacheWrite},
		"output_tokens": u.Output, "output_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output,
	}
}

// responsesStream writes one answer's events.
type responsesStream struct {
	w       *Writer
	number  int
	output  []object
	refuses bool
}

func (s *responsesStream) event(kind string, fields object) {
	fields["type"], fields["sequence_number"] = kind, s.number
	s.number++
	b, _ := json.Marshal(fields)
	s.w.Piece(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, b))
}

func (s *responsesStream) response(status string, fields object) object {
	r := object{"id": "resp_1", "object": "response", "created_at": 1785312000, "status": status, "error": nil, "incomplete_details": nil, "usage": nil, "output": append([]object{}, s.output...)}
	for k, v := range fields {
		r[k] = v
	}
	return r
}

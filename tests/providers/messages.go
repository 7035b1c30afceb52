package providers

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Messages is Anthropic's Messages API, asked to stream.
var Messages Protocol = messages{}

type messages struct{}

func (messages) Name() string { return "anthropic" }
func (messages) Path() string { return "/v1/messages" }

// messagesStops are the API's words for how an answer ends.
var messagesStops = map[string]string{"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "refusal", "pause": "pause_turn"}

func (messages) Write(w *Writer, a Answer) {
	w.Begin(a)
	if a.Status != 0 {
		messagesError(w, a)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Request-Id", "req_1")
	s := &messagesStream{w: w}
	s.event("message_start", object{"message": object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "a-model", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "stop_details": nil,
		"usage": messagesUsage(a.Usage, 1),
	}})
	s.event("ping", object{})
	for _, p := range a.Parts {
		s.block(p)
	}
	switch {
	case a.Drop:
		w.Drop()
	case a.Broken != "":
		s.event("error", messagesFailure(a.Broken, a.Message))
		return
	}
	usage := messagesUsage(a.Usage, a.Usage.Output)
	usage["output_tokens_details"] = object{"thinking_tokens": a.Usage.Reasoning}
	s.event("message_delta", object{"delta": object{"stop_reason": messagesStops[a.stop()], "stop_sequence": nil, "stop_details": nil}, "usage": usage})
	s.event("message_stop", object{})
}

// messagesTypes are what goes with a status where an answer names no code.
var messagesTypes = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusPaymentRequired: "billing_error", http.StatusForbidden: "permission_error", http.StatusNotFound: "not_found_error",
	http.StatusRequestEntityTooLarge: "request_too_large", http.StatusTooManyRequests: "rate_limit_error",
	http.StatusInternalServerError: "api_error", http.StatusGatewayTimeout: "timeout_error", 529: "overloaded_error",
}

func messagesError(w *Writer, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	if a.Code == "" {
		a.Code = messagesTypes[a.Status]
	}
	if a.Code == "" {
		a.Code = "invalid_request_error"
		if a.Status >= http.StatusInternalServerError {
			a.Code = "api_error"
		}
	}
	w.WriteHeader(a.Status)
	b, _ := json.Marshal(messagesFailure(a.Code, a.Message))
	w.Piece(b)
}

func messagesFailure(code, message string) object {
	return object{"type": "error", "error": object{"type": code, "message": message, "details": nil}, "request_id": "req_1"}
}

// messagesUsage counts the input's parts apart, and none of them twice.
func messagesUsage(u Usage, output int64) object {
	return object{
		"input_tokens": u.Input - u.Cached - u.CacheWrite, "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": u.CacheWrite,
		"cache_creation": object{"ephemeral_5m_input_tokens": u.CacheWrite, "ephemeral_1h_input_tokens": 0}, "output_tokens": output, "service_tier": "standard",
	}
}

// messagesStream writes one answer's events.
type messagesStream struct {
	w     *Writer
	index int
}

func (s *messagesStream) event(kind string, fields object) {
	fields["type"] = kind
	b, _ := json.Marshal(fields)
	s.w.Piece(fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, b))
}

// block streams one block. Where the answer's length ends within it, it ends like any
// other.
func (s *messagesStream) block(p Part) {
	switch {
	case p.Call != nil:
		s.begin(object{"type": "tool_use", "id": p.Call.ID, "name": p.Call.Name, "input": object{}})
		for _, d := range append([]string{""}, pieces(p.Call.Arguments)...) {
			s.delta(object{"type": "input_json_delta", "partial_json": d})
		}
	case p.Reasoning != "":
		s.begin(object{"type": "thinking", "thinking": "", "signature": ""})
		for _, d := range pieces(p.Reasoning) {
			s.delta(object{"type": "thinking_delta", "thinking": d})
		}
		if p.Signature != "" {
			s.delta(object{"type": "signature_delta", "signature": p.Signature})
		}
	case p.Signature != "":
		s.begin(object{"type": "redacted_thinking", "data": p.Signature})
	default:
		s.begin(object{"type": "text", "text": ""})
		for _, d := range pieces(p.Text) {
			s.delta(object{"type": "text_delta", "text": d})
		}
	}
	s.event("content_block_stop", object{"index": s.index})
	s.index++
}

func (s *messagesStream) begin(block object) {
	s.event("content_block_start", object{"index": s.index, "content_block": block})
}

func (s *messagesStream) delta(d object) {
	s.event("content_block_delta", object{"index": s.index, "delta": d})
}

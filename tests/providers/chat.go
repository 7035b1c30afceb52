package providers

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Chat is OpenAI's Chat Completions as compatible servers speak it: reasoning comes in
// fields of its own, and with proofs, as gateways give them, in entries.
var Chat Protocol = chat{}

type chat struct{}

func (chat) Name() string { return "openai-compatible" }
func (chat) Path() string { return "/v1/chat/completions" }

func (chat) Write(w *Writer, a Answer) {
	w.Begin(a)
	if a.Status != 0 {
		chatError(w, a)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	s := &chatStream{w: w, refuses: a.stop() == "refusal"}
	w.Piece([]byte(": processing\n\n"))
	s.delta(object{"role": "assistant", "content": ""})
	for _, p := range a.Parts {
		s.part(p)
	}
	switch {
	case a.Drop:
		w.Drop()
	case a.Broken != "":
		s.data(object{"error": object{"message": a.Message, "type": a.Broken, "code": a.Broken, "param": nil}})
		return
	}
	s.choice(object{}, s.reason(a))
	s.chunk([]object{}, chatUsage(a.Usage))
	w.Piece([]byte("data: [DONE]\n\n"))
}

func chatError(w *Writer, a Answer) {
	w.Header().Set("Content-Type", "application/json")
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	kind := "invalid_request_error"
	if a.Status >= http.StatusInternalServerError {
		kind = "server_error"
	}
	what := object{"message": a.Message, "type": kind, "param": nil, "code": nil}
	if a.Code != "" {
		what["code"] = a.Code
	}
	b, _ := json.Marshal(object{"error": what})
	w.WriteHeader(a.Status)
	w.Piece(b)
}

func chatUsage(u Usage) object {
	return object{
		"prompt_tokens": u.Input, "prompt_tokens_details": object{"cached_tokens": u.Cached, "cache_write_tokens": u.CacheWrite},
		"completion_tokens": u.Output, "completion_tokens_details": object{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output,
	}
}

// chatStream writes one answer's chunks.
type chatStream struct {
	w              *Writer
	calls, details int
	refuses        bool
}

func (s *chatStream) data(o object) {
	b, _ := json.Marshal(o)
	s.w.Piece(fmt.Appendf(nil, "data: %s\n\n", b))
}

func (s *chatStream) chunk(choices []object, usage any) {
	s.data(object{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1785312000, "model": "m", "choices": choices, "usage": usage})
}

func (s *chatStream) choice(delta object, reason any) {
	s.chunk([]object{{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": reason}}, nil)
}

func (s *chatStream) delta(d object) { s.choice(d, nil) }

func (s *chatStream) reason(a Answer) string {
	switch stop := a.stop(); {
	case stop == "length":
		return "length"
	case stop == "refusal" && len(a.Parts) == 0:
		return "content_filter"
	case s.calls > 0:
		return "tool_calls"
	}
	return "stop"
}

func (s *chatStream) part(p Part) {
	switch {
	case p.Call != nil:
		s.call(p.Call)
	case p.Signature != "":
		s.proven(p)
	case p.Reasoning != "":
		for _, d := range pieces(p.Reasoning) {
			s.delta(object{"reasoning_content": d})
		}
	default:
		field := "content"
		if s.refuses {
			field = "refusal"
		}
		for _, d := range pieces(p.Text) {
			s.delta(object{field: d})
		}
	}
}

// proven writes reasoning with its proof, which comes behind all fragments of the
// text, in one without text; or a proof that is all there is.
func (s *chatStream) proven(p Part) {
	detail := func(kind, text string, fields object) {
		fields["type"], fields["index"], fields["format"] = kind, s.details, "proof-v1"
		s.delta(object{"content": "", "reasoning": text, "reasoning_details": []object{fields}})
	}
	if p.Reasoning == "" {
		detail("reasoning.encrypted", "", object{"data": p.Signature, "id": nil})
		s.details++
		return
	}
	for _, d := range pieces(p.Reasoning) {
		detail("reasoning.text", d, object{"text": d, "signature": nil})
	}
	detail("reasoning.text", "", object{"signature": p.Signature})
	s.details++
}

func (s *chatStream) call(c *Call) {
	fragment := func(fields object) {
		fields["index"] = s.calls
		s.delta(object{"tool_calls": []object{fields}})
	}
	fragment(object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": ""}})
	for _, d := range pieces(c.Arguments) {
		fragment(object{"function": object{"arguments": d}})
	}
	s.calls++
}

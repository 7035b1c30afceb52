package providers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/aws/smithy-go/eventstream"
)

// Converse is Amazon Bedrock's ConverseStream.
var Converse Protocol = converse{}

type converse struct{}

func (converse) Name() string { return "bedrock" }
func (converse) Path() string { return "/model/{model}/converse-stream" }

// converseTypes are what goes with a status where an answer names no code.
var converseTypes = map[int]string{
	http.StatusBadRequest: "ValidationException", http.StatusUnauthorized: "UnrecognizedClientException", http.StatusForbidden: "AccessDeniedException",
	http.StatusNotFound: "ResourceNotFoundException", http.StatusTooManyRequests: "ThrottlingException",
	http.StatusInternalServerError: "InternalServerException", http.StatusServiceUnavailable: "ServiceUnavailableException",
}

var converseStops = map[string]string{"end": "end_turn", "tools": "tool_use", "length": "max_tokens", "refusal": "content_filtered"}

func (converse) Write(w *Writer, a Answer) {
	w.Begin(a)
	if a.Status != 0 {
		converseError(w, a)
		return
	}
	w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
	s := &converseStream{w: w}
	s.event("messageStart", object{"role": "assistant"})
	for _, p := range a.Parts {
		s.block(p)
		s.place++
	}
	switch {
	case a.Drop:
		w.Drop()
	case a.Broken != "":
		s.exception(a.Broken, a.Message)
	default:
		s.event("messageStop", object{"stopReason": converseStops[a.stop()]})
		s.event("metadata", object{"usage": converseUsage(a.Usage), "metrics": object{"latencyMs": 321}})
	}
}

func converseError(w *Writer, a Answer) {
	if a.Code == "" {
		a.Code = converseTypes[a.Status]
	}
	w.Header().Set("Content-Type", "application/json")
	if a.Code != "" {
		w.Header().Set("X-Amzn-Errortype", a.Code+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	}
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	w.WriteHeader(a.Status)
	b, _ := json.Marshal(object{"message": a.Message})
	w.Piece(b)
}

// converseUsage: what the cache gave and took is counted beside the input.
func converseUsage(u Usage) object {
	return object{
		"inputTokens": u.Input - u.Cached - u.CacheWrite, "outputTokens": u.Output, "totalTokens": u.Input + u.Output,
		"cacheReadInputTokens": u.Cached, "cacheWriteInputTokens": u.CacheWrite, "serverToolUsage": object{},
	}
}

// converseStream writes one answer's frames.
type converseStream struct {
	w     *Writer
	place int
	n     int
}

// event is padded, so that its length tells nothing of its text.
func (s *converseStream) event(kind string, payload object) {
	payload["p"] = "abcdefghijklmnopqrstuvwxyz"[:s.n%26]
	s.n++
	s.frame(payload, ":event-type", kind, ":content-type", "application/json", ":message-type", "event")
}

func (s *converseStream) exception(kind, message string) {
	s.frame(object{"message": message}, ":exception-type", kind, ":content-type", "application/json", ":message-type", "exception")
}

func (s *converseStream) frame(payload object, headers ...string) {
	var m eventstream.Message
	for i := 0; i < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	m.Payload, _ = json.Marshal(payload)
	var b bytes.Buffer
	_ = eventstream.NewEncoder().Encode(&b, m)
	s.w.Piece(b.Bytes())
}

// block writes a block; only a call's beginning is told.
func (s *converseStream) block(p Part) {
	switch {
	case p.Call != nil:
		s.event("contentBlockStart", object{"contentBlockIndex": s.place, "start": object{"toolUse": object{"toolUseId": p.Call.ID, "name": p.Call.Name}}})
		s.delta(object{"toolUse": object{"input": ""}})
		for _, d := range pieces(p.Call.Arguments) {
			s.delta(object{"toolUse": object{"input": d}})
		}
	case p.Reasoning != "":
		for _, d := range pieces(p.Reasoning) {
			s.delta(object{"reasoningContent": object{"text": d}})
		}
		if p.Signature != "" {
			s.delta(object{"reasoningContent": object{"signature": p.Signature}})
		}
	case p.Signature != "":
		s.delta(object{"reasoningContent": object{"redactedContent": sealed(p.Signature)}})
	default:
		for _, d := range pieces(p.Text) {
			s.delta(object{"text": d})
		}
	}
	s.event("contentBlockStop", object{"contentBlockIndex": s.place})
}

func (s *converseStream) delta(d object) {
	s.event("contentBlockDelta", object{"contentBlockIndex": s.place, "delta": d})
}

// sealed is base64 that begins with s, if s can be its beginning.
func sealed(s string) string {
	filled := s + strings.Repeat("A", (4-len(s)%4)%4)
	if _, err := base64.StdEncoding.DecodeString(filled); err == nil {
		return filled
	}
	return base64.StdEncoding.EncodeToString([]byte(s))
}

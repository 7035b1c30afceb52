package chat

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

// maxRequest bounds a request, in bytes. What is shown grows by its escapes, and
// files by a third.
const maxRequest = 2 * projection.MaxBytes

// request is the body without its messages, which stand behind all that stays the
// same from round to round.
type request struct {
	Model               string         `json:"model"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	PromptCacheKey      string         `json:"prompt_cache_key,omitempty"`
	Tools               []tool         `json:"tools,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// encode writes the body: the head, then the messages, each written the same in
// every round. Its error is a [model.Fault].
func encode(r model.Request, s server) ([]byte, error) {
	head, err := headOf(r, s)
	if err != nil {
		return nil, err
	}
	w := writer{server: s}
	w.bridge = w.bridge || bridged.MatchString(r.Model)
	if err := w.write(head); err != nil {
		return nil, err
	}
	w.out.Truncate(w.out.Len() - 1) // its closing brace
	w.out.WriteString(`,"messages":[`)
	if err := w.messages(r); err != nil {
		return nil, err
	}
	w.out.WriteString("]}")
	return w.out.Bytes(), nil
}

func headOf(r model.Request, s server) (request, error) {
	head := request{Model: r.Model, Stream: true, ReasoningEffort: r.Effort}
	if !s.plainStream {
		head.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	if s.newLimit {
		head.MaxCompletionTokens = r.MaxOutputTokens
	} else {
		head.MaxTokens = r.MaxOutputTokens
	}
	if s.cacheKey {
		head.PromptCacheKey = r.CacheKey
	}
	for _, t := range r.Tools {
		p, err := parameters(t.Schema)
		if err != nil {
			return request{}, &model.Fault{Code: model.Invalid, Permanent: true, Message: fmt.Sprintf("the schema of tool %s is no JSON object", t.Name)}
		}
		head.Tools = append(head.Tools, tool{"function", function{t.Name, wire.Clean(t.Description), p}})
	}
	return head, nil
}

// parameters is a tool's schema; some servers want properties in it, though there
// be none.
func parameters(schema json.RawMessage) (json.RawMessage, error) {
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	if _, ok := fields["properties"]; ok {
		return schema, nil
	}
	fields["properties"] = json.RawMessage("{}")
	return json.Marshal(fields)
}

// writer writes a request.
type writer struct {
	server
	out bytes.Buffer
	// last is the role of the message before.
	last string
}

func (w *writer) write(v any) error {
	if err := wire.AppendJSON(&w.out, v); err != nil {
		return &model.Fault{Code: model.Invalid, Permanent: true, Message: "the request cannot be written as JSON"}
	}
	if w.out.Len() > maxRequest {
		return &model.Fault{Code: model.Overflow, Permanent: true, Message: fmt.Sprintf("the transcript has more than the %d bytes that are sent to a model", maxRequest)}
	}
	return nil
}

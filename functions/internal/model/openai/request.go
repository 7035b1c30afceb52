package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"windlass/functions/internal/model"
)

// maxRequest bounds a request, in bytes. No model reads as much, and the text of
// every item has to fit into memory at once.
const maxRequest = 32 << 20

// request is the body without its input, which stands behind all that stays the
// same from round to round.
type request struct {
	Model             string         `json:"model"`
	Stream            bool           `json:"stream"`
	Store             bool           `json:"store"`
	Instructions      string         `json:"instructions,omitempty"`
	Tools             []functionTool `json:"tools,omitempty"`
	ParallelToolCalls bool           `json:"parallel_tool_calls,omitempty"`
}

type functionTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// encode writes the body: the head, then the items, each written the same in
// every round.
func encode(ctx context.Context, r model.Request) ([]byte, error) {
	head := request{Model: r.Model, Stream: true, Instructions: clean(r.Instructions), ParallelToolCalls: len(r.Tools) > 0}
	for _, t := range r.Tools {
		p, err := parameters(t.Schema)
		if err != nil {
			return nil, &model.Fault{Code: "model_error", Permanent: true, Message: fmt.Sprintf("the schema of tool %s is no JSON object", t.Name)}
		}
		head.Tools = append(head.Tools, functionTool{Type: "function", Name: t.Name, Description: clean(t.Description), Parameters: p})
	}
	p := projection{text: r.Text}
	if err := p.write(head); err != nil {
		return nil, err
	}
	p.out.Truncate(p.out.Len() - 1) // its closing brace
	p.out.WriteString(`,"input":[`)
	if err := p.items(ctx, r.Items); err != nil {
		return nil, err
	}
	p.out.WriteString("]}")
	return p.out.Bytes(), nil
}

// parameters is a tool's schema; the API wants properties in it, though there be
// none.
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

// write appends v's JSON.
func (p *projection) write(v any) error {
	if err := appendJSON(&p.out, v); err != nil {
		return err
	}
	if p.out.Len() > maxRequest {
		return tooLong()
	}
	return nil
}

// appendJSON leaves <, > and & as they are: a model reads some of it.
func appendJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - 1) // Encode's newline
	return nil
}

// tooLong is the fault of a transcript that is not even sent.
func tooLong() *model.Fault {
	return &model.Fault{Code: "context_overflow", Permanent: true, Message: fmt.Sprintf("the transcript has more than the %d bytes that are sent to a model", maxRequest)}
}

// clean makes text that every server can read: some refuse a NUL, and then every
// later request of the session.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

package openai

import (
	"encoding/json"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// request is the body without its input, which stands behind all that stays the
// same from round to round.
type request struct {
	Model             string         `json:"model"`
	Stream            bool           `json:"stream"`
	Store             bool           `json:"store"`
	MaxOutputTokens   int            `json:"max_output_tokens,omitempty"`
	PromptCacheKey    string         `json:"prompt_cache_key,omitempty"`
	Reasoning         *reasoning     `json:"reasoning,omitempty"`
	Include           []string       `json:"include,omitempty"`
	Instructions      string         `json:"instructions,omitempty"`
	Tools             []functionTool `json:"tools,omitempty"`
	ParallelToolCalls bool           `json:"parallel_tool_calls,omitempty"`
}

type reasoning struct {
	Effort  string `json:"effort"`
	Summary string `json:"summary,omitempty"`
}

type functionTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

// think asks for reasoning, and for its encrypted form, of a model that is said to
// reason: one that does not refuses the words. Servers that encrypt nothing pass
// the wish over, and those that always encrypt need none.
func (q *request) think(effort string) {
	switch effort {
	case "":
	case model.EffortNone:
		q.Reasoning = &reasoning{Effort: effort}
	default:
		q.Reasoning = &reasoning{Effort: effort, Summary: "auto"}
		q.Include = []string{"reasoning.encrypted_content"}
	}
}

// encode writes the body: the head, then the messages, each written the same in
// every round.
func encode(r model.Request) ([]byte, error) {
	head := request{Model: r.Model, Stream: true, MaxOutputTokens: r.MaxOutputTokens, PromptCacheKey: r.CacheKey,
		Instructions: wire.Clean(r.Instructions), ParallelToolCalls: len(r.Tools) > 0}
	head.think(r.Effort)
	for _, t := range r.Tools {
		p, err := parameters(t.Schema)
		if err != nil {
			return nil, &model.Fault{Code: model.Invalid, Permanent: true, Message: fmt.Sprintf("the schema of tool %s is no JSON object", t.Name)}
		}
		head.Tools = append(head.Tools, functionTool{Type: "function", Name: t.Name, Description: wire.Clean(t.Description), Parameters: p})
	}
	var in input
	if err := in.write(head); err != nil {
		return nil, err
	}
	in.out.Truncate(in.out.Len() - 1) // its closing brace
	in.out.WriteString(`,"input":[`)
	if err := in.messages(r.Messages); err != nil {
		return nil, err
	}
	in.out.WriteString("]}")
	return in.out.Bytes(), nil
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

package bedrock

import (
	"encoding/json"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

type toolConfig struct {
	Tools []any `json:"tools"`
}

type tool struct {
	Spec toolSpec `json:"toolSpec"`
}

type toolSpec struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	InputSchema inputSchema `json:"inputSchema"`
}

type inputSchema struct {
	JSON json.RawMessage `json:"json"`
}

// tools is what the model may call; nil for nothing.
func tools(r model.Request, t traits) (*toolConfig, error) {
	if len(r.Tools) == 0 {
		return former(r.Messages), nil
	}
	var c toolConfig
	for _, o := range r.Tools {
		schema, err := object(o.Schema)
		if err != nil {
			return nil, &model.Fault{Code: model.Invalid, Permanent: true, Message: fmt.Sprintf("the schema of tool %s is not that of a JSON object", o.Name)}
		}
		spec := toolSpec{o.Name, o.Description, inputSchema{schema}}
		if blank(o.Description) {
			spec.Description = ""
		}
		c.Tools = append(c.Tools, tool{spec})
	}
	if t.cachesTools {
		c.Tools = append(c.Tools, cacheMark)
	}
	return &c, nil
}

// former is the tool of the first call where there are no tools any more: calls in
// messages without any tool are refused.
func former(messages []projection.Message) *toolConfig {
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Call != nil {
				return &toolConfig{[]any{tool{toolSpec{p.Call.Name, "This tool is gone. Do not call it.", inputSchema{json.RawMessage(`{"type":"object"}`)}}}}}
			}
		}
	}
	return nil
}

// object is a schema with its type, which servers want to be written.
func object(schema json.RawMessage) (json.RawMessage, error) {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object"}`), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	switch string(fields["type"]) {
	case `"object"`:
		return schema, nil
	case "":
		fields["type"] = json.RawMessage(`"object"`)
		return json.Marshal(fields)
	}
	return nil, fmt.Errorf("of type %s", fields["type"])
}

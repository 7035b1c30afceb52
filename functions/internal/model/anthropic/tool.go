package anthropic

import (
	"encoding/json"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

type toolChoice struct {
	Type string `json:"type"`
}

var anyObject = json.RawMessage(`{"type":"object"}`)

// tools describes what may be called. Some servers refuse calls in the messages of a
// request that has no tools: then those that were called are named, and none of them
// may be.
func tools(r model.Request) (all []tool, choice *toolChoice, err error) {
	for _, t := range r.Tools {
		schema, err := inputSchema(t.Schema)
		if err != nil {
			return nil, nil, &model.Fault{Code: model.Invalid, Permanent: true, Message: fmt.Sprintf("the schema of tool %s is no JSON object; mend the tool", t.Name)}
		}
		all = append(all, tool{Name: t.Name, Description: t.Description, Schema: schema})
	}
	if all == nil {
		for _, name := range called(r.Messages) {
			all, choice = append(all, tool{Name: name, Schema: anyObject}), &toolChoice{"none"}
		}
	}
	return all, choice, nil
}

// inputSchema is a tool's schema; the API wants a type in it.
func inputSchema(schema json.RawMessage) (json.RawMessage, error) {
	if len(schema) == 0 {
		return anyObject, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	if _, ok := fields["type"]; ok {
		return schema, nil
	}
	fields["type"] = json.RawMessage(`"object"`)
	return json.Marshal(fields)
}

// called are the names of all calls, each where it came first.
func called(messages []projection.Message) (names []string) {
	seen := map[string]bool{}
	for _, m := range messages {
		for _, p := range m.Parts {
			if p.Call != nil && !seen[p.Call.Name] {
				seen[p.Call.Name] = true
				names = append(names, p.Call.Name)
			}
		}
	}
	return names
}

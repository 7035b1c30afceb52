package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"windlass/functions/internal/tool"
)

// MaxSchema bounds a schema that somebody else wrote, in bytes.
const MaxSchema = 32 << 10

// arguments are an object whose schema is known at run time only. Numbers keep their
// digits.
type arguments map[string]any

func (a *arguments) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode((*map[string]any)(a))
}

// Run carries out a call; arguments are a JSON object that fits the schema.
type Run func(ctx context.Context, env tool.Env, arguments json.RawMessage) (tool.Result, error)

// Define builds a tool whose arguments' schema is no struct of ours. target is
// [tool.Call.Target]'s. Its error says what is wrong with the schema.
//
// A schema that refers to itself, or grows when its references are followed, is
// passed on, and arguments are not checked against it: the validator would follow it
// without an end. Then only the one who wrote it checks.
func Define(t tool.Tool, schema json.RawMessage, target string, run Run) (*tool.Tool, error) {
	written, resolved, err := resolve(schema)
	if err != nil {
		return nil, err
	}
	name := t.Name
	made := tool.Define(t, func(arguments) string { return target }, func(ctx context.Context, env tool.Env, a arguments) (tool.Result, error) {
		raw, err := json.Marshal(map[string]any(a))
		if err != nil {
			return tool.Result{}, Failf("invalid_arguments", "the arguments cannot be written as JSON")
		}
		if err := fits(resolved, raw); err != nil {
			return tool.Result{}, Failf("invalid_arguments", "the arguments do not fit %s: %v", name, err)
		}
		return run(ctx, env, raw)
	})
	made.Schema = written
	return made, nil
}

func fits(resolved *jsonschema.Resolved, raw json.RawMessage) error {
	if resolved == nil {
		return nil
	}
	var plain any
	if err := json.Unmarshal(raw, &plain); err != nil {
		return err
	}
	return resolved.Validate(plain)
}

// resolve writes a schema in the one way that is the same every time, and makes it
// ready, unless it had better not be followed.
func resolve(schema json.RawMessage) (json.RawMessage, *jsonschema.Resolved, error) {
	if len(schema) > MaxSchema {
		return nil, nil, fmt.Errorf("the schema has %d bytes, at most %d are allowed", len(schema), MaxSchema)
	}
	var fields map[string]any
	if err := json.Unmarshal(schema, &fields); err != nil || fields == nil || fields["type"] != "object" {
		return nil, nil, errors.New(`the schema is not that of an object: it has no "type": "object"`)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, nil, fmt.Errorf("the schema is no JSON Schema: %w", err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return nil, nil, fmt.Errorf("the schema is no JSON Schema: %w", err)
	}
	written, err := json.Marshal(fields)
	if !bounded(fields) {
		resolved = nil
	}
	return written, resolved, err
}

package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"windlass/functions/internal/tool"
)

func define(schema string) (*tool.Tool, error) {
	return Define(tool.Tool{Name: "echo", Effect: tool.Read, Timeout: time.Second}, json.RawMessage(schema), "it",
		func(_ context.Context, _ tool.Env, arguments json.RawMessage) (tool.Result, error) {
			return tool.Result{Output: string(arguments)}, nil
		})
}

func TestArgumentsAreCheckedAgainstASchemaThatIsNotOurs(t *testing.T) {
	echo, err := define(`{"type":"object", "required":["n"], "properties":{"n":{"$ref":"#/$defs/number"}}, "$defs":{"number":{"type":"integer"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"$defs":{"number":{"type":"integer"}},"properties":{"n":{"$ref":"#/$defs/number"}},"required":["n"],"type":"object"}`; string(echo.Schema) != want {
		t.Errorf("the schema is %s", echo.Schema)
	}
	const digits = `{"n":12345678901234567890}`
	for arguments, want := range map[string]string{digits: "", `{"n":"a"}`: "invalid_arguments", `{}`: "invalid_arguments"} {
		if _, err := echo.Read(arguments); err != nil {
			t.Fatal(err)
		}
		r, err := echo.Run(t.Context(), tool.Env{}, arguments)
		if want == "" && (err != nil || r.Output != digits) || want != "" && code(t, err) != want {
			t.Errorf("%s: %q, %v", arguments, r.Output, err)
		}
	}
	if c, err := echo.Read(digits); err != nil || c.Target() != "it" {
		t.Errorf("the target is %q, %v", c.Target(), err)
	}
}

func TestASchemaThatIsNone(t *testing.T) {
	for _, s := range []string{``, `null`, `[]`, `true`, `{}`, `{"type":"string"}`, `{"type":["object"]}`, `{"type":"object","properties":{"a":1}}`,
		`{"type":"object","properties":{"a":{"$ref":"https://example.com/schema"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}`, `{"type":"object","properties":{"a":{"pattern":"("}}}`,
		`{"type":"object","description":"` + strings.Repeat("a", MaxSchema) + `"}`} {
		if made, err := define(s); err == nil {
			t.Errorf("%.80s is taken: %s", s, made.Schema)
		}
	}
}

// doubling is a schema of n definitions that is 2 to the power of n long when its
// references are followed.
func doubling(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	defs = append(defs, fmt.Sprintf(`"d%d":{"type":"string"}`, n))
	return `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
}

func TestASchemaWithoutAnEndIsNotFollowed(t *testing.T) {
	for name, s := range map[string]string{
		"itself":   `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}`,
		"the root": `{"type":"object","properties":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#"}]}`,
		"a ring":   `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"$ref":"#/$defs/a"}}}`,
		"doubling": doubling(60),
		"anchor":   `{"type":"object","properties":{"a":{"$ref":"#x"}},"$defs":{"a":{"$anchor":"x","allOf":[{"$ref":"#x"}]}}}`,
		"dynamic":  `{"$dynamicAnchor":"x","type":"object","properties":{"a":{"$dynamicRef":"#x"}}}`,
	} {
		echo, err := define(s)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r, err := echo.Run(t.Context(), tool.Env{}, `{"a":1}`); err != nil || r.Output != `{"a":1}` {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	if echo, err := define(doubling(5)); err != nil {
		t.Error(err)
	} else if _, err := echo.Run(t.Context(), tool.Env{}, `{"a":1}`); code(t, err) != "invalid_arguments" {
		t.Errorf("a schema that stays small is not followed: %v", err)
	}
}

func FuzzDefine(f *testing.F) {
	f.Add(doubling(3), `{"a":1}`)
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}`, `{"a":{}}`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		echo, err := define(schema)
		if err != nil {
			return
		}
		c, err := echo.Read(arguments)
		if err != nil {
			return
		}
		var failure tool.Failure
		if _, err := c.Run(t.Context(), tool.Env{}); err != nil && !errors.As(err, &failure) {
			t.Fatal(err)
		}
	})
}

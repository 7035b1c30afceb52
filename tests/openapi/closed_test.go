package openapi

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// closed is the document with every object shut: what it is silent about does not
// fit. To clients it says that answers may gain members; to us, that a member that
// was gained and not written down is a mistake.
//
// JSON Schema shuts an object at the outside of all its parts, so each component
// has a second, open form, which stands where it is one part of several.
func closed(text []byte) ([]byte, error) {
	var d map[string]any
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	schemas := d["components"].(map[string]any)["schemas"].(map[string]any)
	open := map[string]any{}
	for name, s := range schemas {
		part := copyOf(s).(map[string]any)
		shut(part, false)
		open[name+asPart] = part
		shut(s.(map[string]any), true)
	}
	maps.Copy(schemas, open)
	inline(d["paths"])
	inline(d["components"].(map[string]any)["responses"])
	return json.Marshal(d)
}

const asPart = "Part"

// inline shuts the schemas that stand in media types.
func inline(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			inline(e)
		}
	case map[string]any:
		for name, e := range v {
			if s, ok := e.(map[string]any); ok && name == "schema" {
				shut(s, true)
			} else {
				inline(e)
			}
		}
	}
}

// shut shuts a schema, if it is whole, and those of its members.
func shut(s map[string]any, whole bool) {
	members, _ := s["properties"].(map[string]any)
	for _, m := range members {
		shut(m.(map[string]any), true)
	}
	if items, ok := s["items"].(map[string]any); ok {
		shut(items, true)
	}
	for _, name := range []string{"allOf", "oneOf"} {
		parts, _ := s[name].([]any)
		for _, p := range parts {
			p := p.(map[string]any)
			if ref, ok := p["$ref"].(string); ok {
				if name == "allOf" {
					p["$ref"] = ref + asPart
				}
				continue
			}
			shut(p, false)
		}
	}
	_, isMap := s["additionalProperties"]
	if whole && !isMap && (s["properties"] != nil || s["allOf"] != nil) {
		s["unevaluatedProperties"] = false
	}
}

func copyOf(v any) any {
	switch v := v.(type) {
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = copyOf(e)
		}
		return c
	case map[string]any:
		c := make(map[string]any, len(v))
		for name, e := range v {
			c[name] = copyOf(e)
		}
		return c
	}
	return v
}

// The other tests only mean something if this one holds: what is added anywhere in
// an answer is noticed, and the same answer without it is fine.
func TestAMemberThatIsNotWrittenDownIsNoticed(t *testing.T) {
	strict, err := closed(file(t))
	if err != nil {
		t.Fatal(err)
	}
	_, open := model(t, file(t))
	_, shut := model(t, strict)
	const more = `"more":1,`
	for path, body := range map[string]string{
		"/v1/sessions":              `{MORE"sessions":[{MORE"sessionId":"a","streamId":"b","agent":"c","openedAt":"2026-01-02T03:04:05.000000Z","asOfSeq":1,"unsettled":0,"retention":"30d","expiresAt":"2026-02-01T03:04:05.000000Z","usage":{MORE"inputTokens":0,"outputTokens":0,"cachedTokens":0,"reasoningTokens":0,"modelCalls":0}}]}`,
		"/v1/sessions/s/events":     `{MORE"lastSeq":1,"events":[{MORE"seq":1,"type":"operation.failed","v":1,"at":"2026-01-02T03:04:05.000000Z","operationId":"a","data":{MORE"error":{MORE"code":"a","message":"b"},"usage":{MORE"inputTokens":0,"outputTokens":0,"cachedTokens":0,"reasoningTokens":0,"modelCalls":0}}}]}`,
		"/v1/sessions/s/transcript": `{MORE"asOfSeq":1,"items":[{MORE"n":2,"kind":"user","text":"t","files":[{MORE"type":"a/b","bytes":1}]},{MORE"n":1,"kind":"tool_result","call":{MORE"index":0,"callId":"a","name":"b","arguments":"{}"},"output":{MORE"ref":{MORE"sha256":"` + noHash + `","bytes":1,"type":"a/b"}}}]}`,
		"/v1/sessions/s/files":      `{MORE"asOfSeq":1,"files":[{MORE"path":"/a","bytes":1,"sha256":"` + noHash + `","contentType":"a/b"}]}`,
	} {
		parts := strings.Split(body, "MORE")
		for at := range parts {
			text := strings.Join(parts[:at], "") + more + strings.Join(parts[at:], "")
			if at == 0 {
				text = strings.Join(parts, "")
			}
			r := httptest.NewRequest(http.MethodGet, path, nil)
			answer := func() *http.Response {
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}}, Body: io.NopCloser(strings.NewReader(text))}
			}
			// A value has three forms and no other: there the open document refuses too.
			inValue := strings.Contains(text, `"output":{"more"`)
			if ok, errs := open.ValidateHttpResponse(r, answer()); ok == inValue {
				t.Errorf("%s: %t%s", text, ok, reasons(errs))
			}
			if ok, errs := shut.ValidateHttpResponse(r, answer()); ok != (at == 0) {
				t.Errorf("%s: %t%s", text, ok, reasons(errs))
			}
		}
	}
}

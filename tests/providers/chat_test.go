package providers

import (
	"net/http"
	"strings"
	"testing"
)

// A check that lets everything through would prove nothing.
func TestChatRefusesWhatServersRefuse(t *testing.T) {
	const body = `{"model":"m","stream":true,"stream_options":{"include_usage":true},"max_tokens":9,"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}],"messages":[` +
		`{"role":"system","content":"s"},{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]},` +
		`{"role":"assistant","content":null,"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s","index":0}],"tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"y","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","tool_call_id":"x","content":"1"},{"role":"tool","tool_call_id":"y","content":"2"},{"role":"user","content":"b"}]}`
	check := func(body, authorization string) error {
		r, err := http.NewRequest(http.MethodPost, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", authorization)
		return Chat.Check(r, []byte(body))
	}
	for _, authorization := range []string{"", "Bearer k"} {
		if err := check(body, authorization); err != nil {
			t.Errorf("%q: %v", authorization, err)
		}
	}
	if check(body, "Bearer ") == nil || check(body, "Basic k") == nil {
		t.Error("an authorization that is no bearer token is taken")
	}
	for name, change := range map[string][2]string{
		"an unknown field":              {`"max_tokens"`, `"store":false,"max_tokens"`},
		"no model":                      {`"m"`, `""`},
		"no stream":                     {`"stream":true`, `"stream":false`},
		"no usage":                      {`"include_usage":true`, `"include_usage":false`},
		"two limits":                    {`"max_tokens":9`, `"max_tokens":9,"max_completion_tokens":9`},
		"no tokens":                     {`"max_tokens":9`, `"max_tokens":0`},
		"no such effort":                {`"max_tokens":9`, `"reasoning_effort":"huge"`},
		"no tools in a list":            {`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`, `"tools":[]`},
		"no properties":                 {`,"properties":{}`, ``},
		"a tool of no name":             {`"name":"f","parameters"`, `"name":"f g","parameters"`},
		"a system message later":        {`{"role":"user","content":"b"}`, `{"role":"system","content":"b"}`},
		"an unknown role":               {`"role":"user","content":"b"`, `"role":"developer","content":"b"`},
		"an unknown field of a message": {`"role":"user","content":"b"`, `"role":"user","refusal":"b","content":"b"`},
		"two users in a row":            {`{"role":"user","content":"b"}`, `{"role":"user","content":"b"},{"role":"user","content":"c"}`},
		"an assistant at first":         {`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,UE5H"}}]},`, ``},
		"an empty text":                 {`"content":"b"`, `"content":""`},
		"no content":                    {`"content":"b"`, `"content":null`},
		"an empty list":                 {`"content":"b"`, `"content":[]`},
		"a type that is not taken":      {`image/png`, `image/tiff`},
		"no base64":                     {`UE5H`, `???`},
		"a user that thinks":            {`"content":"b"`, `"content":[{"type":"thinking","thinking":[{"type":"text","text":"b"}]}]`},
		"results in another order":      {`"tool_call_id":"x","content":"1"},{"role":"tool","tool_call_id":"y"`, `"tool_call_id":"y","content":"1"},{"role":"tool","tool_call_id":"x"`},
		"a result that is missing":      {`{"role":"tool","tool_call_id":"y","content":"2"},`, ``},
		"a result too many":             {`{"role":"user","content":"b"}`, `{"role":"tool","tool_call_id":"x","content":"1"}`},
		"an empty result":               {`"content":"2"`, `"content":""`},
		"an id twice":                   {`"id":"y"`, `"id":"x"`},
		"no id":                         {`"id":"y"`, `"id":""`},
		"a call of no name":             {`"name":"f","arguments"`, `"name":"","arguments"`},
		"arguments that are no object":  {`"arguments":"{}"`, `"arguments":"[]"`},
		"half of the arguments":         {`"arguments":"{}"`, `"arguments":"{\"a"`},
		"no calls in a list":            {`{"role":"user","content":"b"}`, `{"role":"assistant","content":"b","tool_calls":[]}`},
		"a fragment":                    {`"signature":"s",`, ``},
		"a proof without its text":      {`"text":"hm",`, ``},
		"a NUL":                         {`"content":"b"`, `"content":"\u0000"`},
		"something behind":              {`"content":"b"}]}`, `"content":"b"}]}{}`},
	} {
		changed := strings.Replace(body, change[0], change[1], 1)
		if changed == body {
			t.Fatalf("%s changes nothing", name)
		}
		if check(changed, "Bearer k") == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

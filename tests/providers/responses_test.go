package providers

import (
	"net/http"
	"strings"
	"testing"
)

// What the API refuses is refused here: else a suite that passes shows nothing.
func TestResponsesRefusesWhatTheAPIRefuses(t *testing.T) {
	const call, output = `{"type":"function_call","call_id":"x","name":"f","arguments":"{}"}`, `{"type":"function_call_output","call_id":"x","output":"a"}`
	const user, reasoning = `{"type":"message","role":"user","content":"a"}`, `{"type":"reasoning","summary":[],"encrypted_content":"a"}`
	request := func(head string, items ...string) string {
		return `{"model":"m","stream":true,"store":false` + head + `,"input":[` + strings.Join(items, ",") + `]}`
	}
	header := http.Header{"Authorization": {"Bearer k"}, "Content-Type": {"application/json"}}
	for name, c := range map[string]struct {
		body string
		want string // empty where it is accepted
	}{
		"a message":               {request("", user), ""},
		"a turn":                  {request("", user, reasoning, call, output, reasoning, reasoning, `{"type":"message","role":"assistant","content":"a","phase":"commentary"}`, user), ""},
		"parts":                   {request("", `{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,AA=="},{"type":"input_file","filename":"a","file_data":"data:application/pdf;base64,AA=="}]}`), ""},
		"reasoning asked for":     {request(`,"reasoning":{"effort":"low","summary":"auto"},"include":["reasoning.encrypted_content"]`, user), ""},
		"an escaped backslash":    {request("", `{"type":"message","role":"user","content":"\\u0000"}`), ""},
		"a NUL":                   {request("", `{"type":"message","role":"user","content":"\u0000"}`), "NUL"},
		"no JSON":                 {`{`, "EOF"},
		"more than JSON":          {request("", user) + "{}", "behind"},
		"a field of another API":  {request(`,"messages":[]`, user), "messages"},
		"nothing said":            {request(""), "empty"},
		"an empty message":        {request("", `{"type":"message","role":"user","content":""}`), "empty"},
		"no store":                {strings.Replace(request("", user), `"store":false,`, "", 1), "store"},
		"too few tokens":          {request(`,"max_output_tokens":15`, user), "max_output_tokens"},
		"a long cache key":        {request(`,"prompt_cache_key":"`+strings.Repeat("k", 65)+`"`, user), "prompt_cache_key"},
		"an unknown effort":       {request(`,"reasoning":{"effort":"huge"}`, user), "huge"},
		"encryption of nothing":   {request(`,"include":["reasoning.encrypted_content"]`, user), "encrypted"},
		"parallel without tools":  {request(`,"parallel_tool_calls":true`, user), "parallel"},
		"a tool without a schema": {request(`,"tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":false}]`, user), "properties"},
		"a tool twice":            {request(`,"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false},{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":false}]`, user), "name of its own"},
		"a call without output":   {request("", call), "no output"},
		"an output too late":      {request("", call, user, output), "no output"},
		"an answer in between":    {request("", call, strings.Replace(call, `"x"`, `"y"`, 1), output, call), "no output"},
		"an output too many":      {request("", call, output, output), "waits"},
		"an id twice":             {request("", call, output, call, output), "twice"},
		"a long id":               {request("", strings.Replace(call, `"x"`, `"`+strings.Repeat("x", 65)+`"`, 1)), "id"},
		"a name with a dot":       {request("", strings.Replace(call, `"f"`, `"f.g"`, 1), output), "name"},
		"no object":               {request("", strings.Replace(call, "{}", "[]", 1), output), "object"},
		"an item's id":            {request("", strings.Replace(reasoning, `"summary"`, `"id":"rs_1","summary"`, 1), call, output), `"id"`},
		"raw reasoning":           {request("", strings.Replace(reasoning, `"summary"`, `"content":[],"summary"`, 1), call, output), "content"},
		"reasoning without proof": {request("", `{"type":"reasoning","summary":[]}`, call, output), "encrypted"},
		"reasoning to no end":     {request("", reasoning), "follows"},
		"reasoning to a person":   {request("", reasoning, user), "follows"},
		"reasoning to an output":  {request("", call, reasoning, output), "follows"},
		"a phase of a person":     {request("", strings.Replace(user, `"content"`, `"phase":"commentary","content"`, 1)), "phase"},
		"a picture of text":       {request("", `{"type":"message","role":"user","content":[{"type":"input_image","detail":"auto","image_url":"data:text/plain;base64,AA=="}]}`), "data URL"},
		"a file without data":     {request("", `{"type":"message","role":"user","content":[{"type":"input_file","filename":"a","file_data":"data:application/pdf;base64,"}]}`), "empty"},
		"an unknown item":         {request("", `{"type":"item_reference","id":"x"}`), "item_reference"},
	} {
		r := &http.Request{Header: header}
		err := Responses.Check(r, []byte(c.body))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if err := Responses.Check(&http.Request{Header: http.Header{}}, []byte(request("", user))); err == nil {
		t.Error("nobody asked, and was answered")
	}
}

package chat_test

import "testing"

func TestCallsAreToldApartHoweverAServerNumbersThem(t *testing.T) {
	whole := func(id, name, arguments string) string {
		return `{"id":"` + id + `","function":{"name":"` + name + `","arguments":"` + arguments + `"}}`
	}
	for name, c := range map[string]struct {
		chunks []string
		want   string
	}{
		"in fragments":             {[]string{calls(fragment(0, "x", "f", "")), calls(more(0, `{"a`)), calls(more(0, `":1}`))}, `x=f({"a":1})`},
		"two in turns":             {[]string{calls(fragment(0, "x", "f", `{"a`), fragment(1, "y", "g", `{"b`)), calls(more(1, `":2}`), more(0, `":1}`))}, `x=f({"a":1}) y=g({"b":2})`},
		"one id for both":          {[]string{calls(fragment(0, "x", "f", `{"a":1}`)), calls(fragment(1, "x", "f", `{"a":2}`))}, `x=f({"a":1}) x=f({"a":2})`},
		"one index for both":       {[]string{calls(fragment(0, "x", "f", `{"a":1}`)), calls(fragment(0, "y", "f", `{"a":2}`))}, `x=f({"a":1}) y=f({"a":2})`},
		"one index and no id":      {[]string{calls(fragment(0, "", "roll", `{}`)), calls(fragment(0, "", "roll", `{}`)), calls(fragment(0, "", "add", `{"a":2}`))}, `=roll({}) =roll({}) =add({"a":2})`},
		"one index and one id":     {[]string{calls(fragment(0, "x", "f", `{"a":1}`)), calls(fragment(0, "x", "f", `{"a":2}`))}, `x=f({"a":1}) x=f({"a":2})`},
		"the same again":           {[]string{calls(fragment(0, "x", "f", `{"a"`)), calls(more(0, `:1}`)), calls(fragment(0, "x", "f", `{"a":1}`))}, `x=f({"a":1})`},
		"id and name every time":   {[]string{calls(fragment(0, "0", "f", "")), calls(fragment(0, "0", "f", "{")), calls(fragment(0, "0", "f", `"a":{}`)), calls(fragment(0, "0", "f", "}"))}, `0=f({"a":{}})`},
		"name every time, no id":   {[]string{calls(fragment(0, "", "f", `{"a":"}"`)), calls(fragment(0, "", "f", `,"b":"\"}"}`))}, `=f({"a":"}","b":"\"}"})`},
		"the id behind":            {[]string{calls(fragment(0, "", "f", "")), calls(`{"index":0,"id":"x","function":{"arguments":"{}"}}`)}, `x=f({})`},
		"no index":                 {[]string{calls(whole("x", "f", "{}"), whole("y", "g", "{}"))}, `x=f({}) y=g({})`},
		"no index and no id":       {[]string{calls(whole("", "f", "{}"), whole("", "f", "{}")), calls(whole("", "f", "{}"))}, `=f({}) =f({}) =f({})`},
		"no index, in fragments":   {[]string{calls(whole("x", "f", "")), calls(`{"function":{"arguments":"{"}}`), calls(`{"id":"x","function":{"arguments":"}"}}`), calls(whole("y", "g", "{}"))}, `x=f({}) y=g({})`},
		"an index that is a text":  {[]string{calls(`{"index":"0","id":"x","function":{"name":"f","arguments":"{}"}}`)}, `x=f({})`},
		"a number as the id":       {[]string{calls(`{"index":0,"id":7,"function":{"name":"f","arguments":"{}"}}`)}, `7=f({})`},
		"null for everything":      {[]string{calls(fragment(0, "x", "f", "")), calls(`{"index":0,"id":null,"type":null,"function":{"name":null,"arguments":"{}"}}`)}, `x=f({})`},
		"arguments as an object":   {[]string{calls(`{"index":0,"id":"x","function":{"name":"f","arguments":{"a":1}}}`)}, `x=f({"a":1})`},
		"no arguments":             {[]string{calls(`{"index":0,"id":"x","function":{"name":"f"}}`), calls(fragment(1, "y", "g", "")), calls(fragment(2, "z", "h", " "))}, `x=f({}) y=g({}) z=h({})`},
		"an empty object at first": {[]string{calls(fragment(0, "x", "f", "{}")), calls(more(0, `{"a"`)), calls(more(0, `:1}`))}, `x=f({"a":1})`},
		"malformed arguments":      {[]string{calls(fragment(0, "x", "f", `{"{"a":`))}, `x=f({"{"a":)`},
		"none at all":              {[]string{calls(fragment(0, "x", "f", "{}")), calls(`{"index":1,"function":{"arguments":""}}`), calls(`{}`)}, `x=f({})`},
		"no list":                  {[]string{calls(fragment(0, "x", "f", "{}")), delta(`"tool_calls":null`), delta(`"tool_calls":{}`)}, `x=f({})`},
		"the old form":             {[]string{delta(`"function_call":{"name":"f","arguments":""}`), delta(`"function_call":{"arguments":"{}"}`), delta(`"function_call":null`)}, `=f({})`},
		"signed":                   {[]string{calls(`{"index":0,"id":"x","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"c2ln+/<&>"}}}`), calls(`{"index":0,"extra_content":null,"provider_specific_fields":{}}`)}, `x=f({})<{"extra_content":{"google":{"thought_signature":"c2ln+/<&>"}}}>`},
		"signed by a gateway":      {[]string{calls(fragment(0, "x", "f", "")), calls(`{"index":0,"provider_specific_fields":{"thought_signature":"c2ln"},"function":{"arguments":"{}"}}`)}, `x=f({})<{"provider_specific_fields":{"thought_signature":"c2ln"}}>`},
	} {
		for _, end := range [][]string{{finish("tool_calls"), usage}, {finish("stop")}, {finish("function_call"), usage}} {
			got, _, err := (&canned{body: events(append(c.chunks, end...)...)}).ask(t)
			if want := c.want + " tools"; err != nil || got != want {
				t.Errorf("%s, then %s: %v\n got %s\nwant %s", name, end[0], err, got, want)
			}
		}
	}
}

// What there is of a call that was cut off may be valid, and yet not what the model
// wanted.
func TestACallThatMayGoOnIsNotMade(t *testing.T) {
	for _, arguments := range []string{"", `{"a`, `{"a":1}`} {
		for reason, stop := range map[string]string{"length": "length", "content_filter": "refusal"} {
			got, _, err := (&canned{body: events(content("a"), calls(fragment(0, "x", "f", "{}")), calls(fragment(1, "y", "g", arguments)), finish(reason), usage)}).ask(t)
			if want := `text:"a" x=f({}) ` + stop; err != nil || got != want {
				t.Errorf("%s, %q: %v\n got %s\nwant %s", reason, arguments, err, got, want)
			}
		}
	}
}

package pattern

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern, event string
		want           bool
	}{
		{`{"a":["x","y"]}`, `{"a":"y","b":1}`, true},
		{`{"a":["x","y"]}`, `{"a":"z"}`, false},
		{`{"a":["x"]}`, `{}`, false},
		{`{"a":["x"],"b":["y"]}`, `{"a":"x"}`, false},
		{`{"a":{"b":{"S":["1"]}}}`, `{"a":{"b":{"S":"1"}}}`, true},
		{`{"a":{"b":["1"]}}`, `{"a":"1"}`, false},
		{`{"a":["x"]}`, `{"a":{"x":"x"}}`, false},
		{`{"a":["x"]}`, `{"a":["w","x"]}`, true},
		{`{"a":{"b":["1"],"c":["2"]}}`, `{"a":[{"b":"1"},{"c":"2"}]}`, false},
		{`{"a":{"b":["1"],"c":["2"]}}`, `{"a":[{"b":"0"},{"b":"1","c":"2"}]}`, true},
		{`{"a":[null]}`, `{"a":null}`, true},
		{`{"a":[null]}`, `{}`, false},
		{`{"a":[true]}`, `{"a":"true"}`, false},
		{`{"a":[300]}`, `{"a":300}`, true},
		{`{"a":[300]}`, `{"a":300.0}`, false},
		{`{"a":["1"]}`, `{"a":1}`, false},
		{`{"a":["x"]}`, `[]`, false},
		{`{"a":["x"]}`, `{`, false},
	} {
		p, err := Parse([]byte(c.pattern))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Match([]byte(c.event)); got != c.want {
			t.Errorf("%s on %s: %v", c.pattern, c.event, got)
		}
	}
}

func TestWhatCannotBeMatchedAsOnAWSIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		`{"a":[{"prefix":"x"}]}`:          "prefix",
		`{"a":{"b":[{"exists":true}]}}`:   "a.b",
		`{"$or":[{"a":["x"]}]}`:           "$or",
		`{"a":"x"}`:                       "object or a list",
		`{"a":[]}`:                        "empty list",
		`{"a":{}}`:                        "empty object",
		`{}`:                              "empty object",
		`[]`:                              "not an object",
		`{"a":["x"],"a":["y"]}`:           "twice",
		`{"a":[["x"]]}`:                   "list inside a list",
		`{"a":["x"]} {}`:                  "follows",
		`{"a":["x"]`:                      "",
		``:                                "",
		strings.Repeat(`{"a":`, 40) + `1`: "deeply",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every pattern that is read can be shown an event that it matches: the first
// value of each list.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"dynamodb":{"NewImage":{"kind":{"S":["commit"]},"wake":{"S":["1"]}}}}`))
	f.Add([]byte(`{"source":["aws.states",1.5,null,true]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		event, err := json.Marshal(p.root.example())
		if err != nil {
			t.Fatal(err)
		}
		if !p.Match(event) {
			t.Errorf("%s does not match %s", text, event)
		}
		if p.Match([]byte(`{}`)) {
			t.Errorf("%s matches an empty event", text)
		}
	})
}

func (fs fields) example() map[string]any {
	o := map[string]any{}
	for _, f := range fs {
		if f.inner != nil {
			o[f.name] = f.inner.example()
		} else {
			o[f.name] = f.values[0]
		}
	}
	return o
}

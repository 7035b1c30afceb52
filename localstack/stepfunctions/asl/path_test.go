package asl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustValue(t *testing.T, text string) *Value {
	t.Helper()
	v, err := ParseValue([]byte(text))
	if err != nil {
		t.Fatalf("test data %s: %v", text, err)
	}
	return v
}

func testContext() *Context {
	return &Context{
		ExecutionID: "arn:x", ExecutionName: "run-1", StartTime: "2026-11-30T10:00:00.000Z",
		StateMachineID: "arn:m", StateMachineName: "turn", StateName: "Drive", EnteredTime: "2026-11-30T10:00:01.000Z",
		RetryCount: 2, TaskToken: "tok",
		Input: func() any { return map[string]any{"a": []any{"x", "y"}} },
	}
}

func TestPathNamesOnePlace(t *testing.T) {
	input := mustValue(t, `{"a":{"b":1,"odd name":null},"l":[[10],{"c":"z"}],"ünï":true}`)
	for path, want := range map[string]string{
		"$":                       `{"a":{"b":1,"odd name":null},"l":[[10],{"c":"z"}],"ünï":true}`,
		"$.a.b":                   `1`,
		"$['a']['odd name']":      `null`,
		"$.l[0][0]":               `10`,
		"$.l[1].c":                `"z"`,
		"$.ünï":                   `true`,
		"$$.Execution.Id":         `"arn:x"`,
		"$$.Execution.Name":       `"run-1"`,
		"$$.Execution.StartTime":  `"2026-11-30T10:00:00.000Z"`,
		"$$.Execution.Input":      `{"a":["x","y"]}`,
		"$$.Execution.Input.a[1]": `"y"`,
		"$$.State.Name":           `"Drive"`,
		"$$.State.EnteredTime":    `"2026-11-30T10:00:01.000Z"`,
		"$$.State.RetryCount":     `2`,
		"$$.StateMachine.Id":      `"arn:m"`,
		"$$.StateMachine.Name":    `"turn"`,
		"$$.Task.Token":           `"tok"`,
	} {
		p, err := ParsePath(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		got, ok := p.find(input.Tree(), testContext())
		if text := string(encode(got)); !ok || text != want {
			t.Errorf("%s = %s, %v; want %s", path, text, ok, want)
		}
	}
}

func TestPathToNowhereFindsNothing(t *testing.T) {
	input := mustValue(t, `{"a":{"b":1},"l":[1]}`)
	for _, path := range []string{"$.x", "$.a.b.c", "$.l[1]", "$.l.a", "$.a[0]", "$$.Execution.Input.zzz"} {
		p, err := ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := p.find(input.Tree(), testContext()); ok {
			t.Errorf("%s found %v", path, v)
		}
	}
}

func TestPathThatIsNoReferencePathIsRefused(t *testing.T) {
	for path, want := range map[string]string{
		"":                         "must begin with $",
		"a.b":                      "must begin with $",
		"$..a":                     "more than one place",
		"$.*":                      "plain name",
		"$.a[*]":                   "not one index",
		"$.a[0:2]":                 "not one index",
		"$.a[-1]":                  "not one index",
		"$.a[01]":                  "not one index",
		"$.a[?(@.b)]":              "not one index",
		"$.a[0,1]":                 "not one index",
		"$.":                       "plain name",
		"$a":                       "unexpected",
		"$['a'":                    "bad name",
		"$['']":                    "bad name",
		"$.a b":                    "plain name",
		"States.Format('{}', $.a)": "intrinsic functions are not supported",
		"{% $states.input %}":      "JSONata is not supported",
		"$$":                       "context object",
		"$$.Execution":             "context object",
		"$$.Execution.RoleArn":     "context object",
		"$$.Map.Item.Index":        "context object",
		"$$.Execution[0]":          "context object",
		"$$.State.Name.x":          "nothing below",
		strings.Repeat("$.a", 1) + strings.Repeat(".a", maxSteps): "more than",
	} {
		if p, err := ParsePath(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParsePath(%q) = %v, %v; want an error with %q", path, p, err, want)
		}
	}
}

func TestContextTokenExistsOnlyInAWaitForIt(t *testing.T) {
	p, _ := ParsePath("$$.Task.Token")
	if v, ok := p.find(nil, &Context{}); ok {
		t.Errorf("found %v", v)
	}
}

func TestResultPathCopiesOnlyTheWay(t *testing.T) {
	input := mustValue(t, `{"a":{"b":1},"k":2}`)
	p, _ := ParsePath("$.a.c.d")
	out, failure := putResult(p, input, mustValue(t, `[3]`))
	if failure != nil {
		t.Fatal(failure)
	}
	if got, want := string(out.Text()), `{"a":{"b":1,"c":{"d":[3]}},"k":2}`; got != want {
		t.Errorf("output %s, want %s", got, want)
	}
	if diff := cmp.Diff(`{"a":{"b":1},"k":2}`, string(encode(input.Tree()))); diff != "" {
		t.Errorf("the input was changed: %s", diff)
	}
}

func FuzzParsePath(f *testing.F) {
	for _, seed := range []string{"$", "$.a.b", "$['x'][0]", "$$.Execution.Input.a", "$..a", "$.a[", "$['", "$.\xff", "States.X()"} {
		f.Add(seed)
	}
	input := &Value{tree: map[string]any{"a": []any{map[string]any{"b": "c"}}}, parsed: true}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		if p.String() != text || len(p.steps) > maxSteps {
			t.Fatalf("%q became %q with %d steps", text, p, len(p.steps))
		}
		p.find(input.Tree(), testContext())
		if p.context == "" { // what is written to a place is found there
			if out, ok := put(map[string]any{}, p.steps, "v"); ok && !hasIndex(p) {
				if v, found := p.find(out, nil); !found || v != "v" {
					t.Fatalf("%q: put and found %v, %v", text, v, found)
				}
			}
		}
	})
}

func hasIndex(p *Path) bool {
	for _, s := range p.steps {
		if s.index >= 0 {
			return true
		}
	}
	return false
}

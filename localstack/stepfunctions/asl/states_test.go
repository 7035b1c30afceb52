package asl

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var testTime = time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)

// parseOne returns the state S of a machine whose other states are reachable
// only through it.
func parseOne[S State](t *testing.T, state string, others ...string) S {
	t.Helper()
	more := ""
	for _, o := range others {
		more += `,"` + o + `":{"Type":"Succeed"}`
	}
	m, err := Parse([]byte(`{"StartAt":"S","States":{"S":` + state + more + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return m.States["S"].(S)
}

func text(v *Value) string {
	if v == nil {
		return ""
	}
	return string(v.Text())
}

func name(f *Failure) string {
	if f == nil {
		return ""
	}
	return f.Error
}

func TestPass(t *testing.T) {
	for label, c := range map[string]struct{ fields, want, fails string }{
		"hands on its input":       {``, `{"a":{"b":1},"c":2}`, ""},
		"selects":                  {`"InputPath":"$.a"`, `{"b":1}`, ""},
		"fixed result":             {`"Result":[true]`, `[true]`, ""},
		"null result":              {`"Result":null`, `null`, ""},
		"result into the input":    {`"Result":9,"ResultPath":"$.c"`, `{"a":{"b":1},"c":9}`, ""},
		"result dropped":           {`"Result":9,"ResultPath":null`, `{"a":{"b":1},"c":2}`, ""},
		"parameters":               {`"Parameters":{"x.$":"$.a.b","l":[{"s.$":"$$.State.Name"}],"k":"v"}`, `{"k":"v","l":[{"s":"Drive"}],"x":1}`, ""},
		"no input":                 {`"InputPath":null`, `{}`, ""},
		"no output":                {`"OutputPath":null`, `{}`, ""},
		"output selected":          {`"OutputPath":"$.a.b"`, `1`, ""},
		"input path to nowhere":    {`"InputPath":"$.z"`, "", ErrRuntime},
		"parameter to nowhere":     {`"Parameters":{"x.$":"$.z"}`, "", ErrRuntime},
		"result into a number":     {`"Result":1,"ResultPath":"$.c.d"`, "", ErrResultPathMatchFailure},
		"result below a new place": {`"Result":1,"ResultPath":"$.n.m"`, `{"a":{"b":1},"c":2,"n":{"m":1}}`, ""},
	} {
		t.Run(label, func(t *testing.T) {
			if c.fields != "" {
				c.fields = "," + c.fields
			}
			s := parseOne[*Pass](t, `{"Type":"Pass","End":true`+c.fields+`}`)
			out, failure := s.Run(mustValue(t, `{"a":{"b":1},"c":2}`), testContext())
			if text(out) != c.want || name(failure) != c.fails {
				t.Errorf("got %s, %v; want %s, %s", text(out), failure, c.want, c.fails)
			}
		})
	}
}

func TestUntouchedDataKeepsItsBytes(t *testing.T) {
	const odd = `{ "b":1.50, "a":12345678901234567890, "c":"<&>" }`
	s := parseOne[*Pass](t, `{"Type":"Pass","End":true}`)
	out, _ := s.Run(mustValue(t, odd), testContext())
	if text(out) != odd {
		t.Errorf("became %s", text(out))
	}
	s = parseOne[*Pass](t, `{"Type":"Pass","End":true,"ResultPath":"$.r","Result":0}`)
	out, _ = s.Run(mustValue(t, odd), testContext())
	if want := `{"a":12345678901234567890,"b":1.50,"c":"<&>","r":0}`; text(out) != want {
		t.Errorf("became %s, want %s", text(out), want)
	}
}

func TestWait(t *testing.T) {
	for label, c := range map[string]struct {
		fields string
		want   time.Duration
		fails  bool
	}{
		"seconds":             {`"Seconds":90`, 90 * time.Second, false},
		"no seconds":          {`"Seconds":0`, 0, false},
		"seconds by path":     {`"SecondsPath":"$.s"`, 7 * time.Second, false},
		"timestamp":           {`"Timestamp":"2026-11-30T11:00:00+00:30"`, 30 * time.Minute, false},
		"timestamp by path":   {`"TimestampPath":"$.t"`, 1500 * time.Millisecond, false},
		"below an input path": {`"InputPath":"$.deep","SecondsPath":"$.s"`, 8 * time.Second, false},
		"path to nowhere":     {`"SecondsPath":"$.z"`, 0, true},
		"path to text":        {`"SecondsPath":"$.t"`, 0, true},
		"path to a fraction":  {`"SecondsPath":"$.f"`, 0, true},
		"path below zero":     {`"SecondsPath":"$.n"`, 0, true},
		"no timestamp there":  {`"TimestampPath":"$.s"`, 0, true},
	} {
		t.Run(label, func(t *testing.T) {
			s := parseOne[*Wait](t, `{"Type":"Wait","End":true,`+c.fields+`}`)
			input := mustValue(t, `{"s":7,"t":"2026-11-30T10:00:01.5Z","f":1.5,"n":-1,"deep":{"s":8}}`)
			until, failure := s.Until(testTime, input, testContext())
			if (failure != nil) != c.fails {
				t.Fatalf("failure is %v", failure)
			}
			if failure == nil && !until.Equal(testTime.Add(c.want)) {
				t.Errorf("until %v", until)
			}
		})
	}
}

func TestFail(t *testing.T) {
	for label, c := range map[string]struct {
		fields string
		want   Failure
	}{
		"fixed":           {`"Error":"E","Cause":"c"`, Failure{"E", "c"}},
		"bare":            {`"Comment":""`, Failure{}},
		"by path":         {`"ErrorPath":"$.e","CausePath":"$$.Execution.Name"`, Failure{"X", "run-1"}},
		"path to nowhere": {`"ErrorPath":"$.z"`, Failure{ErrRuntime, "The JSONPath '$.z' specified for the field 'ErrorPath' could not be found in the input '{\"e\":\"X\",\"n\":1}'"}},
		"path to number":  {`"CausePath":"$.n"`, Failure{ErrRuntime, "The CausePath '$.n' does not name a string"}},
	} {
		t.Run(label, func(t *testing.T) {
			s := parseOne[*Fail](t, `{"Type":"Fail",`+c.fields+`}`)
			if diff := cmp.Diff(c.want, *s.Run(mustValue(t, `{"e":"X","n":1}`), testContext())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSucceed(t *testing.T) {
	s := parseOne[*Succeed](t, `{"Type":"Succeed","InputPath":"$.a","OutputPath":"$.b"}`)
	out, failure := s.Through(mustValue(t, `{"a":{"b":"x"}}`), testContext())
	if text(out) != `"x"` || failure != nil {
		t.Errorf("got %s, %v", text(out), failure)
	}
}

func TestTaskDataFlow(t *testing.T) {
	s := parseOne[*Task](t, `{`+invokeFields+`,"InputPath":"$.in",
		"Parameters":{"FunctionName.$":"$.f","Payload":{"n.$":"$$.State.RetryCount"}},
		"ResultSelector":{"answer.$":"$.Payload.a"},"ResultPath":"$.result","OutputPath":"$.result.answer",
		"TimeoutSecondsPath":"$.t","HeartbeatSeconds":3}`)
	input := mustValue(t, `{"in":{"f":"drive"},"t":30}`)
	parameters, failure := s.Effective(input, testContext())
	if want := `{"FunctionName":"drive","Payload":{"n":2}}`; text(parameters) != want || failure != nil {
		t.Errorf("parameters %s, %v", text(parameters), failure)
	}
	out, failure := s.Output(input, mustValue(t, `{"Payload":{"a":[1]}}`), testContext())
	if text(out) != `[1]` || failure != nil {
		t.Errorf("output %s, %v", text(out), failure)
	}
	timeout, heartbeat, failure := s.Limits(input, testContext())
	if timeout != 30*time.Second || heartbeat != 3*time.Second || failure != nil {
		t.Errorf("limits %v, %v, %v", timeout, heartbeat, failure)
	}
	if _, _, failure = s.Limits(mustValue(t, `{"t":0}`), testContext()); name(failure) != ErrRuntime {
		t.Errorf("a timeout of 0 gave %v", failure)
	}
}

func TestFunctionName(t *testing.T) {
	for text, want := range map[string]string{
		"drive":                       "drive",
		"drive:$LATEST":               "drive",
		"000000000000:function:drive": "drive",
		"arn:aws:lambda:us-east-1:000000000000:function:drive":         "drive",
		"arn:aws:lambda:us-east-1:000000000000:function:drive:$LATEST": "drive",
		"arn:aws:lambda:us-east-1:000000000000:function:drive:live":    "",
		"drive:1":               "",
		"":                      "",
		"a b":                   "",
		strings.Repeat("x", 65): "",
	} {
		if got := FunctionName(text); got != want {
			t.Errorf("FunctionName(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCatcherPutsTheErrorWhereItShould(t *testing.T) {
	s := parseOne[*Task](t, `{`+invokeFields+`,"Parameters":{"FunctionName":"f"},"Catch":[
		{"ErrorEquals":["A"],"Next":"X","ResultPath":"$.error"},{"ErrorEquals":["B"],"Next":"Y"},{"ErrorEquals":["States.ALL"],"Next":"Z","ResultPath":null}]}`, "X", "Y", "Z")
	input := mustValue(t, `{"k":1}`)
	for errorName, want := range map[string][2]string{
		"A": {"X", `{"error":{"Cause":"c","Error":"A"},"k":1}`},
		"B": {"Y", `{"Cause":"c","Error":"B"}`},
		"C": {"Z", `{"k":1}`},
	} {
		c := MatchCatcher(s.Catch, errorName)
		out, failure := c.Output(input, Failure{errorName, "c"})
		if c.Next != want[0] || text(out) != want[1] || failure != nil {
			t.Errorf("%s: to %s with %s, %v", errorName, c.Next, text(out), failure)
		}
	}
	if c := MatchCatcher(s.Catch, ErrRuntime); c != nil {
		t.Errorf("States.Runtime was caught, to %s", c.Next)
	}
}

package asl

import (
	"fmt"
	"testing"
)

func TestChoiceRules(t *testing.T) {
	const input = `{"s":"b","n":10,"f":1.5,"big":9007199254740993,"t":true,"null":null,"other":"b","m":2,"no":false}`
	for rule, want := range map[string]bool{
		`"Variable":"$.s","StringEquals":"b"`:                                                 true,
		`"Variable":"$.s","StringEquals":"B"`:                                                 false,
		`"Variable":"$.s","StringEqualsPath":"$.other"`:                                       true,
		`"Variable":"$.s","StringLessThan":"c"`:                                               true,
		`"Variable":"$.s","StringGreaterThanEquals":"b"`:                                      true,
		`"Variable":"$.n","StringEquals":"10"`:                                                false,
		`"Variable":"$.n","NumericEquals":10`:                                                 true,
		`"Variable":"$.n","NumericEquals":10.0`:                                               true,
		`"Variable":"$.n","NumericGreaterThan":2`:                                             true,
		`"Variable":"$.n","NumericGreaterThanPath":"$.m"`:                                     true,
		`"Variable":"$.n","NumericLessThan":10`:                                               false,
		`"Variable":"$.n","NumericLessThanEquals":10`:                                         true,
		`"Variable":"$.f","NumericGreaterThanEquals":1.5`:                                     true,
		`"Variable":"$.big","NumericEquals":9007199254740992`:                                 false,
		`"Variable":"$.big","NumericGreaterThan":-1e999999999`:                                true,
		`"Variable":"$.s","NumericEquals":1`:                                                  false,
		`"Variable":"$.t","BooleanEquals":true`:                                               true,
		`"Variable":"$.no","BooleanEquals":true`:                                              false,
		`"Variable":"$.t","BooleanEqualsPath":"$.no"`:                                         false,
		`"Variable":"$.s","BooleanEquals":true`:                                               false,
		`"Variable":"$.null","IsNull":true`:                                                   true,
		`"Variable":"$.s","IsNull":true`:                                                      false,
		`"Variable":"$.s","IsNull":false`:                                                     true,
		`"Variable":"$.null","IsPresent":true`:                                                true,
		`"Variable":"$.z","IsPresent":true`:                                                   false,
		`"Variable":"$.z","IsPresent":false`:                                                  true,
		`"Variable":"$$.State.RetryCount","NumericEquals":2`:                                  true,
		`"Not":{"Variable":"$.s","StringEquals":"b"}`:                                         false,
		`"And":[{"Variable":"$.s","StringEquals":"b"},{"Variable":"$.n","NumericEquals":1}]`:  false,
		`"And":[{"Variable":"$.s","StringEquals":"b"},{"Variable":"$.n","NumericEquals":10}]`: true,
		`"Or":[{"Variable":"$.s","StringEquals":"x"},{"Variable":"$.n","NumericEquals":10}]`:  true,
		`"Or":[{"Variable":"$.s","StringEquals":"x"},{"Variable":"$.n","NumericEquals":1}]`:   false,
		`"And":[{"Variable":"$.z","IsPresent":true},{"Variable":"$.z","StringEquals":"x"}]`:   false, // the second is not looked at
	} {
		s := parseOne[*Choice](t, `{"Type":"Choice","Choices":[{`+rule+`,"Next":"Yes"}],"Default":"No"}`, "Yes", "No")
		next, failure := s.Next(mustValue(t, input), testContext())
		if got := next == "Yes"; got != want || failure != nil {
			t.Errorf("%s: %v, %v", rule, got, failure)
		}
	}
}

func TestChoiceTakesTheFirstRuleThatHolds(t *testing.T) {
	s := parseOne[*Choice](t, `{"Type":"Choice","InputPath":"$.in","Choices":[
		{"Variable":"$.n","NumericLessThan":5,"Next":"Low"},{"Variable":"$.n","NumericLessThan":10,"Next":"Mid"}],"Default":"High"}`, "Low", "Mid", "High")
	for n, want := range map[int]string{1: "Low", 7: "Mid", 12: "High"} {
		next, failure := s.Next(mustValue(t, fmt.Sprintf(`{"in":{"n":%d}}`, n)), testContext())
		if next != want || failure != nil {
			t.Errorf("%d: %q, %v; want %q", n, next, failure, want)
		}
	}
}

func TestChoiceFailures(t *testing.T) {
	s := parseOne[*Choice](t, `{"Type":"Choice","Choices":[{"Variable":"$.a","StringEqualsPath":"$.b","Next":"Yes"}]}`, "Yes")
	for input, want := range map[string]string{
		`{"a":"x","b":"y"}`: ErrNoChoiceMatched,
		`{"b":"y"}`:         ErrRuntime,
		`{"a":"x"}`:         ErrRuntime,
		`[]`:                ErrRuntime,
	} {
		if next, failure := s.Next(mustValue(t, input), testContext()); name(failure) != want {
			t.Errorf("%s: %q, %v; want %s", input, next, failure, want)
		}
	}
}

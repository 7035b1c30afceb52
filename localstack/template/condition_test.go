package template

import (
	"errors"
	"strings"
	"testing"
)

const conditional = `Transform: AWS::Serverless-2016-10-31
Parameters:
  Most: {Type: Number, Default: 0, AllowedValues: [0, 7]}
  Stage: {Type: String, Default: dev, AllowedPattern: "[a-z]+"}
Conditions:
  Bounded: !Not [!Equals [!Ref Most, 0]]
  Test: !Equals [!Ref Stage, test]
Resources:
  F:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: .build/f
      ReservedConcurrentExecutions: !If [Bounded, !Ref Most, !Ref AWS::NoValue]
      Environment: {Variables: {KIND: !If [Test, t, !If [Bounded, b, n]], GONE: !If [Test, x, !Ref AWS::NoValue]}}
      EventInvokeConfig: {MaximumRetryAttempts: 2, DestinationConfig: {OnFailure: {Type: SQS, Destination: !GetAtt Failures.Arn}}}
  Failures:
    Type: AWS::SQS::Queue
    Condition: Test
`

func TestAConditionChoosesWhatIsThere(t *testing.T) {
	for name, c := range map[string]struct {
		parameters map[string]string
		most       int
		kind       string
		gone       bool
		queues     int
	}{
		"neither":  {nil, 0, "n", true, 0},
		"a number": {map[string]string{"Most": "7"}, 7, "b", true, 0},
		"a text":   {map[string]string{"Stage": "test"}, 0, "t", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := parse(t, conditional, Options{Parameters: c.parameters})
			if err != nil {
				t.Fatal(err)
			}
			f := s.Functions[0]
			_, there := f.Env["GONE"]
			if f.Concurrency != c.most || f.Env["KIND"].Value != c.kind || there == c.gone || len(s.Queues) != c.queues {
				t.Errorf("%+v, %d queues", f, len(s.Queues))
			}
		})
	}
}

func TestAConditionThatIsNotModelledIsRefusedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct {
		was, is string
		line    int
		says    string
	}{
		"another function":         {"!Equals [!Ref Stage, test]", "!Or [!Equals [a, b], !Equals [c, d]]", 7, "!Equals"},
		"three operands":           {"[!Ref Stage, test]", "[!Ref Stage, test, prod]", 7, "!Equals"},
		"nobody's condition":       {"!If [Test, t,", "!If [Tests, t,", 14, "Tests"},
		"a resource's":             {"Condition: Test", "Condition: Prod", 18, "Prod"},
		"an !If without an else":   {"!If [Test, x, !Ref AWS::NoValue]", "!If [Test, x]", 14, "two values"},
		"no concurrency at all":    {"!If [Bounded, !Ref Most, !Ref AWS::NoValue]", "0", 13, "from 1"},
		"more tries":               {"MaximumRetryAttempts: 2", "MaximumRetryAttempts: 1", 15, "2"},
		"not its pattern":          {"Default: dev", "Default: Dev", 4, "pattern"},
		"not one of the numbers":   {"Default: 0", "Default: 3", 3, "not an allowed value"},
		"a resource that is away":  {"!If [Test, t,", "!If [Test, t, !GetAtt Failures.Arn]} } #", 14, "Failures"},
		"an invocation's property": {"EventInvokeConfig: {", "EventInvokeConfig: {Qualifier: x, ", 15, "Qualifier"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(conditional, c.was) {
				t.Fatalf("%q is not there", c.was)
			}
			_, err := parse(t, strings.Replace(conditional, c.was, c.is, 1), Options{})
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Line != c.line || !strings.Contains(refusal.Reason, c.says) {
				t.Errorf("%v, want line %d and %q in it", err, c.line, c.says)
			}
		})
	}
}

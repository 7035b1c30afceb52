package checker_test

import (
	"strings"
	"testing"

	"windlass/tests/checker"
)

const (
	asksTwo = begun + `model.completed a 1 {"attempt":1,"items":[{"kind":"tool_call","call":{"index":0,"callId":"c","name":"delegate","arguments":"{}"}},{"kind":"tool_call","call":{"index":1,"callId":"d","name":"delegate","arguments":"{}"}}]}
		`
	handed    = `child.submitted a 1 {"index":0,"session":"x","operationId":"task","agent":"worker"}` + "\n" + `child.submitted a 1 {"index":1,"session":"y","operationId":"task","agent":"worker"}` + "\n"
	settled   = `child.settled a 1 {"index":0,"status":"completed","output":"did","usage":{}}` + "\n"
	failed    = `child.settled a 1 {"index":1,"status":"failed","error":{"code":"timeout"},"usage":{}}` + "\n"
	did       = `tool.completed a 1 {"index":0,"callId":"c","name":"delegate","output":"did"}` + "\n"
	didNot    = `tool.failed a 1 {"index":1,"callId":"d","name":"delegate","error":{"code":"timeout"}}` + "\n"
	givenUp   = `child.abandoned a 1 {"index":1,"session":"y","operationId":"task"}` + "\n"
	deferred  = `tool.deferred a 1 {"index":0,"name":"charge","until":"now"}` + "\n"
	again1    = `tool.deferred a 1 {"index":0,"name":"charge","until":"now","again":true}` + "\n"
	answered  = `tool.answered a 1 {"index":0,"output":"ok"}` + "\n"
	begunMild = asksGated + "tool.started a 1 {\"index\":0,\"name\":\"charge\",\"effect\":\"idempotent\"}\n"
)

func TestFamiliesThatKeepTheLaws(t *testing.T) {
	allowed := strings.ReplaceAll(gated+decided("approve"), "charge", "delegate")
	denied := strings.ReplaceAll(failedWith("denied"), "charge", "delegate")
	for name, lines := range map[string]string{
		"both end":                       asksTwo + handed + settled + failed + didNot + did + answer,
		"a person allows it":             asksTwo + allowed + handed + settled + failed + did + didNot + answer,
		"one is denied":                  asksTwo + handed[strings.Index(handed, "\n")+1:] + denied + failed + didNot + answer,
		"cancelled while one works":      asksTwo + handed + settled + request + did + givenUp + didNot + cancelled,
		"failed while one works":         asksTwo + handed + settled + did + givenUp + didNot + "operation.failed a 0 {\"error\":{\"code\":\"x\"}}\n",
		"under way":                      asksTwo + handed,
		"found under way, and lost":      unknown + deferred + "tool.unknown a 1 {\"index\":0,\"name\":\"charge\"}\n" + answered + result + answer,
		"called back":                    asksOnce + deferred + answered + result + answer,
		"called back before it says so":  asksOnce + answered + result + answer,
		"called back after it was lost":  asked + answered + result + answer,
		"never called back, and again":   begunMild + again1 + strings.ReplaceAll(again, "once", "idempotent") + result + answer,
		"something that nobody knows":    asksOnce + "tool.dreamt_of a 1 {\"index\":7}\n" + result + answer,
		"something unknown, at the end":  asksOnce + request + "tool.dreamt_of a 1\n" + result + cancelled,
		"told of a repair before a call": begun + "transcript.repaired a 1\n",
	} {
		if v := checker.Check(log(t, strings.ReplaceAll(lines, "\n\t\t\n", "\n"))).Violations; len(v) > 0 {
			t.Errorf("%s: %s", name, strings.Join(v, "\n"))
		}
	}
}

func TestEachBrokenLawOfAFamilyIsNoticed(t *testing.T) {
	one := handed[:strings.Index(handed, "\n")+1]
	for name, c := range map[string]struct{ lines, want string }{
		"handed over twice":            {asksTwo + handed + strings.ReplaceAll(one, `"x"`, `"z"`), "handed over twice"},
		"two calls of one session":     {asksTwo + strings.ReplaceAll(handed, `"y"`, `"x"`), "no session of its own"},
		"handed over to nobody":        {asksTwo + strings.ReplaceAll(one, `"x"`, `""`), "no session of its own"},
		"handed over, and begun":       {asksTwo + handed + strings.ReplaceAll(again, "charge", "delegate"), "begins here, and another agent"},
		"begun, and handed over":       {asksOnce + one, "was begun here"},
		"handed over before a word":    {asksGated + gated + one, `a person said "asked"`},
		"handed over after its result": {asksTwo + handed + settled + did + one, "has its result already"},
		"a call that is not there":     {asksTwo + strings.ReplaceAll(one, `"index":0`, `"index":2`), "is not there"},
		"settled, and never handed":    {asksTwo + settled, "is not another agent's"},
		"settled twice":                {asksTwo + handed + settled + settled, "or no longer"},
		"settled after its result":     {asksTwo + handed + did + settled, "before its child's end"},
		"settled without an output":    {asksTwo + handed + strings.Replace(settled, `,"output":"did"`, "", 1), "with an output: false"},
		"failed without an error":      {asksTwo + handed + strings.Replace(failed, `"timeout"`, `""`, 1), `and the error ""`},
		"a status that is none":        {asksTwo + handed + strings.Replace(failed, `"failed"`, `"running"`, 1), `ends as "running"`},
		"settled after a cancel":       {asksTwo + handed + request + settled, "after a cancel was requested"},
		"no failure of its child":      {asksTwo + handed + strings.ReplaceAll(settled, `"index":0`, `"index":1`) + didNot, "whose child is completed"},
		"a success of a failed one":    {asksTwo + handed + strings.ReplaceAll(failed, `"index":1`, `"index":0`) + did, "whose child is failed"},
		"two results of one child":     {asksTwo + handed + settled + did + did, "has its result already"},
		"no result of a settled child": {asksTwo + handed + settled + failed + didNot + "operation.failed a 0 {\"error\":{\"code\":\"x\"}}\n", "round 1 has 1 results of 2 calls"},
		"ended with a child at work":   {asksTwo + handed + settled + did + "operation.failed a 0 {\"error\":{\"code\":\"x\"}}\n", "is still another agent's"},
		"abandoned, and goes on":       {asksTwo + handed + settled + givenUp + didNot + did + answer, "after a child was abandoned"},
		"abandoned after it settled":   {asksTwo + handed + failed + givenUp, "or no longer"},
		"abandoned twice":              {asksTwo + handed + givenUp + givenUp, "or no longer"},
		"another one is abandoned":     {asksTwo + handed + strings.Replace(givenUp, `"y"`, `"x"`, 1), `was handed to "y"`},
		"a success of a given up one":  {asksTwo + handed + strings.ReplaceAll(strings.ReplaceAll(givenUp, `"y"`, `"x"`), `"index":1`, `"index":0`) + did, "whose child is abandoned"},
		"called back about nothing":    {asksGated + answered, "was never begun"},
		"called back about twice":      {asksOnce + answered + answered, "called back about twice"},
		"no success of its callback":   {asksOnce + answered + failedWith("x"), "was called back about with a tool.completed"},
		"once, and begun again":        {asksOnce + again1 + again, "call 0 begins again"},
	} {
		v := checker.Check(log(t, strings.ReplaceAll(c.lines, "\n\t\t\n", "\n"))).Violations
		if !strings.Contains(strings.Join(v, "\n"), c.want) {
			t.Errorf("%s: %q, want %q", name, v, c.want)
		}
	}
}

package checker_test

import (
	"encoding/json"
	"strings"
	"testing"

	"windlass/tests/checker"
	"windlass/tests/client"
)

// log reads events written one a line: type, operation (- for none), round, data.
func log(t *testing.T, lines string) (all []client.Event) {
	t.Helper()
	for line := range strings.Lines(strings.TrimSpace(lines)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 4)
		e := client.Event{Seq: uint64(len(all) + 1), Type: f[0], OperationID: strings.Trim(f[1], "-"), Round: int(f[2][0] - '0'), Data: json.RawMessage("{}")}
		if len(f) == 4 {
			e.Data = json.RawMessage(f[3])
		}
		if !json.Valid(e.Data) {
			t.Fatalf("%s: not JSON", line)
		}
		all = append(all, e)
	}
	return all
}

const (
	begun = `session.opened - 0
		operation.accepted a 0
		operation.started a 0
		model.started a 1 {"attempt":1}
		`
	asksOnce = begun + `model.completed a 1 {"attempt":1,"items":[{"kind":"tool_call","call":{"index":0,"callId":"c","name":"charge","arguments":"{}"}}]}
		tool.started a 1 {"index":0,"name":"charge","effect":"once"}
		`
	asksGated = begun + `model.completed a 1 {"attempt":1,"items":[{"kind":"tool_call","call":{"index":0,"callId":"c","name":"charge","arguments":"{}"}}]}
		`
	gated     = "approval.requested a 1 {\"index\":0,\"name\":\"charge\",\"reason\":\"policy\"}\n"
	unknown   = asksOnce + "tool.unknown a 1 {\"index\":0,\"name\":\"charge\"}\n"
	asked     = unknown + "approval.requested a 1 {\"index\":0,\"name\":\"charge\"}\n"
	again     = "tool.started a 1 {\"index\":0,\"name\":\"charge\",\"effect\":\"once\"}\n"
	result    = "tool.completed a 1 {\"index\":0,\"callId\":\"c\",\"name\":\"charge\",\"output\":\"ok\"}\n"
	answer    = "model.started a 2 {\"attempt\":1}\nmodel.completed a 2 {\"attempt\":1,\"items\":[{\"kind\":\"text\",\"text\":\"done\"}]}\noperation.completed a 0\n"
	request   = "operation.cancel_requested a 0\n"
	cancelled = "operation.cancelled a 0\n"
	empty     = "model.failed a 1 {\"attempt\":1,\"error\":{\"code\":\"empty_response\"},\"retryAt\":\"now\"}\nmodel.started a 1 {\"attempt\":2}\n"
)

// summary is a round whose second attempt asks for a summary, and its third for an answer.
const summary = "model.failed a 1 {\"attempt\":1,\"error\":{\"code\":\"context_overflow\"},\"retryAt\":\"now\"}\n" +
	"model.started a 1 {\"attempt\":2,\"purpose\":\"compact\"}\ntranscript.compacted a 1\nmodel.started a 1 {\"attempt\":3}\n" +
	"model.completed a 1 {\"attempt\":3,\"items\":[{\"kind\":\"text\",\"text\":\"done\"}]}\noperation.completed a 0\n"

func failedWith(code string) string {
	return `tool.failed a 1 {"index":0,"callId":"c","name":"charge","error":{"code":"` + code + "\"}}\n"
}

func decided(decision string) string {
	return `approval.resolved a 1 {"index":0,"decision":"` + decision + "\"}\n"
}

// same are rounds that ask for the very same call.
func same(rounds int) string {
	s := strings.TrimSuffix(begun, "model.started a 1 {\"attempt\":1}\n\t\t")
	for n := range rounds {
		s += strings.ReplaceAll(`model.started a N {"attempt":1}
			model.completed a N {"attempt":1,"items":[{"kind":"tool_call","call":{"index":0,"callId":"c","name":"look","arguments":"{}"}}]}
			`, "N", string(rune('1'+n)))
		if n < rounds-1 {
			s += strings.ReplaceAll("tool.failed a N {\"index\":0,\"callId\":\"c\",\"name\":\"look\",\"error\":{\"code\":\"x\"}}\n", "N", string(rune('1'+n)))
		}
	}
	return s
}

func TestLogsThatKeepTheLaws(t *testing.T) {
	for name, lines := range map[string]string{
		"a call once":                  asksOnce + result + answer,
		"it happened, says its tool":   unknown + result + answer,
		"it did not, says its tool":    unknown + again + result + answer,
		"a person allows it":           asksGated + gated + decided("approve") + again + result + answer,
		"a person does not allow it":   asksGated + gated + decided("deny") + failedWith("denied") + answer,
		"it happened, says a person":   asked + decided("happened") + result + answer,
		"it did not, says a person":    asked + decided("did_not_happen") + again + result + answer,
		"it did not, and is cancelled": asked + decided("did_not_happen") + request + failedWith("cancelled") + cancelled,
		"cancelled while it ran":       asksOnce + request + "tool.unknown a 1 {\"index\":0,\"name\":\"charge\"}\n" + failedWith("outcome_unknown") + cancelled,
		"cancelled, its outcome held":  asksOnce + request + result + cancelled,
		"cancelled before it came":     "session.opened - 0\n" + request + cancelled,
		"an empty answer":              begun + empty + "model.completed a 1 {\"attempt\":2,\"items\":[{\"kind\":\"text\",\"text\":\"done\"}]}\noperation.completed a 0\n",
		"said while it answered":       asksOnce + "message.steered a 0 {\"text\":\"x\"}\n" + result + answer,
		"a summary first":              begun + summary,
		"told of a loop":               same(3) + "operation.warned a 3 {\"code\":\"repeated_calls\"}\n",
		"ended for a loop":             same(5) + `tool.failed a 5 {"index":0,"callId":"c","name":"look","error":{"code":"abandoned"}}` + "\noperation.failed a 0 {\"error\":{\"code\":\"loop_detected\"}}\n",
	} {
		if v := checker.Check(log(t, lines)).Violations; len(v) > 0 {
			t.Errorf("%s: %s", name, strings.Join(v, "\n"))
		}
	}
}

func TestEachBrokenLawIsNoticed(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"run again in silence":            {asksOnce + again, "call 0 begins again"},
		"run again against a word":        {asked + decided("happened") + again, `a person said "happened"`},
		"run again before the word":       {asked + again, `a person said ""`},
		"said not to have run":            {unknown + failedWith("cancelled"), "may have taken effect"},
		"begun and said to be cancelled":  {asksOnce + request + failedWith("cancelled") + cancelled, "was begun, and its result says"},
		"a result against a word":         {asked + decided("did_not_happen") + result, "a person was asked"},
		"a second result":                 {asksOnce + result + result, "has its result already"},
		"a result of nothing":             {begun + result, "is not there"},
		"a result of what never began":    {strings.Replace(asksOnce, "tool.started", "x", 1) + result, "was never begun"},
		"unknown, and not begun":          {unknown + "tool.unknown a 1 {\"index\":0,\"name\":\"charge\"}\n", "must not be repeated"},
		"a person asked for nothing":      {asksOnce + "approval.requested a 1 {\"index\":0,\"name\":\"charge\"}\n", "nobody has to be asked"},
		"begun before it is allowed":      {asksGated + gated + again, `a person said "asked"`},
		"begun though it is denied":       {asksGated + gated + decided("deny") + again, `a person said "deny"`},
		"asked about by policy twice":     {asksGated + gated + decided("approve") + gated, "was asked about"},
		"a word that nobody asked for":    {unknown + decided("happened"), "nobody was asked"},
		"work after a cancel":             {asksOnce + request + again, "after a cancel was requested"},
		"a message after a cancel":        {asksOnce + request + "message.steered a 0\n", "after a cancel was requested"},
		"two requests":                    {asksOnce + request + request, "after a cancel was requested"},
		"completed after a cancel":        {asksOnce + request + result + "operation.completed a 0\n", "after a cancel was requested"},
		"cancelled for no reason":         {asksOnce + result + cancelled, "after 0 requests to cancel"},
		"settled with a call open":        {asksOnce + request + cancelled, "round 1 has 0 results of 1 calls"},
		"settled with the model open":     {begun + request + cancelled, "without an outcome"},
		"anything after the end":          {asksOnce + result + answer + request, "after the operation settled"},
		"an empty answer taken":           {begun + "model.completed a 1 {\"attempt\":1,\"items\":[]}\n", "an empty answer counts as one"},
		"a summary that nobody asked for": {begun + "transcript.compacted a 1\n", "nobody asked for"},
		"a summary taken for an answer":   {begun + strings.Replace(summary, "transcript.compacted a 1", `model.completed a 1 {"attempt":2,"items":[]}`, 1), "nobody waits for"},
		"a second summary":                {begun + strings.Replace(summary, `"attempt":3`, `"attempt":3,"purpose":"compact"`, 1), "does not need"},
		"a third try of an empty one":     {begun + empty + strings.ReplaceAll(empty, `"attempt":1`, `"attempt":2`), "asked again after 2 empty answers"},
		"an attempt after the last":       {begun + "model.failed a 1 {\"attempt\":1,\"error\":{\"code\":\"x\"}}\nmodel.started a 1 {\"attempt\":2}\n", "needs none"},
		"a message that nobody read":      {asksOnce + result + "model.started a 2 {\"attempt\":1}\nmessage.steered a 0\nmodel.completed a 2 {\"attempt\":1,\"items\":[{\"kind\":\"text\",\"text\":\"done\"}]}\noperation.completed a 0\n", "no round has read 1 messages"},
		"told of no loop":                 {same(2) + "operation.warned a 2 {\"code\":\"repeated_calls\"}\n", "warned after the same calls in 2 rounds"},
		"ended for no loop":               {same(4) + `tool.failed a 4 {"index":0,"callId":"c","name":"look","error":{"code":"abandoned"}}` + "\noperation.failed a 0 {\"error\":{\"code\":\"loop_detected\"}}\n", "ended for the same calls in 4 rounds"},
		"completed with a call asked for": {asksOnce + result + "operation.completed a 0\n", "does not answer"},
		"the queue's order":               {"session.opened - 0\noperation.accepted a 0\noperation.accepted b 0\noperation.started b 0\n", `started before "a"`},
		"two at once":                     {begun + "operation.accepted b 0\noperation.started b 0\n", `while "a" runs`},
		"a gap":                           {strings.Replace(begun, "operation.accepted a 0", "", 1), "before the operation was accepted"},
	} {
		v := checker.Check(log(t, strings.ReplaceAll(c.lines, "\n\t\t\n", "\n"))).Violations
		if !strings.Contains(strings.Join(v, "\n"), c.want) {
			t.Errorf("%s: %q, want %q", name, v, c.want)
		}
	}
}

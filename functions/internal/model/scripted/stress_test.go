package scripted_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"windlass/functions/internal/model"
)

// Load tables are measured with this script: what it makes is exactly this.
func TestStressMakesTheLoadThatWasOrdered(t *testing.T) {
	for _, l := range []struct{ rounds, calls, tool, answer, reasoning int }{
		{0, 0, 0, 0, 0}, {0, 5, 9, 64, 7}, {1, 1, 0, 1, 0}, {1, 2, 1, 0, 1}, {3, 5, 256, 64, 100}, {127, 2, 16, 16, 0}, {2, 40, 3000, 5000, 2000},
	} {
		name := fmt.Sprintf("%+v", l)
		prompt := fmt.Sprintf(`{"rounds":%d,"callsPerRound":%d,"toolBytes":%d,"answerBytes":%d,"reasoningBytes":%d,"latencyMs":0}`+"\npadding that does not count", l.rounds, l.calls, l.tool, l.answer, l.reasoning)
		answers, files, err := play(t, "stress", prompt)
		if err != nil || len(answers) != l.rounds+1 {
			t.Errorf("%s: %d answers, %v; want %d rounds and a last one", name, len(answers), err, l.rounds)
			continue
		}
		for r, a := range answers[:l.rounds] {
			if len(a.reasoning) != l.reasoning || a.text != "" || len(a.calls) != l.calls || a.end.Stop != model.StopTools {
				t.Errorf("%s, round %d: %d bytes of reasoning, text %q, %d calls, stop %s", name, r+1, len(a.reasoning), a.text, len(a.calls), a.end.Stop)
			}
			for i, c := range a.calls {
				wantCall(t, l.tool, r+1, i, c.CallID, c.Name, c.Arguments.Inline())
			}
		}
		last := answers[l.rounds]
		if len(last.text) != max(l.answer, 1) || last.reasoning != "" || last.end.Stop != model.StopEnd {
			t.Errorf("%s: the last answer has %d bytes, reasoning %q, stop %s", name, len(last.text), last.reasoning, last.end.Stop)
		}
		if got, want := len(files.List("/stress/")), l.rounds*((l.calls+1)/2); got != want {
			t.Errorf("%s: %d files, want %d", name, got, want)
		}
		for _, f := range files.List("") {
			if f.Bytes != int64(l.tool) {
				t.Errorf("%s: %s has %d bytes", name, f.Path, f.Bytes)
			}
		}
	}
}

func wantCall(t *testing.T, bytes, round, i int, id, name, arguments string) {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		t.Fatal(err)
	}
	wantName, path := "workspace_write", fmt.Sprintf("/stress/file-%d-%d.txt", round, i/2)
	fits := false
	if i%2 == 0 {
		content, _ := args["content"].(string)
		fits = len(content) == bytes
	} else {
		wantName = "workspace_read"
		fits = args["max_bytes"] == float64(bytes)
	}
	if id != fmt.Sprintf("call-%d-%d", round, i) || name != wantName || args["path"] != path || !fits || len(args) != 2 {
		t.Errorf("round %d, call %d: %s %s %.100s", round, i, id, name, arguments)
	}
}

// Rounds differ in what they write, so a result that is taken from another round
// shows.
func TestStressFillsEachRoundOtherwise(t *testing.T) {
	answers, _, err := play(t, "stress", `{"rounds":3,"callsPerRound":1,"toolBytes":40,"answerBytes":40,"reasoningBytes":40}`)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{answers[3].text: true}
	for _, a := range answers[:3] {
		seen[a.reasoning] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d different texts, want 4: %v", len(seen), seen)
	}
}

func TestStressCountsTokens(t *testing.T) {
	answers, _, err := play(t, "stress", `{"rounds":1,"callsPerRound":2,"toolBytes":400,"answerBytes":400,"reasoningBytes":40}`)
	if err != nil {
		t.Fatal(err)
	}
	first, last := answers[0].end.Usage, answers[1].end.Usage
	if first.ReasoningTokens != 10 || first.OutputTokens < 110 || last.OutputTokens != 100 || last.InputTokens <= first.InputTokens+200 {
		t.Errorf("used %+v, then %+v", first, last)
	}
}

func TestBadLoadsArePermanentErrorsThatSayHowToAsk(t *testing.T) {
	for _, prompt := range []string{
		"", "hello", "[]", "null x", `{"rounds":1`, `{"rounds":"1"}`, `{"rounds":1.5}`, `{"rounds":-1}`, `{"latencyMs":-1}`, `{"round":1}`, `{"rounds":1} {}`, `{"rounds":1}}`,
		"\n" + `{"rounds":1}`, `{"callsPerRound":10001}`, `{"toolBytes":16777217}`, `{"answerBytes":99999999}`, `{"rounds":1,"callsPerRound":10000,"toolBytes":10000}`, `{"rounds":99999999999999999999}`,
	} {
		_, _, err := play(t, "stress", prompt)
		if f := fault(t, err); f.Code != "model_error" || !f.Permanent || !strings.Contains(f.Message, `{"rounds":3`) {
			t.Errorf("%q: %+v", prompt, f)
		}
	}
}

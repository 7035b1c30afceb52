package anthropic_test

import (
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// settings are what is said of a request's length and thinking.
func settings(t *testing.T, r model.Request) string {
	t.Helper()
	s := request(t, r)
	_, s, _ = strings.Cut(s, `"max_tokens":`)
	s, _, _ = strings.Cut(s, `,"messages"`)
	return strings.Replace(s, `,"stream":true`, "", 1)
}

func TestHowMuchAModelThinksIsSaidInItsOwnWay(t *testing.T) {
	adaptive := func(effort string) string {
		return `,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"` + effort + `"}`
	}
	for _, c := range []struct {
		model, effort string
		most          int
		want          string
	}{
		{"claude-opus-5-5", "", 0, `64000`},
		{"claude-opus-5-5", "none", 0, `64000,"output_config":{"effort":"low"}`},
		{"claude-opus-5-5", "low", 0, `64000` + adaptive("low")},
		{"claude-sonnet-5-5", "high", 9000, `9000` + adaptive("high")},
		{"claude-haiku-5-5", "medium", 100, `100` + adaptive("medium")},
		{"claude-fable-5-1", "none", 0, `64000,"output_config":{"effort":"low"}`},
		{"claude-mythos-preview", "high", 0, `64000` + adaptive("high")},
		{"claude-sonnet-4-6", "none", 0, `64000`},
		{"claude-sonnet-4-6", "medium", 0, `64000` + adaptive("medium")},
		{"us.anthropic.claude-opus-4-6-v1", "medium", 0, `64000` + adaptive("medium")},
		{"anthropic/claude-opus-4.8", "low", 0, `64000` + adaptive("low")},
		{"claude-opus-12", "low", 0, `64000` + adaptive("low")},
		{"claude-sonnet-latest", "low", 0, `64000` + adaptive("low")},
		{"claude-haiku-4-5-20251001", "none", 0, `64000`},
		{"claude-haiku-4-5-20251001", "low", 0, `64000,"thinking":{"type":"enabled","budget_tokens":2048}`},
		{"anthropic.claude-sonnet-4-5-20250929-v1:0", "medium", 0, `64000,"thinking":{"type":"enabled","budget_tokens":8192}`},
		{"claude-sonnet-4-5@20250929", "high", 0, `64000,"thinking":{"type":"enabled","budget_tokens":24576}`},
		{"claude-sonnet-4-5", "high", 10_000, `10000,"thinking":{"type":"enabled","budget_tokens":5000}`},
		{"claude-sonnet-4-5", "high", 2047, `2047`},
		{"claude-opus-4-20250514", "low", 0, `32000,"thinking":{"type":"enabled","budget_tokens":2048}`},
		{"claude-opus-4-1", "low", 0, `32000,"thinking":{"type":"enabled","budget_tokens":2048}`},
		{"claude-3-7-sonnet-20250219", "low", 0, `32000,"thinking":{"type":"enabled","budget_tokens":2048}`},
		{"claude-3-5-haiku-20241022", "high", 0, `8192`},
		{"claude-3-opus-20240229", "high", 0, `4096`},
		{"glm-4.6", "low", 0, `32000,"thinking":{"type":"enabled","budget_tokens":2048}`},
		{"", "", 0, `32000`},
		{"claude-opus-5-5", "endless", 0, `64000`},
	} {
		if got := settings(t, model.Request{Model: c.model, Effort: c.effort, MaxOutputTokens: c.most, Messages: hello}); got != c.want {
			t.Errorf("%s, %s, %d:\n got %s\nwant %s", c.model, c.effort, c.most, got, c.want)
		}
	}
}

// Models with a budget want an answer to go on as it began: with thinking, or without.
func TestThinkingBeginsWithAnAnswerAndLastsAsLong(t *testing.T) {
	const on, least, off = `64000,"thinking":{"type":"enabled","budget_tokens":2048}`, `64000,"thinking":{"type":"enabled","budget_tokens":1024}`, `64000`
	thinks, silent := assistant(native(signedHm), call("x", "f", "{}")), assistant(projection.Part{Text: "a"}, call("x", "f", "{}"))
	did, more := user(result("x", "o", false)), assistant(call("y", "f", "{}"))
	didMore := user(result("y", "o", false), projection.Part{Text: "hurry"})
	for name, c := range map[string]struct {
		effort   string
		messages []projection.Message
		want     string
	}{
		"at the begin":                {"low", nil, on},
		"began with thinking":         {"low", []projection.Message{thinks, did}, on},
		"and went on without":         {"low", []projection.Message{thinks, did, more, didMore}, on},
		"redacted":                    {"low", []projection.Message{assistant(native(redacted), call("x", "f", "{}")), did}, on},
		"began without":               {"low", []projection.Message{silent, did}, off},
		"and went on with":            {"low", []projection.Message{silent, did, assistant(native(signedHm), call("y", "f", "{}")), didMore}, off},
		"the next answer":             {"low", []projection.Message{silent, did, assistant(projection.Part{Text: "b"}), hello[0]}, on},
		"no longer asked for":         {"", []projection.Message{thinks, did}, least},
		"none is asked for":           {"none", []projection.Message{thinks, did, more, didMore}, least},
		"not asked for in the next":   {"", []projection.Message{thinks, did, assistant(projection.Part{Text: "b"}), hello[0]}, off},
		"began with what is no block": {"low", []projection.Message{assistant(projection.Part{Native: signedHm}, call("x", "f", "{}")), did}, off},
	} {
		r := model.Request{Model: "claude-haiku-4-5", Effort: c.effort, Messages: append(hello[:1:1], c.messages...), Tools: nil}
		got := settings(t, r)
		got = strings.Replace(strings.Replace(got, `,"tools":[{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"tool_choice":{"type":"none"}`, "", 1), " ", "", -1)
		if got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

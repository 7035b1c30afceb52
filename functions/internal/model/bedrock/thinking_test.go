package bedrock_test

import (
	"strings"
	"testing"

	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

func TestHowMuchAModelMayThink(t *testing.T) {
	const opus4, opus46, opus48, opus5, fable, nova = "anthropic.claude-opus-4-20250514-v1:0", "anthropic.claude-opus-4-6-v1", "anthropic.claude-opus-4-8", "anthropic.claude-opus-5", "anthropic.claude-fable-5", "amazon.nova-pro-v1:0"
	begun := []projection.Message{user(says("a")), assistant(projection.Part{Native: thinks}, calls("x", "{}")), user(result("x", "r", false)), assistant(calls("y", "{}")), user(result("y", "r", false))}
	foreign := []projection.Message{user(says("a")), assistant(says("b"), calls("x", "{}")), user(result("x", "r", false))}
	over := append(foreign[:3:3], assistant(says("b")), user(says("c")))
	for _, c := range []struct {
		name, model, effort string
		most                int
		messages            []projection.Message
		want                string
	}{
		{"nothing said", opus4, "", 0, hello, ``},
		{"nothing said, of a model that thinks", opus5, "", 0, hello, `"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized"}},`},
		{"none, of a small model", "anthropic.claude-haiku-5-5", model.EffortNone, 0, hello, `"additionalModelRequestFields":{"thinking":{"type":"disabled"}},`},
		{"nothing said, of a small model", "anthropic.claude-haiku-5-5", "", 0, hello, ``},
		{"none", opus4, model.EffortNone, 0, hello, ``},
		{"none, of a model that thinks", opus5, model.EffortNone, 100, hello, `"inferenceConfig":{"maxTokens":100},"additionalModelRequestFields":{"thinking":{"type":"disabled"}},`},
		{"none, of a model that always thinks", fable, model.EffortNone, 0, hello, ``},
		{"a budget", opus4, model.EffortLow, 0, hello, `"inferenceConfig":{"maxTokens":18048},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":2048}},`},
		{"the highest budget", opus4, model.EffortHigh, 0, hello, `"inferenceConfig":{"maxTokens":32000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":16000}},`},
		{"a budget and room for the answer", opus4, model.EffortHigh, 10_000, hello, `"inferenceConfig":{"maxTokens":10000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":5000}},`},
		{"no room for a budget", opus4, model.EffortHigh, 2_000, hello, `"inferenceConfig":{"maxTokens":2000},`},
		{"an answer that began by thinking", opus4, model.EffortLow, 9_000, begun, `"inferenceConfig":{"maxTokens":9000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":2048}},`},
		{"an answer that did not", opus4, model.EffortLow, 9_000, foreign, `"inferenceConfig":{"maxTokens":9000},`},
		{"an answer that did not, and is over", opus4, model.EffortLow, 9_000, over, `"inferenceConfig":{"maxTokens":9000},"additionalModelRequestFields":{"thinking":{"type":"enabled","budget_tokens":2048}},`},
		{"an effort", opus46, model.EffortMedium, 0, foreign, `"additionalModelRequestFields":{"thinking":{"type":"adaptive"},"output_config":{"effort":"medium"}},`},
		{"an effort that is shown", opus48, model.EffortHigh, 9_000, hello, `"inferenceConfig":{"maxTokens":9000},"additionalModelRequestFields":{"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"high"}},`},
		{"a model of another maker", nova, model.EffortHigh, 9_000, hello, `"inferenceConfig":{"maxTokens":9000},`},
	} {
		got := send(t, model.Request{Model: c.model, Effort: c.effort, MaxOutputTokens: c.most, Messages: c.messages, Tools: rich.Tools})
		_, got, _ = strings.Cut(got, `]},`) // behind the tools
		if strings.HasPrefix(got, `{"cachePoint"`) {
			_, got, _ = strings.Cut(got, `]},`)
		}
		if got, _, _ = strings.Cut(got, `"messages":`); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// TestMarksAreWhereTheyAreTaken counts the cache's marks: in the tools, in the system
// prompt, and in which messages.
func TestMarksAreWhereTheyAreTaken(t *testing.T) {
	loop := []projection.Message{user(says("a")), assistant(calls("x", "{}")), user(result("x", "r", false)), assistant(calls("y", "{}")), user(result("y", "r", false))}
	for id, want := range map[string]string{
		"anthropic.claude-sonnet-5":        "system tools 2 4",
		"amazon.nova-2-lite-v1:0":          "system 0",
		"meta.llama3-1-70b-instruct-v1:0":  "",
		"anthropic.claude-3-haiku-2024-v1": "",
	} {
		body := send(t, model.Request{Model: id, Instructions: "Do.", Tools: rich.Tools, Messages: loop})
		const mark = `{"cachePoint":{"type":"default"}}]`
		head, messages, _ := strings.Cut(body, `"messages":`)
		var got []string
		if strings.Contains(head, `"system":[{"text":"Do."},`+mark) {
			got = append(got, "system")
		}
		if strings.Contains(head, mark+`},`) {
			got = append(got, "tools")
		}
		for i, m := range strings.Split(messages, `{"role":`)[1:] {
			if strings.Contains(m, mark) {
				got = append(got, string(rune('0'+i)))
			}
		}
		if strings.Join(got, " ") != want || strings.Count(body, "cachePoint") != len(got) {
			t.Errorf("%s: %v, want %s\n%s", id, got, want, body)
		}
	}
}

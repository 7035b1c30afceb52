package bedrock

import (
	"windlass/functions/internal/model"
	"windlass/functions/internal/projection"
)

// additional are fields that Converse hands to the model as they are.
type additional struct {
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type thinking struct {
	Type         string `json:"type"`
	BudgetTokens int    `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

// budgets are tokens for thinking, where a model wants a number; leastBudget is the
// least that it takes.
var budgets = map[string]int{model.EffortLow: 2_048, model.EffortMedium: 8_192, model.EffortHigh: 16_000}

const (
	leastBudget = 1_024
	// room is left for the answer where its bound is not said: with the highest budget,
	// it is what the smallest of these models may write.
	room = 16_000
)

// think says how much Claude may think, and how much it may write then: the thinking
// counts, and its budget must be less. Other makers' models have no common way to be
// told, and are asked for nothing.
func think(r model.Request, t traits) (*additional, int) {
	switch {
	case r.Effort == model.EffortNone && t.stoppable:
		return &additional{Thinking: &thinking{Type: "disabled"}}, r.MaxOutputTokens
	case r.Effort == "" && t.thinks:
		// As it would by itself, but shown: a model that thinks unseen sends nothing for
		// minutes, and would be taken for dead.
		return adaptive(t), r.MaxOutputTokens
	case r.Effort == model.EffortNone || r.Effort == "":
		return nil, r.MaxOutputTokens
	case t.adaptive:
		a := adaptive(t)
		a.OutputConfig = &outputConfig{r.Effort}
		return a, r.MaxOutputTokens
	case t.budget && thoughtful(r.Messages):
		return budget(r)
	}
	return nil, r.MaxOutputTokens
}

func adaptive(t traits) *additional {
	a := &additional{Thinking: &thinking{Type: "adaptive"}}
	if t.shows {
		a.Thinking.Display = "summarized"
	}
	return a
}

func budget(r model.Request) (*additional, int) {
	tokens, most := budgets[r.Effort], r.MaxOutputTokens
	if most == 0 {
		most = tokens + room
	}
	if tokens = min(tokens, most/2); tokens < leastBudget {
		return nil, r.MaxOutputTokens
	}
	return &additional{Thinking: &thinking{Type: "enabled", BudgetTokens: tokens}}, most
}

// thoughtful: a model with a budget refuses to go on with an answer that did not
// begin by thinking, such as another model's. That answer ends without.
func thoughtful(messages []projection.Message) bool {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := messages[i]; m.Role == projection.User && m.Parts[0].Result == nil {
			return i+1 == len(messages) || reasoned(messages[i+1].Parts[0].Native)
		}
	}
	return true
}

package providers

import (
	"errors"
	"fmt"
	"slices"
)

// converseThinking are the fields of Claude's own that are handed on to it.
type converseThinking struct {
	Thinking *struct {
		Type, Display string
		BudgetTokens  int `json:"budget_tokens"`
	}
	OutputConfig *struct{ Effort string } `json:"output_config"`
}

func (q converseRequest) limits(m converseModel) error {
	most := 0
	if q.InferenceConfig != nil && q.InferenceConfig.MaxTokens != nil {
		if most = *q.InferenceConfig.MaxTokens; most < 1 {
			return fmt.Errorf("maxTokens is %d", most)
		}
	}
	if q.Additional == nil {
		return nil
	}
	if !m.claude {
		return errors.New("additionalModelRequestFields: extraneous key [thinking] is not permitted")
	}
	return errors.Join(q.Additional.effort(m), q.thinking(m, most))
}

func (t converseThinking) effort(m converseModel) error {
	if o := t.OutputConfig; o != nil && (!m.adaptive || !slices.Contains([]string{"low", "medium", "high"}, o.Effort)) {
		return fmt.Errorf("output_config.effort: %q is not supported by this model", o.Effort)
	}
	return nil
}

func (q converseRequest) thinking(m converseModel, most int) error {
	t := q.Additional.Thinking
	if t == nil {
		return nil
	}
	switch t.Type {
	case "disabled":
		return nil
	case "adaptive":
		if !m.adaptive || t.BudgetTokens != 0 {
			return errors.New("adaptive thinking is not supported by this model, or has a budget")
		}
		return nil
	case "enabled":
		if !m.budget || t.BudgetTokens < 1024 || t.BudgetTokens >= most {
			return fmt.Errorf("thinking.type.enabled is not supported by this model, or its budget %d is not from 1024 up to less than maxTokens %d", t.BudgetTokens, most)
		}
		return q.beganToThink()
	}
	return fmt.Errorf("thinking of type %q", t.Type)
}

// beganToThink: with thinking on, the answer under way has to begin with it.
func (q converseRequest) beganToThink() error {
	for i := len(q.Messages) - 1; i >= 0; i-- {
		if m := q.Messages[i]; m.Role == "user" && (len(m.Content) == 0 || m.Content[0].ToolResult == nil) {
			if i+1 < len(q.Messages) && (len(q.Messages[i+1].Content) == 0 || q.Messages[i+1].Content[0].Reasoning == nil) {
				return fmt.Errorf("messages.%d.content.0.type: expected thinking", i+1)
			}
			return nil
		}
	}
	return nil
}

package openai

import (
	"encoding/json"
	"math"

	"windlass/eventstore/event"
)

// streamEvent is what is read of an event of any kind. Fields that a kind does not
// have stay empty; the rest of it, such as the echo of the request, is not read.
type streamEvent struct {
	OutputIndex  int        `json:"output_index"`
	SummaryIndex int        `json:"summary_index"`
	ContentIndex int        `json:"content_index"`
	Delta        text       `json:"delta"`
	Arguments    text       `json:"arguments"`
	Item         outputItem `json:"item"`
	Response     response   `json:"response"`
}

// response is the whole answer, as it stands in the last event.
type response struct {
	Status     string          `json:"status"`
	Error      json.RawMessage `json:"error"`
	Incomplete struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
	Output []outputItem `json:"output"`
	Usage  usage        `json:"usage"`
}

// outputItem is a message, a function call or reasoning; anything else has its
// type alone.
type outputItem struct {
	Type      string
	Status    string
	CallID    string
	Name      string
	Arguments text
	Content   []contentPart
	Summary   []contentPart
}

type contentPart struct {
	Text    text `json:"text"`
	Refusal text `json:"refusal"`
}

// UnmarshalJSON reads the kinds that are known; others may have any shape.
func (o *outputItem) UnmarshalJSON(b []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	*o = outputItem{Type: kind.Type}
	switch kind.Type {
	case "message", "reasoning", "function_call":
		known := struct {
			Status    string        `json:"status"`
			CallID    text          `json:"call_id"`
			Name      text          `json:"name"`
			Arguments text          `json:"arguments"`
			Content   []contentPart `json:"content"`
			Summary   []contentPart `json:"summary"`
		}{}
		if err := json.Unmarshal(b, &known); err != nil {
			return err
		}
		*o = outputItem{kind.Type, known.Status, string(known.CallID), string(known.Name), known.Arguments, known.Content, known.Summary}
	}
	return nil
}

// text is a string; or what some servers write in its place, as JSON.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, (*string)(t))
	}
	*t = text(b)
	return nil
}

// usage counts tokens. Cached ones are among the input's, reasoning's among the
// output's.
type usage struct {
	Input        count `json:"input_tokens"`
	InputDetails struct {
		Cached count `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        count `json:"output_tokens"`
	OutputDetails struct {
		Reasoning count `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u usage) tokens() event.Tokens {
	return event.Tokens{InputTokens: int64(u.Input), OutputTokens: int64(u.Output), CachedTokens: int64(u.InputDetails.Cached), ReasoningTokens: int64(u.OutputDetails.Reasoning)}
}

// count is a number from 0 up; some servers write it as a fraction.
type count int64

func (c *count) UnmarshalJSON(b []byte) error {
	var n float64
	if json.Unmarshal(b, &n) != nil || math.IsNaN(n) || n < 0 {
		return nil // a count is never worth an answer
	}
	*c = count(min(n, 1<<40))
	return nil
}

package openai

import (
	"encoding/json"

	"windlass/eventstore/event"
	"windlass/functions/internal/model/wire"
)

// streamEvent is what is read of an event of any kind. Fields that a kind does not
// have stay empty; the rest of it, such as the echo of the request, is not read.
type streamEvent struct {
	OutputIndex  int        `json:"output_index"`
	SummaryIndex int        `json:"summary_index"`
	ContentIndex int        `json:"content_index"`
	Delta        wire.Text  `json:"delta"`
	Arguments    wire.Text  `json:"arguments"`
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

// outputItem is a message, a function call, reasoning or a made picture; anything
// else has its type alone.
type outputItem struct {
	Type      string        `json:"type"`
	Status    wire.Text     `json:"status"`
	CallID    wire.Text     `json:"call_id"`
	Name      wire.Text     `json:"name"`
	Arguments wire.Text     `json:"arguments"`
	Content   []contentPart `json:"content"`
	Summary   []contentPart `json:"summary"`
	Phase     wire.Text     `json:"phase"`
	Encrypted wire.Text     `json:"encrypted_content"`
	// Result is a picture's base64, Format what it is.
	Result wire.Text `json:"result"`
	Format wire.Text `json:"output_format"`
}

type contentPart struct {
	Text    wire.Text `json:"text"`
	Refusal wire.Text `json:"refusal"`
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
	case "message", "reasoning", "function_call", "image_generation_call":
		type known outputItem
		return json.Unmarshal(b, (*known)(o))
	}
	return nil
}

// usage counts tokens. Cached and written ones are among the input's, reasoning's
// among the output's.
type usage struct {
	Input        wire.Count `json:"input_tokens"`
	InputDetails struct {
		Cached  wire.Count `json:"cached_tokens"`
		Written wire.Count `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Output        wire.Count `json:"output_tokens"`
	OutputDetails struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u usage) tokens() event.Tokens {
	return event.Tokens{InputTokens: int64(u.Input), OutputTokens: int64(u.Output), CachedTokens: int64(u.InputDetails.Cached),
		ReasoningTokens: int64(u.OutputDetails.Reasoning), CacheWriteTokens: int64(u.InputDetails.Written)}
}

package anthropic

import (
	"encoding/json"

	"windlass/eventstore/event"
	"windlass/functions/internal/model/wire"
)

// streamEvent is what is read of an event; what a field holds depends on its type.
type streamEvent struct {
	Type    wire.Text       `json:"type"`
	Index   wire.Count      `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   json.RawMessage `json:"delta"`
	Usage   usage           `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// message is a whole answer; in a stream's first event it has no content yet.
type message struct {
	Type       wire.Text         `json:"type"`
	Content    []json.RawMessage `json:"content"`
	StopReason wire.Text         `json:"stop_reason"`
	Usage      usage             `json:"usage"`
	Error      json.RawMessage   `json:"error"`
}

// start is a block where it begins. Servers that do not stream blocks give the whole.
type start struct {
	Type      string            `json:"type"`
	Text      wire.Text         `json:"text"`
	Citations []json.RawMessage `json:"citations"`
	Thinking  wire.Text         `json:"thinking"`
	Signature wire.Text         `json:"signature"`
	ID        wire.Text         `json:"id"`
	Name      wire.Text         `json:"name"`
	Input     wire.Text         `json:"input"`
}

// UnmarshalJSON reads the kinds that are known; others may have any shape.
func (s *start) UnmarshalJSON(b []byte) error {
	var kind struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	switch *s = (start{Type: kind.Type}); kind.Type {
	case "text", "thinking", "tool_use":
		type fields start
		return json.Unmarshal(b, (*fields)(s))
	}
	return nil
}

// delta is what is added to a block, or what is said of the whole answer.
type delta struct {
	Type       string          `json:"type"`
	Text       wire.Text       `json:"text"`
	Thinking   wire.Text       `json:"thinking"`
	Signature  wire.Text       `json:"signature"`
	Input      wire.Text       `json:"partial_json"`
	Citation   json.RawMessage `json:"citation"`
	StopReason wire.Text       `json:"stop_reason"`
}

// usage counts tokens. What the cache gave and took is not among the input's here.
type usage struct {
	Input         wire.Count    `json:"input_tokens"`
	CacheRead     wire.Count    `json:"cache_read_input_tokens"`
	CacheWrite    wire.Count    `json:"cache_creation_input_tokens"`
	Output        wire.Count    `json:"output_tokens"`
	OutputDetails outputDetails `json:"output_tokens_details"`
}

type outputDetails struct {
	Thinking wire.Count `json:"thinking_tokens"`
}

// update takes newer counts. Some servers count the input at the begin of an answer,
// others at its end, some at both; none of them means a zero by leaving one out.
func (u *usage) update(newer usage) {
	for _, c := range []struct{ to, from *wire.Count }{
		{&u.Input, &newer.Input}, {&u.CacheRead, &newer.CacheRead}, {&u.CacheWrite, &newer.CacheWrite},
		{&u.Output, &newer.Output}, {&u.OutputDetails.Thinking, &newer.OutputDetails.Thinking},
	} {
		if *c.from > 0 {
			*c.to = *c.from
		}
	}
}

func (u usage) tokens() event.Tokens {
	return event.Tokens{
		InputTokens: int64(u.Input + u.CacheRead + u.CacheWrite), CachedTokens: int64(u.CacheRead), CacheWriteTokens: int64(u.CacheWrite),
		OutputTokens: int64(u.Output), ReasoningTokens: int64(u.OutputDetails.Thinking),
	}
}

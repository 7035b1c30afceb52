package chat

import (
	"bytes"
	"encoding/json"

	"windlass/eventstore/event"
	"windlass/functions/internal/model/wire"
)

// chunk is what is read of an event, or of an answer that comes in one piece. What
// servers add, such as filters' results and timings, is not read.
type chunk struct {
	Object  wire.Text       `json:"object"`
	Error   json.RawMessage `json:"error"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
}

type choice struct {
	Index wire.Count `json:"index"`
	Delta said       `json:"delta"`
	// Message is the whole of it, at the end of some streams too.
	Message *said     `json:"message"`
	Finish  wire.Text `json:"finish_reason"`
	Usage   *usage    `json:"usage"`
}

// said is a message, or a piece of one.
type said struct {
	Content          content               `json:"content"`
	Refusal          wire.Text             `json:"refusal"`
	ReasoningContent wire.Text             `json:"reasoning_content"`
	Reasoning        wire.Text             `json:"reasoning"`
	ReasoningDetails list[json.RawMessage] `json:"reasoning_details"`
	ToolCalls        list[fragment]        `json:"tool_calls"`
	// FunctionCall is how calls were written before there could be several.
	FunctionCall *fragmentOf `json:"function_call"`
	Images       list[piece] `json:"images"`
}

// fragment is a piece of a tool call, or a whole one.
type fragment struct {
	Index    *wire.Count `json:"index"`
	ID       wire.Text   `json:"id"`
	Function fragmentOf  `json:"function"`
	callNative
}

type fragmentOf struct {
	Name      wire.Text `json:"name"`
	Arguments wire.Text `json:"arguments"`
}

// list is a JSON array; anything else is an empty one.
type list[T any] []T

func (l *list[T]) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '[' {
		return nil
	}
	return json.Unmarshal(b, (*[]T)(l))
}

// content is a text, or a list of pieces.
type content struct {
	text   string
	pieces []piece
}

// piece is one part of a content. Thinking is a text, or a list of such.
type piece struct {
	Type     wire.Text `json:"type"`
	Text     wire.Text `json:"text"`
	Refusal  wire.Text `json:"refusal"`
	Thinking content   `json:"thinking"`
	ImageURL link      `json:"image_url"`
}

func (c *content) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		return nil
	case b[0] == '[':
		return json.Unmarshal(b, &c.pieces)
	case b[0] == '{':
		c.pieces = make([]piece, 1)
		return json.Unmarshal(b, &c.pieces[0])
	}
	return (*wire.Text)(&c.text).UnmarshalJSON(b)
}

// all is the text of it.
func (c content) all() string {
	s := c.text
	for _, p := range c.pieces {
		s += string(p.Text)
	}
	return s
}

// link is {"url": …}, or the URL alone.
type link string

func (l *link) UnmarshalJSON(b []byte) error {
	var o struct {
		URL wire.Text `json:"url"`
	}
	if len(b) > 0 && b[0] == '{' {
		err := json.Unmarshal(b, &o)
		*l = link(o.URL)
		return err
	}
	return (*wire.Text)(l).UnmarshalJSON(b)
}

// usage counts tokens. Cached ones are among the prompt's, reasoning's among the
// completion's; servers name the cached ones in several ways.
type usage struct {
	Prompt        wire.Count `json:"prompt_tokens"`
	PromptDetails struct {
		Cached  wire.Count `json:"cached_tokens"`
		Written wire.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	Completion        wire.Count `json:"completion_tokens"`
	CompletionDetails struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Hits    wire.Count `json:"prompt_cache_hit_tokens"`
	Read    wire.Count `json:"cache_read_input_tokens"`
	Created wire.Count `json:"cache_creation_input_tokens"`
}

// UnmarshalJSON never fails: a count is never worth an answer.
func (u *usage) UnmarshalJSON(b []byte) error {
	type plain usage
	var p plain
	if !bytes.HasPrefix(b, []byte("{")) || json.Unmarshal(b, &p) != nil {
		return nil
	}
	*u = usage(p)
	return nil
}

func (u *usage) tokens() event.Tokens {
	if u == nil {
		return event.Tokens{}
	}
	return event.Tokens{
		InputTokens: int64(u.Prompt), CachedTokens: int64(max(u.PromptDetails.Cached, u.Hits, u.Read)), CacheWriteTokens: int64(max(u.PromptDetails.Written, u.Created)),
		OutputTokens: int64(u.Completion), ReasoningTokens: int64(u.CompletionDetails.Reasoning),
	}
}

package bedrock

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
	"windlass/functions/internal/projection"
)

// maxRequest bounds a request, in bytes. Bedrock takes less.
const maxRequest = 32 << 20

// head is the body without its messages, which stand behind all that stays the same
// from round to round.
type head struct {
	System     []any       `json:"system,omitempty"`
	Tools      *toolConfig `json:"toolConfig,omitempty"`
	Inference  *inference  `json:"inferenceConfig,omitempty"`
	Additional *additional `json:"additionalModelRequestFields,omitempty"`
}

type inference struct {
	MaxTokens int `json:"maxTokens"`
}

type textBlock struct {
	Text string `json:"text"`
}

// mark asks the provider to keep what stands before it.
type mark struct {
	CachePoint cachePoint `json:"cachePoint"`
}

type cachePoint struct {
	Type string `json:"type"`
}

var cacheMark = mark{cachePoint{"default"}}

// encode writes the body.
func encode(r model.Request) ([]byte, error) {
	t := traitsOf(r.Model)
	var h head
	if !blank(r.Instructions) {
		h.System = append(h.System, textBlock{r.Instructions})
		if t.caches {
			h.System = append(h.System, cacheMark)
		}
	}
	var err error
	if h.Tools, err = tools(r, t); err != nil {
		return nil, err
	}
	fields, most := think(r, t)
	if h.Additional = fields; most > 0 {
		h.Inference = &inference{most}
	}
	e := encoder{traits: t}
	e.json(h)
	e.Truncate(e.Len() - 1) // its closing brace
	if e.Len() > 1 {
		e.WriteByte(',')
	}
	e.WriteString(`"messages":[`)
	if err := e.messages(closed(r.Messages)); err != nil {
		return nil, err
	}
	e.WriteString("]}")
	return e.Bytes(), nil
}

// closed messages end with a user's: models refuse to go on with their own words.
func closed(messages []projection.Message) []projection.Message {
	if n := len(messages); n > 0 && messages[n-1].Role == projection.User {
		return messages
	}
	return append(messages[:len(messages):len(messages)], projection.Message{Role: projection.User, Parts: []projection.Part{{Text: "Go on."}}})
}

// tooLong is the fault of a transcript that is not even sent.
func tooLong() *model.Fault {
	return &model.Fault{Code: model.Overflow, Permanent: true, Message: fmt.Sprintf("the transcript has more than the %d bytes that are sent to a model", maxRequest)}
}

// buffer is written JSON.
type buffer struct{ bytes.Buffer }

// json appends v, which is made of texts, numbers and JSON that was read before, so
// that it cannot fail.
func (b *buffer) json(v any) {
	if err := wire.AppendJSON(&b.Buffer, v); err != nil {
		panic("bedrock: " + err.Error())
	}
}

// raw is JSON if s is, and an empty object if not.
func raw(s string) json.RawMessage {
	if !json.Valid([]byte(s)) {
		return json.RawMessage("{}")
	}
	return json.RawMessage(s)
}

func written(v any) string {
	var b buffer
	b.json(v)
	return b.String()
}

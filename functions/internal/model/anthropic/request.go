package anthropic

import (
	"bytes"
	"fmt"
	"strings"

	"windlass/functions/internal/model"
	"windlass/functions/internal/model/wire"
)

// maxRequest is what the API takes at most, in bytes.
const maxRequest = 32 << 20

// request is the body without its messages, which stand behind all that stays the
// same from round to round.
type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	Stream       bool          `json:"stream"`
	System       []systemBlock `json:"system,omitempty"`
	Tools        []tool        `json:"tools,omitempty"`
	ToolChoice   *toolChoice   `json:"tool_choice,omitempty"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
}

type systemBlock struct {
	Type  string        `json:"type"`
	Text  string        `json:"text"`
	Cache *cacheControl `json:"cache_control,omitempty"`
}

// cacheControl is a breakpoint: the server keeps all that stands before it.
type cacheControl struct {
	Type string `json:"type"`
}

var ephemeral = &cacheControl{"ephemeral"}

// encode writes the body: the head, then the messages.
func encode(r model.Request) ([]byte, error) {
	h, err := head(r)
	if err != nil {
		return nil, err
	}
	var w writer
	if err := wire.AppendJSON(&w.out, h); err != nil {
		return nil, err
	}
	w.out.Truncate(w.out.Len() - 1) // its closing brace
	w.out.WriteString(`,"messages":[`)
	if err := w.messages(r.Messages); err != nil {
		return nil, err
	}
	w.out.WriteString("]}")
	return w.out.Bytes(), w.bounded()
}

// head ends in a breakpoint: the system text stands behind the tools for the server,
// whatever their order here.
func head(r model.Request) (request, error) {
	v := claude(r.Model)
	h := request{Model: r.Model, Stream: true, MaxTokens: r.MaxOutputTokens}
	if h.MaxTokens <= 0 {
		h.MaxTokens = longestAnswer(v)
	}
	h.Thinking, h.OutputConfig = think(r, v, h.MaxTokens)
	var err error
	if h.Tools, h.ToolChoice, err = tools(r); err != nil {
		return request{}, err
	}
	if strings.TrimSpace(r.Instructions) != "" {
		h.System = []systemBlock{{Type: "text", Text: r.Instructions, Cache: ephemeral}}
	} else if n := len(h.Tools); n > 0 {
		h.Tools[n-1].Cache = ephemeral
	}
	return h, nil
}

// writer writes messages.
type writer struct{ out bytes.Buffer }

func (w *writer) bounded() error {
	if w.out.Len() > maxRequest {
		return &model.Fault{Code: model.Overflow, Permanent: true, Message: fmt.Sprintf("the request is larger than the %d bytes that the model provider takes", maxRequest)}
	}
	return nil
}
